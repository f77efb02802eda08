#include "tests/reports/text_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "braid/column_builder.h"
#include "state/rows/check.h"

namespace braid::testing {

namespace {

constexpr const char* kTables[] = {"l", "r"};

// Fails from a given call on, as a disk does that is full.
class CountedSink final : public Sink {
 public:
  CountedSink(std::unique_ptr<Sink> sink, int calls_max)
      : sink_(std::move(sink)), calls_left_(calls_max) {}
  std::string description() const override { return sink_->description(); }
  bool takes_changes() const override { return sink_->takes_changes(); }
  Status Open(const SinkContext& context) override { return sink_->Open(context); }
  Status BeginBatch(int64_t batch_id) override {
    return MayCall() ? sink_->BeginBatch(batch_id) : Failure();
  }
  Status Write(int partition, const RowBatch& rows) override {
    return MayCall() ? sink_->Write(partition, rows) : Failure();
  }
  Status PublishBatch(int64_t batch_id) override {
    if (!MayCall()) return Failure();
    Status published = sink_->PublishBatch(batch_id);
    // The crash after the rows are out, before the commit.
    return MayCall() ? published : Failure();
  }

 private:
  bool MayCall() { return calls_left_ < 0 || (calls_left_ > 0 && calls_left_-- > 0); }
  static Status Failure() { return Fail(ErrorCode::kIo, "the sink has failed"); }

  std::unique_ptr<Sink> sink_;
  int calls_left_;
};

class TextConnector final : public Connector {
 public:
  TextConnector(std::vector<std::shared_ptr<MemoryStream>> streams,
                std::shared_ptr<MemoryResult> result,
                std::map<std::string, std::shared_ptr<MemoryResult>> more_results,
                int sink_calls_max)
      : streams_(std::move(streams)),
        result_(std::move(result)),
        more_results_(std::move(more_results)),
        sink_calls_max_(sink_calls_max) {}
  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>*) const override {
    const size_t index = table.name == kTables[0] ? 0 : 1;
    return std::make_unique<MemorySource>(table.name, streams_[index], read_columns);
  }
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>*) const override {
    if (const auto more = more_results_.find(table.name); more != more_results_.end()) {
      return std::make_unique<MemorySink>(table.name, more->second);
    }
    return std::make_unique<CountedSink>(std::make_unique<MemorySink>(table.name, result_),
                                         sink_calls_max_);
  }

 private:
  std::vector<std::shared_ptr<MemoryStream>> streams_;
  std::shared_ptr<MemoryResult> result_;
  std::map<std::string, std::shared_ptr<MemoryResult>> more_results_;
  int sink_calls_max_;
};

std::string ScriptOf(const QueryText& text) {
  std::string script =
      "SET 'execution.trigger' = 'asap';\nSET 'execution.end-of-input' = 'hold';\n";
  for (const auto& [key, value] : text.settings) {
    script += fmt::format("SET '{}' = '{}';\n", key, value);
  }
  return script + fmt::format(
                      "CREATE TABLE l ({}) WITH ('connector' = 'memory'{});\nCREATE TABLE r ({}) "
                      "WITH ('connector' = 'memory'{});\n{}{};\n",
                      text.left, text.left_options, text.right, text.right_options,
                      text.more_tables, text.select);
}

// "nan:7" is a NaN with other bits than the usual one.
double FloatingOf(const std::string& text) {
  if (text.rfind("nan:", 0) != 0) return std::strtod(text.c_str(), nullptr);
  constexpr uint64_t kNan = 0xfff8'0000'0000'0000;
  return std::bit_cast<double>(kNan | std::strtoull(text.c_str() + 4, nullptr, 10));
}

Value CellOf(const std::string& text, const DataType& type) {
  if (text == "-") return Value::Null(type);
  if (type.is_timestamp()) {
    return {type, static_cast<int64_t>(std::llround(std::strtod(text.c_str(), nullptr) * 1e6))};
  }
  if (type.kind == TypeKind::kBoolean) return {type, int64_t{text == "true"}};
  if (type.is_floating()) return {type, FloatingOf(text)};
  if (type.is_variable_width()) return {type, text};
  return {type, static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 10))};
}

std::string TextOf(const Value& value) {
  if (value.is_null()) return "-";
  if (value.type.is_timestamp())
    return fmt::format("{}", static_cast<double>(value.integer()) / 1e6);
  if (value.type.is_floating()) {
    return std::isnan(value.floating()) ? "nan" : fmt::format("{}", value.floating());
  }
  if (value.type.is_variable_width()) return value.text();
  return fmt::format("{}", value.integer());
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) {
    if (part.find_first_not_of(' ') != std::string::npos) parts.push_back(part);
  }
  return parts;
}

RowBatch RowsOf(const std::string& text, const std::shared_ptr<const Schema>& schema) {
  std::vector<ColumnBuilder> builders;
  for (const Field& field : schema->fields) builders.emplace_back(field.type);
  int64_t count = 0;
  std::vector<ChangeKind> kinds;
  for (const std::string& row : Split(text, ',')) {
    std::vector<std::string> cells = Split(row, ' ');
    const std::optional<ChangeKind> kind = ParseChangeKind(cells[0]);
    kinds.push_back(kind.value_or(ChangeKind::kInsert));
    if (kind) cells.erase(cells.begin());
    BRAID_CHECK(cells.size() <= builders.size(), "a row has more cells than the table columns");
    for (size_t column = 0; column < builders.size(); ++column) {
      // Columns that a row does not give are NULL.
      const std::string cell = column < cells.size() ? cells[column] : "-";
      builders[column].AppendValue(CellOf(cell, builders[column].type()));
    }
    ++count;
  }
  std::vector<Column> columns;
  for (ColumnBuilder& builder : builders) columns.push_back(builder.Finish());
  const bool only_insertions = std::all_of(
      kinds.begin(), kinds.end(), [](ChangeKind kind) { return kind == ChangeKind::kInsert; });
  if (only_insertions) return RowBatch(schema, std::move(columns), count);
  return RowBatch(schema, std::move(columns), std::move(kinds));
}

// Rows as text. A row without any value never comes out of a join (report W23).
std::vector<std::string> RowTexts(const std::vector<RowBatch>& batches) {
  std::vector<std::string> rows;
  for (const RowBatch& batch : batches) {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::string text;
      bool all_null = true;
      for (const Column& column : batch.columns()) {
        const Value value = ValueAt(column, row);
        all_null = all_null && value.is_null();
        text += (text.empty() ? "" : " ") + TextOf(value);
      }
      if (all_null) text = "A ROW OF NULLS";
      const ChangeKind kind = batch.change_kind(row);
      rows.push_back(kind == ChangeKind::kInsert ? text : ChangeKindText(kind) + (" " + text));
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

Result<std::unique_ptr<Job>> PrepareAlone(const QueryText& text, Clock* clock) {
  ConnectorRegistry connectors;
  JobOptions options;
  options.connectors = &connectors;
  options.clock = clock;
  return Job::Prepare(ScriptOf(text), options);
}

}  // namespace

TextQuery::TextQuery(QueryText text) : text_(std::move(text)) {}

TextQuery::~TextQuery() = default;

Status TextQuery::Prepare() {
  connectors_ = ConnectorRegistry();
  const auto connector =
      std::make_shared<TextConnector>(streams_, result_, more_results_, text_.sink_calls_max);
  connectors_.Add("memory", connector);
  connectors_.Add("print", connector);
  JobOptions options;
  options.connectors = &connectors_;
  options.clock = &clock_;
  Result<std::unique_ptr<Job>> job = Job::Prepare(ScriptOf(text_), options);
  if (!job) return tl::unexpected(job.error());
  job_ = std::move(*job);
  return {};
}

void TextQuery::MakeStreams() {
  const auto kind = text_.is_live ? MemoryStream::Kind::kInfinite : MemoryStream::Kind::kFinite;
  const auto content =
      text_.gives_changes ? MemoryStream::Content::kChangelog : MemoryStream::Content::kInsertions;
  for (const char* name : kTables) {
    Schema schema;
    for (const TablePtr& table : job_->script_tables()) {
      if (table->name == name) schema = table->physical_schema();
    }
    streams_.push_back(std::make_shared<MemoryStream>(schema, kind, content));
  }
  for (const TablePtr& table : job_->script_tables()) {
    if (table->name == kTables[0] || table->name == kTables[1]) continue;
    more_results_[table->name] = std::make_shared<MemoryResult>();
  }
}

Status TextQuery::Start() {
  started_ = true;
  if (Status prepared = Prepare(); !prepared) return prepared;
  if (streams_.empty()) {
    MakeStreams();
    // The connector holds the streams now.
    if (Status prepared = Prepare(); !prepared) return prepared;
  }
  if (text_.on_disk) {
    store_.reset();
    Result<std::unique_ptr<VersionedStore>> store =
        OpenLevelDbStore(directory_.path(), {text_.retain_versions}, /*read_only=*/false);
    if (!store) return tl::unexpected(store.error());
    store_ = std::move(*store);
  } else if (store_ == nullptr) {
    store_ = NewMemoryStore({text_.retain_versions});
  }
  if (Status opened = job_->OpenWith(store_); !opened) return opened;
  job_->running().SetProgressListener([this](const BatchProgress& progress) {
    progress_.push_back(progress);
    if (listener_) listener_();
  });
  return {};
}

Status TextQuery::Restart(QueryText text) {
  job_.reset();
  text_ = std::move(text);
  failure_ = Start();
  if (failure_) failure_ = job_->running().Start();
  return failure_;
}

void TextQuery::Push(const std::string& rows) {
  if (!started_) {
    failure_ = Start();
    if (failure_) failure_ = job_->running().Start();
  }
  if (streams_.empty()) return;
  for (const std::string& part : Split(rows, '|')) {
    const std::vector<std::string> halves = Split(part, ':');
    const size_t colon = part.find(':');
    const std::string name = Split(halves[0], ' ')[0];
    const std::shared_ptr<MemoryStream>& stream = streams_[name == kTables[0] ? 0 : 1];
    const Status pushed = stream->Push(RowsOf(part.substr(colon + 1), stream->shared_schema()));
    if (!pushed) failure_ = pushed;
  }
}

std::string TextQuery::Trigger() {
  const size_t first = progress_.size();
  Push("");
  if (!failure_) return "error: " + failure_.error().ToString();
  const Status ran = RunSteps();
  return ran ? BatchesSince(first) : "error: " + ran.error().ToString();
}

// One trigger; record by record all that is there, up to a checkpoint.
Status TextQuery::RunSteps() {
  while (true) {
    const Result<TriggeredQuery::Ran> ran = job_->running().RunTrigger();
    if (!ran) return tl::unexpected(ran.error());
    if (!text_.per_record) return {};
    if (*ran != TriggeredQuery::Ran::kBatches) return job_->running().Settle();
  }
}

std::string TextQuery::Run() {
  const size_t first = progress_.size();
  job_.reset();
  Status status = Start();
  if (status) status = job_->Run();
  return status ? BatchesSince(first) : "error: " + status.error().ToString();
}

void TextQuery::EndInput() {
  Push("");
  for (const std::shared_ptr<MemoryStream>& stream : streams_) stream->End();
}

void TextQuery::EndInput(const std::string& table) {
  Push("");
  streams_[table == kTables[0] ? 0 : 1]->End();
}

std::string TextQuery::BatchesSince(size_t first) const {
  std::string text;
  for (size_t index = first; index < progress_.size(); ++index) {
    const BatchProgress& batch = progress_[index];
    const std::string rows =
        fmt::format("{}", fmt::join(RowTexts(result_->Batch(batch.batch_id)), ", "));
    std::string mark = batch.flush ? "!" : batch.no_data ? "*" : "";
    if (!mark.empty() && !rows.empty()) mark += " ";
    text += (index == first ? "" : " / ") + mark + rows;
  }
  return text;
}

std::string TextQuery::AllRows() const {
  return fmt::format("{}", fmt::join(RowTexts(result_->Rows()), ", "));
}

std::string TextQuery::AllRows(const std::string& table) const {
  return fmt::format("{}", fmt::join(RowTexts(more_results_.at(table)->Rows()), ", "));
}

int64_t TextQuery::late_rows() const {
  int64_t rows = 0;
  for (const BatchProgress& batch : progress_) rows += batch.state->num_rows_dropped_by_watermark;
  return rows;
}

int64_t TextQuery::removed_rows() const {
  int64_t rows = 0;
  for (const BatchProgress& batch : progress_) rows += batch.state->num_rows_removed;
  return rows;
}

QueryText PerRecord(QueryText text) {
  text.per_record = true;
  text.settings.insert(text.settings.begin(), {{"execution.mode", "per-record"},
                                               {"execution.checkpointing.interval", "1000 h"}});
  return text;
}

std::string RefusalOf(const QueryText& text) {
  ManualClock clock;
  const Result<std::unique_ptr<Job>> job = PrepareAlone(text, &clock);
  return job ? "" : job.error().ToString();
}

std::string WarningsOf(const QueryText& text) {
  ManualClock clock;
  const Result<std::unique_ptr<Job>> job = PrepareAlone(text, &clock);
  return job ? fmt::format("{}", fmt::join((*job)->warnings(), "\n"))
             : "error: " + job.error().ToString();
}

std::string RangeJoin(const std::string& type, int seconds, const std::string& more) {
  const bool left_alone = type == "LEFT SEMI" || type == "LEFT ANTI";
  return fmt::format(
      "SELECT l.k, l.ts{} FROM l {} JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL "
      "'{}' SECOND{}",
      left_alone ? "" : ", r.ts", type, seconds, more);
}

}  // namespace braid::testing
