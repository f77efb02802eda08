#include "engine/session/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/connectors/file_location.h"
#include "engine/microbatch/micro_batch_query.h"
#include "engine/microbatch/query_identity.h"
#include "engine/perrecord/per_record_query.h"
#include "engine/plan/change_flow.h"
#include "engine/session/checkpoint_check.h"
#include "engine/session/file_table.h"
#include "engine/session/watermark_reader.h"
#include "engine/sql/name_match.h"
#include "engine/sql/parser.h"
#include "state/rows/check.h"
#include "state/rows/entry_bytes.h"

namespace braid {

namespace {

constexpr const char* kLateRowsTable = "late-rows.table";
constexpr const char* kUnmatchedRowsTable = "unmatched-rows.table";

}  // namespace

Job::~Job() = default;

Result<std::unique_ptr<Job>> Job::Prepare(std::string_view text, const JobOptions& options) {
  BRAID_CHECK(options.connectors != nullptr && options.clock != nullptr, "a job needs both");
  std::unique_ptr<Job> job(new Job());
  job->connectors_ = options.connectors;
  job->clock_ = options.clock;
  job->source_factories_ = options.sources;
  job->sink_factory_ = options.sink;
  job->report_sink_factories_ = options.report_sinks;
  job->late_rows_sink_factory_ = options.late_rows_sink;
  job->tells_event_time_ = options.tells_event_time;
  job->block_listener_ = options.block_listener;
  if (Status planned = job->PlanScript(text, options); !planned) {
    return tl::unexpected(planned.error());
  }
  return job;
}

Status Job::PlanScript(std::string_view text, const JobOptions& options) {
  ParseOptions parse_options;
  parse_options.file_name = options.file_name;
  parse_options.defines = options.defines;
  parse_options.replaces_defines = options.replaces_defines;
  parse_options.tables = options.tables;
  parse_options.file_table = [this](const std::string& path) {
    return MakeFileTable(path, *connectors_);
  };
  Result<Script> script = ParseScript(text, parse_options);
  if (!script) return tl::unexpected(script.error());
  script_ = std::move(*script);

  SettingList settings = options.defaults;
  settings.insert(settings.end(), script_.settings.begin(), script_.settings.end());
  settings.insert(settings.end(), options.settings.begin(), options.settings.end());
  Result<Settings> read = ReadSettings(settings);
  if (!read) return tl::unexpected(read.error());
  settings_ = std::move(*read);
  if (options.ignores_checkpoint) settings_.checkpoint.reset();
  if (options.trigger) {
    if (options.trigger->kind == Trigger::Kind::kInterval &&
        options.trigger->interval.micros <= 0) {
      return Fail(ErrorCode::kInvalidOption,
                  fmt::format("a trigger of {} microseconds: the interval must be above 0",
                              options.trigger->interval.micros));
    }
    settings_.trigger = options.trigger;
  }
  Result<std::shared_ptr<const TimeZone>> zone = TimeZone::Find(settings_.time_zone);
  if (!zone) return tl::unexpected(zone.error());
  zone_ = std::move(*zone);

  if (!script_.query) {
    Place place;
    place.file = options.file_name;
    return Fail(ErrorCode::kInvalidQuery,
                "the file holds no INSERT INTO … SELECT and no SELECT: there is nothing to run",
                place);
  }
  const Result<ReportTables> reports = FindReportTables();
  if (!reports) return tl::unexpected(reports.error());
  const RowTimeJoin row_time_join = settings_.per_record.row_time_join;
  Result<StreamPlan> plan =
      options.planner ? options.planner(*script_.query, settings_)
                      : MakeStreamPlan(*script_.query, settings_.mode, row_time_join, *reports);
  if (!plan) return tl::unexpected(plan.error());
  plan_ = std::make_shared<const StreamPlan>(std::move(*plan));
  if (Status checked = CheckReportTables(); !checked) return checked;

  for (const TablePtr& table : script_.file_tables) {
    guessed_tables_.push_back(GuessedTableText(*table));
  }
  warnings_ = script_.warnings;
  warnings_.insert(warnings_.end(), settings_.warnings.begin(), settings_.warnings.end());
  warnings_.insert(warnings_.end(), plan_->warnings.begin(), plan_->warnings.end());
  notes_ = settings_.notes;
  if (Status read_options = ReadTableWatermarks(); !read_options) return read_options;
  return CheckSourceNames();
}

Status Job::ReadTableWatermarks() {
  for (const InputPlan* input : inputs()) {
    Result<WatermarkOptions> read = ReadWatermarkOptions(*input->table, settings_, &notes_);
    if (!read) return tl::unexpected(read.error());
    watermark_options_.push_back(*read);
  }
  std::vector<TablePtr> written = {plan_->sink};
  if (plan_->late_rows) written.push_back(plan_->late_rows->table);
  if (plan_->unmatched_rows) written.push_back(plan_->unmatched_rows->table);
  // A table that is written may be read by other queries; here the options only must be right.
  for (const TablePtr& table : written) {
    if (table == nullptr) continue;
    const Result<WatermarkOptions> read = ReadWatermarkOptions(*table, settings_, nullptr);
    if (!read) return tl::unexpected(read.error());
  }
  return {};
}

std::vector<const InputPlan*> Job::inputs() const { return TableInputs(*plan_); }

// A table that the query writes or reads already would mix two kinds of rows.
Result<TablePtr> Job::FindReportTable(const char* key, const std::optional<Option>& name) const {
  if (!name) return nullptr;
  std::vector<std::string> names;
  for (const TablePtr& table : script_.tables) names.push_back(table->name);
  const std::vector<size_t> found = MatchName(name->value, names);
  if (found.empty()) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("{} = {}: no CREATE TABLE makes a table of that name{}", key,
                            name->value, SuggestName(name->value, names)),
                name->place);
  }
  if (found.size() > 1) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("{} = {} is ambiguous: it could be {} or {}", key, name->value,
                            names[found[0]], names[found[1]]),
                name->place);
  }
  const TablePtr& table = script_.tables[found[0]];
  if (table == script_.query->sink) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("{} = {}: the query's result goes there already", key, table->name),
                name->place);
  }
  return table;
}

Result<ReportTables> Job::FindReportTables() const {
  Result<TablePtr> late = FindReportTable(kLateRowsTable, settings_.late_rows_table);
  if (!late) return tl::unexpected(late.error());
  Result<TablePtr> unmatched = FindReportTable(kUnmatchedRowsTable, settings_.unmatched_rows_table);
  if (!unmatched) return tl::unexpected(unmatched.error());
  if (*late != nullptr && *late == *unmatched) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("{} and {} both name {}; name a table for each", kLateRowsTable,
                            kUnmatchedRowsTable, (*late)->name),
                settings_.unmatched_rows_table->place);
  }
  return ReportTables{std::move(*late), std::move(*unmatched)};
}

Status Job::CheckReportTables() const {
  const auto check = [this](const char* key, const std::optional<RowReport>& report,
                            const std::optional<Option>& name) -> Status {
    if (!report) return {};
    for (const InputPlan* input : inputs()) {
      if (input->table != report->table) continue;
      return Fail(ErrorCode::kInvalidOption,
                  fmt::format("{} = {}: the query reads that table", key, report->table->name),
                  name->place);
    }
    return {};
  };
  Status checked = check(kLateRowsTable, plan_->late_rows, settings_.late_rows_table);
  if (checked) {
    checked = check(kUnmatchedRowsTable, plan_->unmatched_rows, settings_.unmatched_rows_table);
  }
  if (!checked) return checked;
  const auto is_table = [](const std::optional<RowReport>& report, const std::string& name) {
    return report && report->table->name == name;
  };
  for (const auto& [name, factory] : report_sink_factories_) {
    if (is_table(plan_->late_rows, name) || is_table(plan_->unmatched_rows, name)) continue;
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("there is a sink for the table {}, but neither {} nor {} names it",
                            name, kLateRowsTable, kUnmatchedRowsTable));
  }
  return {};
}

// A source for a table that is not read is a slip of the pen, and its rows would be missed.
Status Job::CheckSourceNames() const {
  std::vector<std::string_view> read;
  for (const InputPlan* input : inputs()) read.push_back(input->table->name);
  for (const auto& [name, factory] : source_factories_) {
    if (std::find(read.begin(), read.end(), name) != read.end()) continue;
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("there is a source for the table {}, but the query reads {}", name,
                            fmt::join(read, " and ")));
  }
  return {};
}

std::string Job::Explain() const {
  std::string text;
  for (const std::vector<std::string>* warnings : {&script_.warnings, &settings_.warnings}) {
    for (const std::string& warning : *warnings) text += fmt::format("warning: {}\n", warning);
  }
  text += ExplainPlan(*plan_, settings_.mode);
  if (const std::shared_ptr<StateBudget> budget = MakeBudget()) {
    text += fmt::format(
        "State memory: rows take {} bytes at most (state.memory.budget), the rest goes to disk in "
        "'{}'; entries and heads, about {} bytes a row, stay in memory beside it\n",
        budget->bytes_max(), budget->folder(), kEntryBytes);
  }
  return text;
}

EndOfInput Job::end_of_input() const {
  const bool holds = settings_.checkpoint && settings_.mode == Mode::kMicroBatch;
  const EndOfInput by_checkpoint = holds ? EndOfInput::kHold : EndOfInput::kFlush;
  return settings_.end_of_input.value_or(by_checkpoint);
}

TableDefinition Job::PrintTable() const {
  TableDefinition table;
  table.name = "the result";
  for (const Field& field : plan_->output.fields) {
    ColumnDefinition& column = table.columns.emplace_back();
    column.name = field.name;
    column.type = field.type;
  }
  table.options["connector"] = {"print", {}};
  table.options["print.format"] = settings_.print_format.value_or(Option{"row", {}});
  // What a row changes needs a column, where the format shows it by none of its own.
  const std::string format = table.options["print.format"].value;
  if (format == "row" || format == "table" || !MayRetract(*plan_, source_changes_)) return table;
  std::string name = "op";
  while (plan_->output.IndexOf(name)) name += '_';
  table.options["changelog.column"] = {name, {}};
  return table;
}

TableDescription Job::Describe(const TableDefinition& table) const {
  TableDescription description;
  description.name = table.name;
  description.schema = table.physical_schema();
  for (const int column : table.physical_columns()) {
    const ColumnDefinition& definition = table.columns[static_cast<size_t>(column)];
    description.not_null.push_back(definition.not_null ? 1 : 0);
  }
  // How the watermark moves is the engine's affair: a connector would not know it.
  for (const auto& [name, option] : table.options) {
    if (!IsWatermarkOption(name)) description.options.emplace(name, option);
  }
  description.place = table.place;
  description.time_zone = settings_.time_zone;
  description.is_guessed = table.is_guessed;
  return description;
}

Result<std::unique_ptr<Source>> Job::MakeSource(const InputPlan& input) {
  const TableDescription table = Describe(*input.table);
  const std::vector<int> read_columns = input.ReadPositions();
  const auto factory = source_factories_.find(table.name);
  if (factory != source_factories_.end()) return factory->second(table, read_columns);
  const Result<const Connector*> connector = connectors_->Find(table);
  if (!connector) return tl::unexpected(connector.error());
  return (*connector)->NewSource(table, read_columns, &notes_);
}

Result<std::vector<std::unique_ptr<Source>>> Job::MakeSources() {
  std::vector<std::unique_ptr<Source>> sources;
  for (const InputPlan* input : inputs()) {
    Result<std::unique_ptr<Source>> source = MakeSource(*input);
    if (!source) return tl::unexpected(source.error());
    sources.push_back(std::move(*source));
  }
  return sources;
}

Result<std::unique_ptr<Sink>> Job::MakeConnectorSink(const TableDescription& table) {
  const Result<const Connector*> connector = connectors_->Find(table);
  if (!connector) return tl::unexpected(connector.error());
  return (*connector)->NewSink(table, &notes_);
}

Result<std::unique_ptr<Sink>> Job::MakeSink() {
  const TableDescription table = Describe(plan_->sink != nullptr ? *plan_->sink : PrintTable());
  return sink_factory_ ? sink_factory_(table) : MakeConnectorSink(table);
}

Result<std::unique_ptr<Sink>> Job::MakeReportSink(const RowReport& report) {
  const TableDescription table = Describe(*report.table);
  const bool is_late_rows = plan_->late_rows && &report == &*plan_->late_rows;
  if (is_late_rows && late_rows_sink_factory_) return late_rows_sink_factory_(table);
  const auto factory = report_sink_factories_.find(table.name);
  return factory != report_sink_factories_.end() ? factory->second(table)
                                                 : MakeConnectorSink(table);
}

Result<OutputSinks> Job::MakeSinks() {
  OutputSinks sinks;
  Result<std::unique_ptr<Sink>> result = MakeSink();
  if (!result) return tl::unexpected(result.error());
  sinks.result = std::move(*result);
  for (const auto& [report, sink] : {std::pair{&plan_->late_rows, &sinks.late_rows},
                                     std::pair{&plan_->unmatched_rows, &sinks.unmatched_rows}}) {
    if (!*report) continue;
    Result<std::unique_ptr<Sink>> made = MakeReportSink(**report);
    if (!made) return tl::unexpected(made.error());
    *sink = std::move(*made);
  }
  if (Status fine = RefuseSharedOutput(sinks); !fine) return tl::unexpected(fine.error());
  return sinks;
}

// Two tables in one folder would remove each other's files.
Status Job::RefuseSharedOutput(const OutputSinks& sinks) const {
  std::vector<const Sink*> writing;
  for (const auto* sink : {&sinks.result, &sinks.late_rows, &sinks.unmatched_rows}) {
    if (*sink == nullptr || (*sink)->location().empty()) continue;
    for (const Sink* other : writing) {
      if (other->location() != (*sink)->location()) continue;
      return Fail(ErrorCode::kInvalidOption,
                  fmt::format("{} and {} would write to one folder; give each its own",
                              other->description(), (*sink)->description()));
    }
    writing.push_back(sink->get());
  }
  return {};
}

Trigger Job::ChooseTrigger(const std::vector<std::unique_ptr<Source>>& sources) const {
  const bool per_record = settings_.mode == Mode::kPerRecord;
  // Record by record there are no triggers: it runs on, or up to what there is now.
  if (per_record && settings_.trigger) {
    const Trigger::Kind kind = settings_.trigger->kind;
    const bool ends = kind == Trigger::Kind::kOnce || kind == Trigger::Kind::kAvailableNow;
    return ends ? Trigger::AvailableNow() : Trigger::Asap();
  }
  if (settings_.trigger) return *settings_.trigger;
  const bool finite = std::all_of(sources.begin(), sources.end(),
                                  [](const auto& source) { return source->is_finite(); });
  return finite ? Trigger::AvailableNow() : Trigger::Asap();
}

// A query that reads what it writes would feed on itself: on its rows, or on the files of its
// checkpoint and its bad records.
Status Job::RefuseReadingOwnOutput(const Ends& ends) const {
  struct Written {
    std::string location;
    std::string what;
  };
  std::vector<Written> written;
  for (const auto* sink : {&ends.sinks.result, &ends.sinks.late_rows, &ends.sinks.unmatched_rows}) {
    if (*sink == nullptr) continue;
    written.push_back({(*sink)->location(), fmt::format("what {} writes", (*sink)->description())});
  }
  if (settings_.checkpoint) {
    for (const char* folder : {kStateFolder, kSourcesFolder}) {
      written.push_back({Location(*settings_.checkpoint + folder),
                         fmt::format("the checkpoint in '{}'", *settings_.checkpoint)});
    }
  }
  for (const std::unique_ptr<Source>& source : ends.sources) {
    written.push_back({source->bad_records_location(),
                       fmt::format("the bad records of {}", source->description())});
  }
  for (const std::unique_ptr<Source>& source : ends.sources) {
    for (const Written& own : written) {
      if (!ReadsWhatIsWritten(source->location(), own.location)) continue;
      return Fail(ErrorCode::kInvalidOption,
                  fmt::format("{} would read {}", source->description(), own.what),
                  plan_->sink != nullptr ? plan_->sink->place : Place());
    }
  }
  return {};
}

// A batch that a crash interrupts is run again from a checkpoint, with the same rows.
Status Job::RefuseUnrepeatable(const Ends& ends) const {
  if (!settings_.checkpoint) return {};
  for (const std::unique_ptr<Source>& source : ends.sources) {
    if (source->can_replay()) continue;
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("{} cannot be read again after a crash; run without a checkpoint, or "
                            "write the input to a file first",
                            source->description()));
  }
  return {};
}

// Rows that are taken back need joins and a sink that know them.
Status Job::RefuseChanges(const Ends& ends) const {
  if (Status fine = CheckChangeFlow(*plan_, source_changes_); !fine) return fine;
  if (settings_.mode == Mode::kMicroBatch || !MayRetract(*plan_, source_changes_)) return {};
  if (ends.sinks.result->takes_changes()) return {};
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("the result takes rows back (-U, -D), which {} cannot write. Name the "
                          "column that says what a row changes ('changelog.column' = 'op'), write "
                          "'format' = 'debezium-json', or bound the join in time so that its rows "
                          "are final",
                          ends.sinks.result->description()),
              plan_->sink != nullptr ? plan_->sink->place : Place());
}

Result<Job::Ends> Job::MakeEnds() {
  Ends ends;
  Result<std::vector<std::unique_ptr<Source>>> sources = MakeSources();
  if (!sources) return tl::unexpected(sources.error());
  source_changes_.clear();
  for (const std::unique_ptr<Source>& source : *sources) {
    source_changes_.push_back(source->gives_changes());
  }
  Result<OutputSinks> sinks = MakeSinks();
  if (!sinks) return tl::unexpected(sinks.error());
  ends.sources = std::move(*sources);
  ends.sinks = std::move(*sinks);
  if (Status fine = RefuseReadingOwnOutput(ends); !fine) return tl::unexpected(fine.error());
  if (Status fine = RefuseUnrepeatable(ends); !fine) return tl::unexpected(fine.error());
  if (Status fine = RefuseChanges(ends); !fine) return tl::unexpected(fine.error());
  return ends;
}

// What can be done about a damaged checkpoint. Output and input may be damaged, too.
Status Job::Advised(Status status) const {
  if (status || status.error().code != ErrorCode::kCorruption || !settings_.checkpoint ||
      status.error().message.find(*settings_.checkpoint) == std::string::npos) {
    return status;
  }
  status.error().message +=
      fmt::format(". `braid state {} --verify` says what is damaged and what can be done",
                  *settings_.checkpoint);
  return status;
}

Status Job::Open() { return Advised(OpenAll()); }

Status Job::OpenAll() {
  Result<Ends> ends = MakeEnds();
  if (!ends) return tl::unexpected(ends.error());
  if (!settings_.checkpoint) return OpenWith(std::move(*ends), nullptr);
  StoreOptions options;
  options.retain_versions = settings_.retain_versions;
  Result<std::unique_ptr<VersionedStore>> store =
      OpenLevelDbStore(*settings_.checkpoint, options, /*read_only=*/false);
  if (!store) return tl::unexpected(store.error());
  return OpenWith(std::move(*ends), std::move(*store));
}

Status Job::OpenWith(std::shared_ptr<VersionedStore> store) {
  Result<Ends> ends = MakeEnds();
  if (!ends) return tl::unexpected(ends.error());
  return OpenWith(std::move(*ends), std::move(store));
}

Status Job::OpenWith(Ends ends, std::shared_ptr<VersionedStore> store) {
  if (settings_.checkpoint) {
    const std::vector<std::string> names = TableNames(*plan_);
    for (size_t table = 0; table < ends.sources.size(); ++table) {
      ends.sources[table]->KeepIn(SourceFolder(*settings_.checkpoint, names[table]));
    }
  }
  trigger_ = ChooseTrigger(ends.sources);

  store_ = store;
  if (store == nullptr) store = NewMemoryStore({});
  Status made = settings_.mode == Mode::kPerRecord
                    ? MakePerRecordQuery(std::move(ends), std::move(store))
                    : MakeMicroBatchQuery(std::move(ends), std::move(store));
  if (!made) return made;
  const std::lock_guard lock(mutex_);
  loop_ = std::make_unique<TriggerLoop>(query_.get(), clock_, trigger_);
  if (is_abandoned_) query_->Abandon();
  if (stop_requested_) loop_->Stop();
  return {};
}

Status Job::MakeMicroBatchQuery(Ends ends, std::shared_ptr<VersionedStore> store) {
  MicroBatchOptions options;
  options.name = settings_.name;
  options.parallelism = settings_.parallelism;
  options.no_data_batches = settings_.no_data_batches;
  options.watermark_policy = settings_.watermark_policy;
  options.watermarks = watermark_options_;
  options.end_of_input = end_of_input();
  options.on_row_error = settings_.on_row_error;
  options.durable = is_durable();
  options.retain_versions = settings_.retain_versions;
  options.checkpoint = settings_.checkpoint.value_or("");
  options.zone = zone_.get();
  options.until_latest = until_latest();
  options.state_limits = settings_.state_limits;
  options.state_budget = MakeBudget();
  options.plans_ahead =
      trigger_.kind == Trigger::Kind::kAvailableNow || trigger_.kind == Trigger::Kind::kAsap;
  Result<std::unique_ptr<MicroBatchQuery>> query = MicroBatchQuery::Create(
      plan_, std::move(ends.sources), std::move(ends.sinks), std::move(store), clock_, options);
  if (!query) return tl::unexpected(query.error());
  query_ = std::move(*query);
  return {};
}

std::shared_ptr<StateBudget> Job::MakeBudget() const {
  if (!settings_.memory_budget) return nullptr;
  std::string folder = settings_.spill_directory;
  if (folder.empty() && settings_.checkpoint) folder = *settings_.checkpoint;
  if (folder.empty()) {
    std::error_code none;
    folder = std::filesystem::temp_directory_path(none);
    if (none) folder = "/tmp";
  }
  return std::make_shared<StateBudget>(*settings_.memory_budget, std::move(folder));
}

PerRecordOptions Job::per_record_options() const {
  const PerRecordSettings& settings = settings_.per_record;
  const auto millis = [](Interval interval) { return interval.micros / 1'000; };
  PerRecordOptions options;
  options.allowed_lateness_ms = millis(settings.allowed_lateness);
  options.min_cleanup_interval_ms = millis(settings.min_cleanup_interval);
  if (settings.state_ttl) options.state_ttl_ms = millis(*settings.state_ttl);
  options.on_error = settings_.on_row_error;
  options.zone = zone_.get();
  options.budget = MakeBudget();
  return options;
}

Status Job::MakePerRecordQuery(Ends ends, std::shared_ptr<VersionedStore> store) {
  const PerRecordSettings& settings = settings_.per_record;
  PerRecordQueryOptions options;
  options.name = settings_.name;
  options.join = per_record_options();
  options.join.durable = is_durable();
  options.retain_versions = settings_.retain_versions;
  options.checkpoint = settings_.checkpoint.value_or("");
  options.interleave = settings.interleave;
  options.checkpoint_interval = settings.checkpoint_interval;
  options.end_of_input = end_of_input();
  options.until_latest = until_latest();
  options.state_limits = settings_.state_limits;
  options.tables = watermark_options_;
  options.tells_event_time = tells_event_time_;
  Result<std::unique_ptr<PerRecordQuery>> query = PerRecordQuery::Create(
      plan_, std::move(ends.sources), std::move(ends.sinks), std::move(store), clock_, options);
  if (!query) return tl::unexpected(query.error());
  (*query)->SetBlockListener(block_listener_);
  query_ = std::move(*query);
  return {};
}

// Whether sources are to give only what there is at the start. Finite inputs, for which it is the
// default, end by themselves.
bool Job::until_latest() const {
  return settings_.trigger && trigger_.kind == Trigger::Kind::kAvailableNow;
}

Status Job::Run() {
  Status run = loop_->Run();
  // What is left open is part of the batch that nobody wants.
  if (is_abandoned() && (run || run.error().code == ErrorCode::kCancelled)) return {};
  if (!run) return Advised(std::move(run));
  return query_->Finish();
}

void Job::Stop() {
  const std::lock_guard lock(mutex_);
  stop_requested_ = true;
  if (loop_ != nullptr) loop_->Stop();
}

void Job::Abandon() {
  if (abandon_listener_) abandon_listener_();
  const std::lock_guard lock(mutex_);
  stop_requested_ = is_abandoned_ = true;
  if (loop_ == nullptr) return;
  query_->Abandon();
  loop_->Stop();
}

bool Job::is_abandoned() const {
  const std::lock_guard lock(mutex_);
  return is_abandoned_;
}

bool Job::stop_requested() const {
  const std::lock_guard lock(mutex_);
  return stop_requested_;
}

}  // namespace braid
