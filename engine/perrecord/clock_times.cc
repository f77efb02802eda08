#include "engine/perrecord/clock_times.h"

#include <algorithm>

#include "braid/column_builder.h"

namespace braid {

Column ClockTimes(Side side, const RecordBlock& block, int64_t millis) {
  ColumnBuilder builder(DataType::Timestamp(3));
  const RecordSide& records = block.sides[Index(side)];
  int64_t* times = builder.AppendUninitialized<int64_t>(records.first + records.num_rows);
  for (const RecordStep& step : block.steps) {
    if (step.type == RecordStep::Type::kClock) millis = std::max(millis, step.millis);
    if (step.type == RecordStep::Type::kRow && step.side == side) {
      times[step.row] = SaturatingMultiply(millis, 1'000);
    }
  }
  return builder.Finish();
}

}  // namespace braid
