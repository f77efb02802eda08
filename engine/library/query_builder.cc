#include "braid/query_builder.h"

#include <fmt/format.h>

#include <utility>

#include "engine/connectors/memory.h"
#include "engine/library/batch_function_sink.h"
#include "engine/library/guarded_sink.h"
#include "engine/library/guarded_source.h"
#include "engine/library/push_query_state.h"
#include "engine/library/query_description.h"
#include "engine/library/query_run.h"
#include "engine/library/sql_text.h"

namespace braid {

namespace {

SinkFactory SinkInto(std::shared_ptr<MemoryResult> result) {
  return [result = std::move(result)](
             const TableDescription& table) -> Result<std::unique_ptr<braid::Sink>> {
    if (result == nullptr) {
      return Fail(ErrorCode::kInvalidOption, "the result in memory is null", table.place);
    }
    return std::make_unique<MemorySink>(table.name, result);
  };
}

}  // namespace

QueryBuilder::QueryBuilder(std::unique_ptr<QueryDescription> description)
    : description_(std::move(description)) {}
QueryBuilder::QueryBuilder(const QueryBuilder& other)
    : description_(std::make_unique<QueryDescription>(*other.description_)) {}
QueryBuilder::QueryBuilder(QueryBuilder&& other) noexcept = default;
QueryBuilder& QueryBuilder::operator=(const QueryBuilder& other) {
  if (this != &other) description_ = std::make_unique<QueryDescription>(*other.description_);
  return *this;
}
QueryBuilder& QueryBuilder::operator=(QueryBuilder&& other) noexcept = default;
QueryBuilder::~QueryBuilder() = default;

QueryBuilder& QueryBuilder::Define(std::string name, std::string value) {
  description_->defines[std::move(name)] = std::move(value);
  return *this;
}

QueryBuilder& QueryBuilder::Set(std::string key, std::string value) {
  description_->settings.emplace_back(std::move(key), Option{std::move(value), {}});
  return *this;
}

QueryBuilder& QueryBuilder::Name(std::string name) { return Set("pipeline.name", std::move(name)); }

QueryBuilder& QueryBuilder::Checkpoint(std::string directory) {
  return Set("execution.checkpoint", std::move(directory));
}

QueryBuilder& QueryBuilder::Mode(braid::Mode mode) {
  return Set("execution.mode", mode == braid::Mode::kPerRecord ? "per-record" : "micro-batch");
}

QueryBuilder& QueryBuilder::Trigger(braid::Trigger trigger) {
  description_->trigger = trigger;
  return *this;
}

QueryBuilder& QueryBuilder::Source(std::string name, std::shared_ptr<MemoryStream> stream) {
  description_->sources[std::move(name)] =
      [stream = std::move(stream)](
          const TableDescription& table,
          const std::vector<int>& read_columns) -> Result<std::unique_ptr<braid::Source>> {
    if (stream == nullptr) {
      return Fail(ErrorCode::kInvalidOption,
                  fmt::format("the stream of the table {} is null", table.name), table.place);
    }
    return ReadStream(table, read_columns, stream);
  };
  return *this;
}

QueryBuilder& QueryBuilder::Source(std::string name, SourceFactory factory) {
  description_->sources[std::move(name)] = GuardSource(std::move(factory));
  return *this;
}

QueryBuilder& QueryBuilder::Sink(std::shared_ptr<MemoryResult> result) {
  description_->sink = SinkInto(std::move(result));
  return *this;
}

QueryBuilder& QueryBuilder::Sink(std::string name, std::shared_ptr<MemoryResult> result) {
  description_->report_sinks[std::move(name)] = SinkInto(std::move(result));
  return *this;
}

QueryBuilder& QueryBuilder::Sink(std::string name, SinkFactory factory) {
  description_->report_sinks[std::move(name)] = GuardSink(std::move(factory));
  return *this;
}

QueryBuilder& QueryBuilder::Sink(SinkFactory factory) {
  description_->sink = GuardSink(std::move(factory));
  return *this;
}

QueryBuilder& QueryBuilder::CallForEachBatch(BatchFunction function) {
  description_->sink = SinkForFunction(std::move(function));
  return *this;
}

QueryBuilder& QueryBuilder::Listener(std::shared_ptr<QueryListener> listener) {
  description_->listeners.push_back(std::move(listener));
  return *this;
}

Result<Query> QueryBuilder::Start() const {
  Result<std::shared_ptr<QueryRun>> run = QueryRun::Start(*description_);
  if (!run) return tl::unexpected(run.error());
  return Query(std::move(*run));
}

Result<PushQuery> QueryBuilder::Push(RowFunction function, PushOptions options) const {
  Result<std::unique_ptr<PushQueryState>> state =
      PushQueryState::Create(*description_, std::move(function), std::move(options));
  if (!state) return tl::unexpected(state.error());
  return PushQuery(std::move(*state));
}

Result<std::string> QueryBuilder::Explain() const {
  const Result<std::unique_ptr<Job>> job = description_->Prepare();
  if (!job) return tl::unexpected(job.error());
  return (*job)->Explain();
}

const std::string& QueryBuilder::Sql() const { return description_->text; }

Result<std::unique_ptr<Job>> QueryDescription::Prepare() const {
  if (error) return tl::unexpected(*error);
  JobOptions options;
  options.defines = defines;
  options.replaces_defines = !made_by_builder;
  options.defaults = engine->defaults;
  options.settings = settings;
  options.trigger = trigger;
  options.sources = sources;
  options.sink = sink;
  options.report_sinks = report_sinks;
  options.connectors = &engine->connectors;
  options.clock = engine->clock.get();
  Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
  if (!job && made_by_builder) return tl::unexpected(WithLineOf(text, job.error()));
  return job;
}

}  // namespace braid
