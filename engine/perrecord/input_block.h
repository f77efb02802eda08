// Records of all tables in the order in which they are processed. Each has a position; so have the
// steps of the clock. What a join gives keeps the position of the record that caused it, so that
// the inputs of the next join can be put in order again.
//
// Thread rule: values; slices are shared and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/perrecord/record_block.h"
#include "engine/perrecord/table_input.h"

namespace braid {

// A watermark that follows the rows at its position, or a step of the clock.
struct PositionedMark {
  int32_t position = 0;
  int64_t millis = kUnsetMillis;
};

// Rows [first, first + positions.size()) of a slice as it was read.
struct TableRows {
  std::shared_ptr<const ArrivedSlice> slice;
  int32_t first = 0;
  std::vector<int32_t> positions;     // Rising.
  std::vector<PositionedMark> marks;  // Watermarks of this table, rising.
};

struct InputBlock {
  int32_t num_positions = 0;
  std::vector<TableRows> tables;
  std::vector<PositionedMark> clock;  // Each has a position of its own.
};

// Rows on their way into a join or to the output.
struct PositionedRows {
  RecordSide rows;
  std::vector<int32_t> positions;  // One a row of `rows`, rising; several rows may share one.
  std::vector<ChangeKind> kinds;   // The same; empty: all are insertions.
  std::vector<PositionedMark> marks;
};

// What of a table's rows has come through its ArrivalStage.
PositionedRows ArrivedRows(const TableRows& table);

// The steps of a join with these two inputs, and the position of each step.
struct MergedSteps {
  RecordBlock block;
  std::vector<int32_t> positions;
};
MergedSteps MergeInputs(PositionedRows left, PositionedRows right,
                        const std::vector<PositionedMark>& clock);

}  // namespace braid
