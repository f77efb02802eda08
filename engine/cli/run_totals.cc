#include "engine/cli/run_totals.h"

namespace braid {

void RunTotals::Add(const BatchProgress& progress) {
  ++num_batches;
  num_input_rows += progress.num_input_rows;
  num_output_rows += progress.num_output_rows;
  num_row_errors += progress.num_row_errors;
  num_late_rows_written += progress.num_late_rows_written.value_or(0);
  num_unmatched_rows_written += progress.num_unmatched_rows_written.value_or(0);
  flushed = progress.flush;
  if (progress.state) {
    num_padded_rows += progress.state->num_padded_rows;
    num_null_time_rows += progress.state->rows_null_time;
    num_null_key_rows += progress.state->rows_null_key;
  }
  tables.resize(progress.sources.size());
  for (size_t index = 0; index < tables.size(); ++index) {
    const SourceProgress& source = progress.sources[index];
    TableTotals& table = tables[index];
    table.table = source.table;
    table.num_input_rows += source.num_input_rows;
    table.num_late_rows += source.num_late_rows;
    table.num_future_rows += source.num_future_rows;
    table.num_bad_records += source.num_bad_records;
    table.bad_records_location = source.bad_records_location;
    table.watermark = source.watermark;
    table.holds_back = source.holds_back;
    num_late_rows += source.num_late_rows;
    num_bad_records += source.num_bad_records;
  }
}

}  // namespace braid
