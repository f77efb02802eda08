// What a running query reports after each batch. The names are those of Spark's
// StreamingQueryProgress; what Braid adds is marked.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "braid/time.h"

namespace braid {

struct SourceProgress {
  std::string description;
  std::string table;  // Braid's.
  std::string start_offset;
  std::string end_offset;
  std::string latest_offset;
  int64_t num_input_rows = 0;
  int64_t num_bad_records = 0;       // Braid's.
  std::string bad_records_location;  // Braid's: the file that keeps them; empty if none does.
  int64_t num_late_rows = 0;         // Braid's: dropped by the watermark.
  int64_t num_future_rows = 0;       // Braid's: too far ahead of the clock to move the watermark.
  // Braid's: bytes of input that are known to wait for a batch; absent if unknown.
  std::optional<int64_t> backlog_bytes;
  int64_t idle_ms = 0;  // Braid's: since the last batch with its rows, or since the start.
  std::optional<EventTime> max_event_time;  // Braid's: largest row time seen so far.
  std::optional<Watermark> watermark;       // Braid's: of this table alone.
  bool holds_back = false;                  // Braid's: the query's watermark is this table's.
  // Braid's: no row for its idle time-out; the query's watermark does not wait for it.
  bool idle = false;
  bool finished = false;  // Braid's: nothing more will come.
  bool paused = false;    // Braid's: not read until the state is below its limit again.
};

struct StateOperatorProgress {
  std::string operator_name = "symmetricHashJoin";
  int64_t num_rows_total = 0;
  int64_t num_rows_updated = 0;
  int64_t num_rows_removed = 0;
  int64_t num_rows_dropped_by_watermark = 0;
  int64_t rows_null_time = 0;   // Braid's: rows that cannot match for a NULL time.
  int64_t rows_null_key = 0;    // Braid's: rows that cannot match for a NULL key.
  int64_t num_padded_rows = 0;  // Braid's: rows of this batch emitted null-padded.
  int64_t num_left_rows = 0;    // Braid's: of num_rows_total.
  int64_t num_right_rows = 0;   // Braid's.
  int64_t memory_used_bytes = 0;
  // Braid's: of it, entries and heads, which state.memory.budget does not cover.
  int64_t memory_index_bytes = 0;
  int64_t spilled_bytes = 0;  // Braid's: rows beyond state.memory.budget, on disk.
  int64_t num_shuffle_partitions = 1;
  int64_t all_updates_ms = 0;
  int64_t all_removals_ms = 0;
  int64_t commit_ms = 0;
};

struct BatchProgress {
  std::string id;      // Of the query; survives restarts.
  std::string run_id;  // Of this run.
  std::string name;
  EventTime timestamp;  // When the trigger fired.
  int64_t batch_id = 0;
  int64_t batch_duration_ms = 0;
  bool no_data = false;  // Braid's.
  bool flush = false;    // Braid's: the last batch, watermark at infinity.
  int64_t num_input_rows = 0;
  double input_rows_per_second = 0;
  double processed_rows_per_second = 0;
  std::map<std::string, int64_t> duration_ms;

  // Of the row times of this batch; absent without rows.
  std::optional<EventTime> event_time_min;
  std::optional<EventTime> event_time_max;
  std::optional<EventTime> event_time_average;
  bool has_watermark = false;               // Some table has one.
  std::optional<Watermark> watermark;       // The batch ran with it; absent: unset.
  std::optional<Watermark> late_watermark;  // Braid's: rows at or below it were late.
  std::optional<Watermark> next_watermark;  // Braid's.

  std::optional<StateOperatorProgress> state;  // Joins only.
  std::vector<SourceProgress> sources;
  std::string sink_description;
  int64_t num_output_rows = 0;
  int64_t num_row_errors = 0;  // Braid's: rows dropped by execution.on-row-error = drop.
  // Braid's: rows of this batch in late-rows.table and in unmatched-rows.table; absent without one.
  std::optional<int64_t> num_late_rows_written;
  std::optional<int64_t> num_unmatched_rows_written;
};

}  // namespace braid
