#include "engine/library/push_query_state.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "braid/column_builder.h"
#include "engine/library/guard.h"
#include "engine/sql/name_match.h"

namespace braid {

namespace {

// A function for rows that the job gives to no table would wait for ever.
Status CheckReport(const RowFunction& function, const std::optional<RowReport>& report,
                   const char* name, const char* key) {
  if (!function || report) return {};
  return Fail(ErrorCode::kInvalidOption,
              fmt::format("there is a function for {}, but {} names no table", name, key));
}

}  // namespace

Status PushedRowsSink::Write(int /*partition*/, const RowBatch& rows) {
  if (function_) written_.push_back(rows);
  return {};
}

Status PushedRowsSink::PublishBatch(int64_t /*batch_id*/) {
  const std::vector<RowBatch> written = std::exchange(written_, {});
  if (written.empty()) return {};
  const RowBatch rows = written.size() == 1 ? written.front() : Concatenate(written);
  return CallProgram(what_, [&] { return function_(rows); });
}

Result<std::unique_ptr<PushQueryState>> PushQueryState::Create(const QueryDescription& description,
                                                               RowFunction function,
                                                               PushOptions options) {
  if (!function) return Fail(ErrorCode::kInvalidOption, "the function for the result is null");
  auto state = std::make_unique<PushQueryState>();
  state->engine = description.engine;
  Result<std::unique_ptr<Job>> job = description.Prepare();
  if (!job) return tl::unexpected(job.error());
  state->job = std::move(*job);
  const StreamPlan& plan = state->job->plan();
  if (state->job->is_explain()) {
    return Fail(ErrorCode::kInvalidQuery, "EXPLAIN takes no rows: call Explain() instead");
  }
  if (state->job->settings().mode != Mode::kPerRecord) {
    return Fail(ErrorCode::kInvalidOption,
                "rows are pushed one by one in per-record mode, and this query runs in micro-batch "
                "mode: call Mode(Mode::kPerRecord), or set execution.mode = per-record");
  }
  Status fine = CheckReport(options.late_rows, plan.late_rows, "late rows", "late-rows.table");
  if (fine) {
    fine = CheckReport(options.unmatched_rows, plan.unmatched_rows, "unmatched rows",
                       "unmatched-rows.table");
  }
  if (!fine) return tl::unexpected(fine.error());
  const auto sink = [](RowFunction called, const char* what) {
    return std::make_unique<PushedRowsSink>(std::move(called), what);
  };
  state->result = sink(std::move(function), "the function for the result");
  state->late_rows = sink(std::move(options.late_rows), "the function for late rows");
  state->unmatched_rows =
      sink(std::move(options.unmatched_rows), "the function for unmatched rows");

  ReportSinks reports;
  reports.late_rows = state->late_rows.get();
  reports.unmatched_rows = state->unmatched_rows.get();
  reports.before_rows = [] { return Status(); };  // Nothing is to be begun.
  PushedQueryOptions query_options;
  query_options.join = state->job->per_record_options();
  query_options.tables = state->job->watermark_options();
  query_options.watermarks_by_hand = options.watermarks_by_hand;
  Result<std::unique_ptr<PushedQuery>> query =
      PushedQuery::Create(plan, state->result.get(), reports, query_options);
  if (!query) return tl::unexpected(query.error());
  state->query = std::move(*query);
  return state;
}

std::vector<size_t> PushQueryState::AllTables() const {
  std::vector<size_t> all(query->num_tables());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

Result<std::vector<size_t>> PushQueryState::Find(std::string_view table) const {
  const std::vector<const InputPlan*> inputs = TableInputs(job->plan());
  std::vector<std::string> names;
  std::vector<size_t> by_name;
  std::vector<size_t> by_alias;
  for (size_t index = 0; index < inputs.size(); ++index) {
    names.push_back(inputs[index]->table->name);
    if (inputs[index]->table->name == table) by_name.push_back(index);
    if (inputs[index]->alias == table) by_alias.push_back(index);
  }
  if (!by_name.empty()) return by_name;
  if (!by_alias.empty()) return by_alias;
  return Fail(ErrorCode::kNotFound, fmt::format("the query reads no table {}{}", table,
                                                SuggestName(std::string(table), names)));
}

Result<std::vector<size_t>> PushQueryState::FindSide(Side side, const char* call) const {
  if (query->num_tables() == 2) return std::vector<size_t>{Index(side)};
  std::vector<std::string> names;
  for (const InputPlan* input : TableInputs(job->plan())) names.push_back(input->alias);
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("{} is for a query that joins two tables; this one reads {}: name the "
                          "table instead",
                          call, fmt::join(names, ", ")));
}

Result<std::shared_ptr<const Schema>> PushQueryState::SchemaOf(
    const Result<std::vector<size_t>>& tables) const {
  if (!tables) return tl::unexpected(tables.error());
  return query->schema(tables->front());
}

Status PushQueryState::CheckCall() const {
  if (calls_function) {
    return Fail(ErrorCode::kInvalidQuery,
                "a function that gets rows must not call the query that gives them");
  }
  if (error) return tl::unexpected(*error);
  return {};
}

Status PushQueryState::Give(const Status& ran) {
  if (!ran) return ran;
  calls_function = true;
  Status given;
  for (PushedRowsSink* sink : {result.get(), late_rows.get(), unmatched_rows.get()}) {
    if (given) given = sink->PublishBatch(0);
  }
  calls_function = false;
  if (!given) error = given.error();
  return given;
}

Status PushQueryState::Push(const Result<std::vector<size_t>>& tables, const RowBatch& rows) {
  if (!tables) return tl::unexpected(tables.error());
  if (Status fine = CheckCall(); !fine) return fine;
  return Give(query->Push(*tables, rows));
}

Status PushQueryState::AdvanceWatermark(const Result<std::vector<size_t>>& tables,
                                        Watermark watermark) {
  if (!tables) return tl::unexpected(tables.error());
  if (Status fine = CheckCall(); !fine) return fine;
  return Give(query->AdvanceWatermark(*tables, watermark));
}

Status PushQueryState::AdvanceClock(EventTime now) {
  if (Status fine = CheckCall(); !fine) return fine;
  return Give(query->AdvanceClock(now));
}

Status PushQueryState::EndOfInput() {
  if (Status fine = CheckCall(); !fine) return fine;
  return Give(query->EndOfInput());
}

const PerRecordJoin* PushQueryState::uppermost() const {
  const size_t num_joins = query->tree().num_joins();
  return num_joins == 0 ? nullptr : &query->tree().join(num_joins - 1);
}

}  // namespace braid
