#include "engine/session/watermark_reader.h"

#include <fmt/format.h>

#include <optional>

#include "engine/connectors/option_reader.h"
#include "engine/session/timeout_option.h"

namespace braid {

namespace {

constexpr std::string_view kPrefix = "scan.watermark.";
constexpr std::string_view kStrategy = "scan.watermark.emit.strategy";
constexpr std::string_view kPeriodicRecords = "scan.watermark.emit.periodic-records";
constexpr std::string_view kIdleTimeout = "scan.watermark.idle-timeout";
constexpr std::string_view kMaxAhead = "scan.watermark.max-ahead";

Options WatermarkOptionsOf(const TableDefinition& table) {
  Options options;
  for (const auto& [name, option] : table.options) {
    if (IsWatermarkOption(name)) options.emplace(name, option);
  }
  return options;
}

// The column that a missing WATERMARK would most likely be for.
std::string TimeColumnOf(const TableDefinition& table) {
  for (const ColumnDefinition& column : table.columns) {
    if (column.type.is_timestamp()) return column.name;
  }
  return "ts";
}

Error NeedsWatermark(const TableDefinition& table, const std::string& name, const Option& option) {
  const std::string column = TimeColumnOf(table);
  return {ErrorCode::kInvalidOption,
          fmt::format("table {}: '{}' says how a watermark moves, and the table has none; add "
                      "WATERMARK FOR {} AS {} - INTERVAL '5' SECOND, or leave the option out",
                      table.name, name, column, column),
          option.place.known() ? option.place : table.place};
}

// Micro-batch mode computes a watermark once a batch, whatever the strategy.
void NoteIdleStrategy(const TableDefinition& table, const Options& options,
                      std::vector<std::string>* notes) {
  std::vector<std::string> given;
  for (const std::string_view name : {kStrategy, kPeriodicRecords}) {
    if (options.contains(name)) given.push_back(fmt::format("'{}'", name));
  }
  if (given.empty() || notes == nullptr) return;
  notes->push_back(
      fmt::format("table {}: accepted, but without effect in micro-batch mode, where a batch "
                  "computes the watermark once: {}",
                  table.name, fmt::join(given, ", ")));
}

}  // namespace

bool IsWatermarkOption(std::string_view name) { return name.starts_with(kPrefix); }

Result<WatermarkOptions> ReadWatermarkOptions(const TableDefinition& table,
                                              const Settings& settings,
                                              std::vector<std::string>* notes) {
  const Options options = WatermarkOptionsOf(table);
  if (!table.watermark && !options.empty()) {
    return tl::unexpected(NeedsWatermark(table, options.begin()->first, options.begin()->second));
  }
  WatermarkOptions read;
  OptionReader reader(options, "table " + table.name, table.place);
  read.periodic =
      reader.Choice(kStrategy, read.periodic, {{"on-event", false}, {"on-periodic", true}});
  read.periodic_interval = settings.auto_watermark_interval;
  if (reader.Has(kPeriodicRecords) && !read.periodic) {
    reader.Refuse(kPeriodicRecords, fmt::format("'{}' counts only with '{}' = 'on-periodic'",
                                                kPeriodicRecords, kStrategy));
  }
  read.periodic_records = reader.Integer(kPeriodicRecords, read.periodic_records, 1);
  // The table's own wins, also where it says 0: never.
  read.idle_timeout =
      reader.Has(kIdleTimeout) ? ReadTimeout(&reader, kIdleTimeout) : settings.idle_timeout;
  read.max_ahead = reader.OptionalDuration(kMaxAhead);
  reader.AcceptWithoutEffect("scan.watermark.alignment.*");
  if (Status status = reader.Finish(notes); !status) return tl::unexpected(status.error());
  if (settings.mode == Mode::kMicroBatch) NoteIdleStrategy(table, options, notes);
  return read;
}

}  // namespace braid
