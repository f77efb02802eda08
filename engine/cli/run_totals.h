// What the batches of a run add up to.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/progress.h"
#include "braid/time.h"

namespace braid {

struct TableTotals {
  std::string table;
  int64_t num_input_rows = 0;
  int64_t num_late_rows = 0;
  int64_t num_future_rows = 0;
  int64_t num_bad_records = 0;
  std::string bad_records_location;    // Empty: they are not kept.
  std::optional<Watermark> watermark;  // The newest.
  bool holds_back = false;             // After the last batch.
};

struct RunTotals {
  int64_t num_batches = 0;
  int64_t num_input_rows = 0;
  int64_t num_output_rows = 0;
  int64_t num_padded_rows = 0;
  int64_t num_late_rows = 0;
  int64_t num_bad_records = 0;
  int64_t num_null_time_rows = 0;
  int64_t num_null_key_rows = 0;
  int64_t num_row_errors = 0;
  int64_t num_late_rows_written = 0;
  int64_t num_unmatched_rows_written = 0;
  bool flushed = false;             // The last batch was the flush.
  std::vector<TableTotals> tables;  // Left first.

  void Add(const BatchProgress& progress);
};

}  // namespace braid
