// The small records of a checkpoint as values and as bytes: identity, plan, commit, chunk head.
// checkpoint.capnp is the schema, record_frame.h the frame around them.
//
// Writing hands the framed record to `sink` together with its key. Reading gives kCorruption, with
// a message that does not name the key, for anything that writing cannot have made.
//
// Thread rule: free functions; the RecordWriter is for one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "braid/error.h"
#include "braid/time.h"
#include "state/batch_log.h"
#include "state/store/id_runs.h"
#include "state/store/record_frame.h"
#include "state/store/record_key.h"
#include "state/versioned_store.h"

namespace braid {

// Of the whole checkpoint. Rises when an older Braid would read what is written wrongly: one with
// earlier layouts has the second version.
constexpr uint32_t kFormatVersion = 1;
constexpr uint32_t kLayoutsFormatVersion = 2;

// A chunk that says it has more rows is damaged.
constexpr int64_t kChunkRowsMax = 65'536;

using RecordSink = std::function<void(std::string_view key, std::string_view record)>;

struct CommitRecord {
  BatchCommit commit;
  uint32_t next_lineage = 0;
  uint64_t digest = 0;
};

struct ChunkTimes {
  int64_t minimum = 0;  // Of the rows that have a time.
  int64_t maximum = 0;
  int64_t early = 0;   // About an eighth of all rows are as early or earlier; NULL counts as late.
  int64_t middle = 0;  // About half of all rows.

  friend bool operator==(const ChunkTimes&, const ChunkTimes&) = default;
};

struct ChunkHead {
  ChunkKey key;
  int64_t version = 0;  // Versions from here on have its rows.
  bool folded = false;  // Changes up to `version` are worked into the rows.
  IdRuns ids;
  int64_t null_times = 0;
  std::optional<ChunkTimes> times;  // Absent: no row has a time.
  uint32_t chunk_bytes = 0;
  uint64_t chunk_checksum = 0;
  uint32_t layout = 0;  // Index into the identity's earlier layouts; their number: the current one.

  int64_t num_rows() const { return static_cast<int64_t>(ids.size()); }
};

Status WriteIdentity(RecordWriter* writer, const StoreIdentity& identity, const RecordSink& sink);
Status WritePlanRecord(RecordWriter* writer, const BatchPlan& plan, const RecordSink& sink);
Status WriteCommit(RecordWriter* writer, const CommitRecord& commit, const RecordSink& sink);
Status WriteChunkHead(RecordWriter* writer, const ChunkHead& head, const RecordSink& sink);

// kConflict for a format version that this Braid does not know; the message has both numbers.
Result<StoreIdentity> ReadIdentity(std::string_view record);
Result<BatchPlan> ReadPlanRecord(std::string_view record);
Result<CommitRecord> ReadCommit(std::string_view key, std::string_view record);
Result<ChunkHead> ReadChunkHead(std::string_view key, std::string_view record);

}  // namespace braid
