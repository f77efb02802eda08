// Records of both sides on their way into a per-record join: columns of a batch of rows a side, and
// the order in which they are processed, with the watermarks and clock steps between them.
//
// Thread rule: values; columns are shared and immutable.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "braid/change_kind.h"
#include "braid/row_batch.h"
#include "engine/plan/stream_plan.h"
#include "state/rows/key_word.h"

namespace braid {

// A watermark or clock that is not set.
constexpr int64_t kUnsetMillis = std::numeric_limits<int64_t>::min();
// The watermark of an input that has ended.
constexpr int64_t kEndMillis = std::numeric_limits<int64_t>::max();

struct RecordStep {
  enum class Type : uint8_t { kRow, kWatermark, kClock };

  Type type = Type::kRow;
  Side side = Side::kLeft;
  ChangeKind kind = ChangeKind::kInsert;
  int32_t row = -1;  // kRow: of the side's columns. Rows of one side come in rising order, all of
                     // them.
  // kWatermark: of this side's input; kClock: the clock; kRow: the watermark of the side's input
  // after the row, or kUnsetMillis where it stays.
  int64_t millis = kUnsetMillis;
};

struct RecordSide {
  int64_t num_rows = 0;
  KeyWords keys;  // Rows that are not linkable have a NULL key; their words are those of their key.
  std::optional<Column> time;   // Row time in microseconds, may be NULL; absent: not needed.
  std::vector<Column> payload;  // As JoinSidePlan::payload_expressions.
};

struct RecordBlock {
  std::array<RecordSide, 2> sides;
  std::vector<RecordStep> steps;
};

}  // namespace braid
