#include "engine/session/settings.h"

#include <fmt/format.h>

#include "engine/connectors/option_reader.h"
#include "engine/connectors/table_option.h"
#include "engine/session/timeout_option.h"
#include "state/rows/limits.h"

namespace braid {

namespace {

constexpr int64_t kMemoryBudgetMin = 64 << 10;

// Keys that a job file for Flink or Spark may hold and that change nothing here.
constexpr std::string_view kWithoutEffect[] = {
    "execution.runtime-mode",
    "execution.checkpointing.*",
    "state.backend",
    "state.backend.*",
    "pipeline.*",
    "table.exec.*",
    "table.optimizer.*",
    "table.dml-sync",
    "table.plan.*",
    "sql-client.*",
    "restart-strategy",
    "restart-strategy.*",
    "spark.sql.streaming.stateStore.*",
    "spark.sql.streaming.metricsEnabled",
    "spark.sql.adaptive.*",
};

constexpr const char* kAutoWatermarkInterval = "pipeline.auto-watermark-interval";

struct Alias {
  std::string_view alias;
  std::string_view key;
};

constexpr Alias kAliases[] = {
    {"parallelism.default", "parallelism"},
    {"spark.sql.shuffle.partitions", "parallelism"},
    {"spark.sql.streaming.noDataMicroBatches.enabled", "execution.no-data-batches"},
    {"spark.sql.streaming.multipleWatermarkPolicy", "execution.multiple-watermark-policy"},
    {"spark.sql.streaming.minBatchesToRetain", "state.retain-versions"},
    {"spark.sql.session.timeZone", "table.local-time-zone"},
    {"execution.checkpointing.dir", "execution.checkpoint"},
    {"state.checkpoints.dir", "execution.checkpoint"},
};

std::string_view KeyOf(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.alias == name) return alias.key;
  }
  return name;
}

// The last entry of each key, under the name that entry gave it.
Options LastOfEachKey(const SettingList& list) {
  Options options;
  for (const auto& [name, option] : list) {
    const std::string_view key = KeyOf(name);
    std::erase_if(options, [key](const auto& earlier) { return KeyOf(earlier.first) == key; });
    options.emplace(name, option);
  }
  return options;
}

// Of the settings with these names, those that were given have no effect in micro-batch mode.
constexpr std::string_view kOnlyPerRecord[] = {
    kAutoWatermarkInterval,
    "per-record.interval-join",
    "table.exec.interval-join.allowed-lateness",
    "table.exec.interval-join.min-cleanup-interval",
    "table.exec.state.ttl",
    "source.interleave",
    "execution.checkpointing.interval",
};

// The same the other way round.
constexpr std::string_view kOnlyMicroBatch[] = {
    "execution.no-data-batches",
    "execution.multiple-watermark-policy",
};

StateLimits ReadStateLimits(OptionReader* reader) {
  StateLimits limits;
  if (reader->Has("state.max-rows")) limits.rows_max = reader->Integer("state.max-rows", 1, 1);
  if (reader->Has("state.max-bytes")) limits.bytes_max = reader->Size("state.max-bytes", 1);
  limits.on_limit =
      reader->Choice("state.on-limit", limits.on_limit,
                     {{"fail", OnStateLimit::kFail}, {"pause", OnStateLimit::kPause}});
  if (reader->Has("state.on-limit") && !limits.any()) {
    reader->Refuse("state.on-limit", "there is no limit: set state.max-rows or state.max-bytes");
  }
  return limits;
}

PerRecordSettings ReadPerRecordSettings(OptionReader* reader) {
  PerRecordSettings settings;
  settings.row_time_join =
      reader->Choice("per-record.interval-join", settings.row_time_join,
                     {{"sql", RowTimeJoin::kSql}, {"datastream", RowTimeJoin::kDataStream}});
  settings.allowed_lateness =
      ReadTimeout(reader, "table.exec.interval-join.allowed-lateness").value_or(Interval{0});
  settings.min_cleanup_interval =
      ReadTimeout(reader, "table.exec.interval-join.min-cleanup-interval").value_or(Interval{0});
  settings.state_ttl = ReadTimeout(reader, "table.exec.state.ttl");
  if (reader->Has("source.interleave")) {
    settings.interleave = reader->Choice("source.interleave", Interleave::kEventTime,
                                         {{"event-time", Interleave::kEventTime},
                                          {"round-robin", Interleave::kRoundRobin},
                                          {"left-first", Interleave::kLeftFirst},
                                          {"arrival", Interleave::kArrival}});
  }
  settings.checkpoint_interval =
      reader->Duration("execution.checkpointing.interval", settings.checkpoint_interval);
  return settings;
}

// Tells of settings that the mode does not look at.
void NoteOtherMode(const Options& options, Settings* settings) {
  if (settings->mode == Mode::kPerRecord) {
    for (const std::string_view name : kOnlyMicroBatch) {
      if (!options.contains(name)) continue;
      settings->notes.push_back(
          fmt::format("SET: accepted, but without effect in per-record mode: '{}'", name));
    }
    if (settings->parallelism > 1) {
      settings->notes.push_back(
          "SET: accepted, but without effect in per-record mode, which runs on one partition: "
          "'parallelism'");
    }
    return;
  }
  for (const std::string_view name : kOnlyPerRecord) {
    if (!options.contains(name)) continue;
    settings->notes.push_back(
        fmt::format("SET: accepted, but without effect in micro-batch mode: '{}'", name));
  }
}

Status RefuseTableOptions(const Options& options) {
  for (const auto& [name, option] : options) {
    if (!IsTableOption(name)) continue;
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("{}'{}' is an option of a table; it stands in the WITH (…) of its "
                            "CREATE TABLE",
                            SubjectAt(option.place, "SET"), name),
                option.place);
  }
  return {};
}

}  // namespace

Result<Trigger> ParseTrigger(const std::string& text) {
  if (text == "once") return Trigger::Once();
  if (text == "available-now") return Trigger::AvailableNow();
  if (text == "asap") return Trigger::Asap();
  // A bare number would be milliseconds, as in Flink's options; here nobody means that.
  const bool has_unit = text.find_first_not_of("0123456789. ") != std::string::npos;
  const std::optional<Interval> interval = has_unit ? ParseDuration(text) : std::nullopt;
  if (!interval || interval->micros <= 0) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("'{}' is no trigger: write once, available-now, asap, or a length of "
                            "time with its unit, such as '10 s' or '50 ms'",
                            text));
  }
  return Trigger{Trigger::Kind::kInterval, *interval};
}

Result<Settings> ReadSettings(const SettingList& list) {
  const Options options = LastOfEachKey(list);
  Settings settings;
  if (Status status = RefuseTableOptions(options); !status) return tl::unexpected(status.error());
  OptionReader reader(options, "SET", {});
  for (const Alias& alias : kAliases) reader.Alias(alias.alias, alias.key);
  settings.name = reader.Text("pipeline.name", "");
  settings.parallelism =
      static_cast<int>(reader.Integer("parallelism", settings.parallelism, 1, kParallelismMax));
  settings.mode =
      reader.Choice("execution.mode", settings.mode,
                    {{"micro-batch", Mode::kMicroBatch}, {"per-record", Mode::kPerRecord}});
  settings.checkpoint = reader.OptionalText("execution.checkpoint");
  if (settings.checkpoint && settings.checkpoint->empty()) {
    reader.Refuse("execution.checkpoint", "the checkpoint directory has no name");
  }
  settings.retain_versions = static_cast<int>(
      reader.Integer("state.retain-versions", settings.retain_versions, 1, kRetainVersionsMax));
  if (reader.Has("state.memory.budget")) {
    settings.memory_budget = reader.Size("state.memory.budget", kMemoryBudgetMin, kMemoryBudgetMin);
  }
  settings.spill_directory = reader.Text("state.spill-directory", "");
  settings.state_limits = ReadStateLimits(&reader);
  settings.no_data_batches = reader.Boolean("execution.no-data-batches", settings.no_data_batches);
  settings.watermark_policy =
      reader.Choice("execution.multiple-watermark-policy", settings.watermark_policy,
                    {{"min", WatermarkPolicy::kMin}, {"max", WatermarkPolicy::kMax}});
  if (reader.Has("execution.end-of-input")) {
    settings.end_of_input =
        reader.Choice("execution.end-of-input", EndOfInput::kFlush,
                      {{"flush", EndOfInput::kFlush}, {"hold", EndOfInput::kHold}});
  }
  settings.on_row_error = reader.Choice("execution.on-row-error", settings.on_row_error,
                                        {{"fail", OnRowError::kFail}, {"drop", OnRowError::kDrop}});
  if (const std::optional<std::string> format = reader.OptionalText("print.format")) {
    settings.print_format = Option{*format, reader.PlaceOf("print.format")};
  }
  settings.idle_timeout = ReadTimeout(&reader, "table.exec.source.idle-timeout");
  settings.auto_watermark_interval =
      reader.Duration(kAutoWatermarkInterval, settings.auto_watermark_interval);
  for (const auto& [key, table] :
       {std::pair{"late-rows.table", &settings.late_rows_table},
        std::pair{"unmatched-rows.table", &settings.unmatched_rows_table}}) {
    const std::optional<std::string> name = reader.OptionalText(key);
    if (name) *table = Option{*name, reader.PlaceOf(key)};
  }
  settings.per_record = ReadPerRecordSettings(&reader);
  settings.time_zone = reader.Text("table.local-time-zone", settings.time_zone);
  if (const std::optional<std::string> text = reader.OptionalText("execution.trigger")) {
    const Result<Trigger> trigger = ParseTrigger(*text);
    if (trigger) {
      settings.trigger = *trigger;
    } else {
      reader.Refuse("execution.trigger", trigger.error().message);
    }
  }
  for (const std::string_view pattern : kWithoutEffect) reader.AcceptWithoutEffect(pattern);
  if (Status status = reader.Finish(&settings.notes); !status) {
    return tl::unexpected(status.error());
  }
  NoteOtherMode(options, &settings);
  const bool uses_policy = settings.mode == Mode::kMicroBatch;
  if (uses_policy && settings.watermark_policy == WatermarkPolicy::kMax) {
    settings.warnings.push_back(
        "execution.multiple-watermark-policy = max: rows of the table that is behind are dropped "
        "as "
        "late; write SET 'execution.multiple-watermark-policy' = 'min' to keep them");
  }
  return settings;
}

}  // namespace braid
