// The settings of one job: SET 'key' = 'value' in the file, --set on the command line, a program's
// options. Later ones win. Every key is listed in docs/operations.md.
//
// Errors: kInvalidOption with the key, its place and the nearest known key; keys of Flink and Spark
// that mean something only there are accepted and listed once in `notes`.
// Thread rule: values.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "braid/option.h"
#include "braid/trigger.h"
#include "engine/microbatch/micro_batch_query.h"
#include "engine/microbatch/state_limits.h"
#include "engine/perrecord/record_order.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// What only the per-record mode asks for.
struct PerRecordSettings {
  RowTimeJoin row_time_join = RowTimeJoin::kSql;  // per-record.interval-join
  Interval allowed_lateness;                      // table.exec.interval-join.allowed-lateness
  Interval min_cleanup_interval;                  // table.exec.interval-join.min-cleanup-interval
  std::optional<Interval> state_ttl;              // table.exec.state.ttl; absent: for ever
  std::optional<Interleave> interleave;           // source.interleave; absent: by the inputs
  Interval checkpoint_interval = Seconds(1);      // execution.checkpointing.interval
};

struct Settings {
  std::string name;                       // pipeline.name
  int parallelism = 1;                    // parallelism
  Mode mode = Mode::kMicroBatch;          // execution.mode
  std::optional<Trigger> trigger;         // execution.trigger; absent: by the inputs
  std::optional<std::string> checkpoint;  // execution.checkpoint
  int retain_versions = 10;               // state.retain-versions
  std::optional<int64_t> memory_budget;   // state.memory.budget
  std::string spill_directory;            // state.spill-directory; empty: by the checkpoint
  StateLimits state_limits;               // state.max-rows, state.max-bytes, state.on-limit
  bool no_data_batches = true;            // execution.no-data-batches
  WatermarkPolicy watermark_policy = WatermarkPolicy::kMin;
  std::optional<EndOfInput> end_of_input;  // Absent: flush without a checkpoint, else hold.
  OnRowError on_row_error = OnRowError::kFail;
  std::optional<Interval> idle_timeout;  // table.exec.source.idle-timeout; absent: never
  Interval auto_watermark_interval = Milliseconds(200);  // pipeline.auto-watermark-interval
  PerRecordSettings per_record;
  std::string time_zone = "UTC";               // table.local-time-zone
  std::optional<Option> print_format;          // print.format, of a bare SELECT
  std::optional<Option> late_rows_table;       // late-rows.table: the name of a table
  std::optional<Option> unmatched_rows_table;  // unmatched-rows.table: likewise
  std::vector<std::string> warnings;           // Legal but unwise.
  std::vector<std::string> notes;              // Accepted, without effect here.
};

using SettingList = std::vector<std::pair<std::string, Option>>;

// Later entries of `settings` win over earlier ones of the same key, by whichever of its names.
Result<Settings> ReadSettings(const SettingList& settings);

// "once", "available-now", "asap", or a length of time such as "10 s" or "50 ms".
Result<Trigger> ParseTrigger(const std::string& text);

}  // namespace braid
