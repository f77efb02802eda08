// Records of both sides on their way into a per-record join: columns of a batch of rows a side, and
// the order in which they are processed, with the watermarks and clock steps between them.
//
// Thread rule: values; columns are shared and immutable.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "braid/change_kind.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// A watermark or clock that is not set.
constexpr int64_t kUnsetMillis = std::numeric_limits<int64_t>::min();
// The watermark of an input that has ended.
constexpr int64_t kEndMillis = std::numeric_limits<int64_t>::max();

// Timers go by milliseconds: the first one that is not before the moment.
constexpr int64_t CeilToMillis(int64_t micros) {
  return micros / 1'000 + (micros % 1'000 > 0 ? 1 : 0);
}

struct RecordStep {
  enum class Type : uint8_t { kRow, kWatermark, kClock };

  Type type = Type::kRow;
  Side side = Side::kLeft;
  ChangeKind kind = ChangeKind::kInsert;
  int32_t row = -1;  // kRow: of the side's arrays. The rows of one side come in rising order, all
                     // of them.
  // kWatermark: of this side's input; kClock: the clock; kRow: the watermark of the side's input
  // after the row, or kUnsetMillis where it stays.
  int64_t millis = kUnsetMillis;
};

// Rows [first, first + num_rows) of arrays that may hold more: several blocks share what has
// arrived as one slice.
struct RecordSide {
  int64_t first = 0;
  int64_t num_rows = 0;
  // Null without rows. Rows that are not linkable have a NULL key; their words are those of their
  // key. `time` is row time, and absent where the join keeps none.
  std::shared_ptr<const Arrivals> rows;
};

struct RecordBlock {
  std::array<RecordSide, 2> sides;
  std::vector<RecordStep> steps;
};

}  // namespace braid
