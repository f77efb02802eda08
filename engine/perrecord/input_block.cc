#include "engine/perrecord/input_block.h"

#include <algorithm>
#include <array>
#include <utility>

namespace braid {

namespace {

// Walks the rows and watermarks of one input in the order of their positions.
class InputCursor {
 public:
  InputCursor(const PositionedRows& input, Side side) : input_(input), side_(side) {}

  static constexpr int32_t kNone = std::numeric_limits<int32_t>::max();

  int32_t row_position() const {
    return row_ < input_.positions.size() ? input_.positions[row_] : kNone;
  }
  int32_t mark_position() const {
    return mark_ < input_.marks.size() ? input_.marks[mark_].position : kNone;
  }
  // Of what comes next. Rows come before the watermark of their position.
  int32_t position() const { return std::min(row_position(), mark_position()); }

  RecordStep Next() {
    RecordStep step;
    step.side = side_;
    const int32_t position = row_position();
    if (position > mark_position()) {
      step.type = RecordStep::Type::kWatermark;
      step.millis = input_.marks[mark_++].millis;
      return step;
    }
    step.row = static_cast<int32_t>(input_.rows.first) + static_cast<int32_t>(row_);
    if (!input_.kinds.empty()) step.kind = input_.kinds[row_];
    ++row_;
    // The watermark goes with the last row of its position.
    if (mark_position() == position && row_position() != position) {
      step.millis = input_.marks[mark_++].millis;
    }
    return step;
  }

 private:
  const PositionedRows& input_;
  const Side side_;
  size_t row_ = 0;
  size_t mark_ = 0;
};

}  // namespace

PositionedRows ArrivedRows(const TableRows& table) {
  PositionedRows result;
  result.marks = table.marks;
  if (table.slice == nullptr) return result;
  const Arrivals& arrivals = table.slice->arrivals;
  const RowBatch& source = table.slice->read.source;
  const int32_t end = table.first + static_cast<int32_t>(table.positions.size());
  result.rows.rows = std::shared_ptr<const Arrivals>(table.slice, &arrivals);
  const auto add_kind = [&](int32_t read_row) {
    if (source.has_change_kinds()) result.kinds.push_back(source.change_kind(read_row));
  };
  if (arrivals.rows.empty()) {  // Either all rows go on, or none.
    if (arrivals.num_rows == 0) return result;
    result.rows.first = table.first;
    result.rows.num_rows = end - table.first;
    result.positions = table.positions;
    for (int32_t row = table.first; row < end; ++row) add_kind(row);
    return result;
  }
  const auto begin = std::lower_bound(arrivals.rows.begin(), arrivals.rows.end(), table.first);
  const auto last = std::lower_bound(begin, arrivals.rows.end(), end);
  result.rows.first = begin - arrivals.rows.begin();
  result.rows.num_rows = last - begin;
  for (auto row = begin; row != last; ++row) {
    result.positions.push_back(table.positions[static_cast<size_t>(*row - table.first)]);
    add_kind(*row);
  }
  return result;
}

MergedSteps MergeInputs(PositionedRows left, PositionedRows right,
                        const std::vector<PositionedMark>& clock) {
  MergedSteps merged;
  InputCursor left_cursor(left, Side::kLeft);
  InputCursor right_cursor(right, Side::kRight);
  const size_t most = left.positions.size() + left.marks.size() + right.positions.size() +
                      right.marks.size() + clock.size();
  merged.block.steps.reserve(most);
  merged.positions.reserve(most);
  size_t next_clock = 0;
  while (true) {
    const int32_t left_position = left_cursor.position();
    const int32_t right_position = right_cursor.position();
    const int32_t clock_position =
        next_clock < clock.size() ? clock[next_clock].position : InputCursor::kNone;
    const int32_t position = std::min({left_position, right_position, clock_position});
    if (position == InputCursor::kNone) break;
    merged.positions.push_back(position);
    if (position == clock_position) {
      RecordStep step;
      step.type = RecordStep::Type::kClock;
      step.millis = clock[next_clock++].millis;
      merged.block.steps.push_back(step);
    } else if (position == left_position) {
      merged.block.steps.push_back(left_cursor.Next());
    } else {
      merged.block.steps.push_back(right_cursor.Next());
    }
  }
  merged.block.sides = {std::move(left.rows), std::move(right.rows)};
  return merged;
}

}  // namespace braid
