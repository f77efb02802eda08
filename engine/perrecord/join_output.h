// What a per-record join gives: rows with their change kinds, in order, and where its own watermark
// moved between them.
//
// Thread rule: values; JoinOutput is called by the thread that runs the join.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/perrecord/record_block.h"

namespace braid {

struct OutputWatermark {
  int32_t step = 0;      // Of the block that caused it.
  int64_t num_rows = 0;  // Rows of this output that come before it.
  int64_t millis = 0;
};

// A row that the DataStream join refused for being late.
struct LateRow {
  Side side = Side::kLeft;
  int32_t row = 0;  // Of the block.
  int32_t step = 0;
  int64_t watermark = 0;  // The one that it came after.
};

// Rows of one side that leave without ever having had a partner, where the plan reports them.
struct UnmatchedRows {
  int64_t num_rows = 0;
  std::vector<Column> columns;  // One a column of the side; empty where the report asks for none.
  std::vector<int64_t> watermarks;  // The join's watermark as each one left.
};

struct OutputBlock {
  int64_t num_rows = 0;
  std::vector<Column> columns;  // One a joined column; empty where nobody asked for it.
  std::vector<ChangeKind> kinds;
  std::vector<int32_t> steps;  // The step of the block that gave each row.
  std::vector<int64_t> times;  // DataStream join: the row's time in microseconds.
  std::vector<OutputWatermark> watermarks;
  std::vector<LateRow> late;
  std::array<UnmatchedRows, 2> unmatched;
};

class JoinOutput {
 public:
  virtual ~JoinOutput() = default;
  virtual Status Take(const OutputBlock& block) = 0;
};

}  // namespace braid
