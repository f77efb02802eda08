// What a checkpoint of the per-record mode holds besides state and offsets, and what its plan says
// so that a rerun after a crash reads the same records in the same order. It is the `extension` of
// BatchPlan and BatchCommit, as CBOR (RFC 8949).
//
// Thread rule: values and free functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/perrecord/per_record_join.h"
#include "engine/perrecord/table_input.h"

namespace braid {

struct TableCheckpoint {
  std::string table;
  InputPosition position;       // Of the next record.
  int64_t sent = kUnsetMillis;  // The last watermark sent.
  bool ended = false;           // Its end was told to the joins.
  // In a plan: rows that the epoch takes, beginning at `start`.
  InputPosition start;
  int64_t num_rows = 0;
};

// One entry of a written order: `rows` rows of a table, or a watermark of it, or a step of the
// clock.
struct OrderEntry {
  enum class Kind : uint8_t { kRows, kWatermark, kClock };
  Kind kind = Kind::kRows;
  int32_t table = 0;
  int64_t value = 0;  // Rows, or milliseconds.
};

struct CheckpointRecord {
  std::vector<TableCheckpoint> tables;
  std::vector<JoinClock> clocks;  // One a join, children first. Not in a plan.
  size_t turn = 0;                // RecordOrder::turn: after the epoch; in a plan: before it.
  // In a plan, if the order of reading does not follow from the records: what came after what.
  bool has_order = false;
  std::vector<OrderEntry> order;
};

std::string EncodeCheckpoint(const CheckpointRecord& record);
// Fails with kCorruption for bytes that EncodeCheckpoint does not write.
Result<CheckpointRecord> DecodeCheckpoint(const std::string& bytes);

}  // namespace braid
