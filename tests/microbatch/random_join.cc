#include "tests/microbatch/random_join.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>

#include "braid/column_builder.h"

namespace braid::testing {

namespace {

std::string Text(const std::optional<int64_t>& number) {
  return number ? fmt::format("{}", *number) : "NULL";
}

std::string Text(const Row* row) {
  if (row == nullptr) return "NULL NULL NULL";
  return fmt::format("{} {} {}", Text(row->id), Text(row->time_ms), row->value);
}

RowBatch ToBatch(const std::vector<Row>& rows, const std::shared_ptr<const Schema>& schema) {
  ColumnBuilder ids(DataType::BigInt());
  ColumnBuilder times(DataType::Timestamp(3));
  ColumnBuilder values(DataType::BigInt());
  for (const Row& row : rows) {
    row.id ? ids.Append(*row.id) : ids.AppendNull();
    row.time_ms ? times.Append(*row.time_ms * 1000) : times.AppendNull();
    values.Append(row.value);
  }
  std::vector<Column> columns;
  columns.push_back(ids.Finish());
  columns.push_back(times.Finish());
  columns.push_back(values.Finish());
  return RowBatch(schema, std::move(columns), static_cast<int64_t>(rows.size()));
}

std::string CellText(const Value& value) {
  if (value.is_null()) return "NULL";
  if (value.type.is_variable_width()) return value.text();
  return fmt::format("{}", value.integer() / (value.type.is_timestamp() ? 1000 : 1));
}

std::vector<std::string> RowTexts(const MemoryResult& result) {
  std::vector<std::string> output;
  for (const RowBatch& batch : result.Rows()) {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::string line;
      for (const Column& column : batch.columns()) {
        line += (line.empty() ? "" : " ") + CellText(ValueAt(column, row));
      }
      output.push_back(line);
    }
  }
  std::sort(output.begin(), output.end());
  return output;
}

std::string TableSql(const char* name, int64_t delay_ms, const std::string& options) {
  return fmt::format(
      "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts - INTERVAL "
      "'{}.{:03d}' SECOND) WITH ('connector' = 'memory'{});\n",
      name, delay_ms / 1000, delay_ms % 1000, options);
}

std::string JobSql(const RandomJoin& join) {
  const bool left_only = join.type == "LEFT SEMI" || join.type == "LEFT ANTI";
  const char* right_columns = left_only ? "" : ", rid BIGINT, rts TIMESTAMP(3), rv BIGINT";
  const char* unmatched =
      "CREATE TABLE unmatched (table_name STRING, id BIGINT, ts TIMESTAMP(3), v BIGINT) WITH "
      "('connector' = 'memory');\nSET 'unmatched-rows.table' = 'unmatched';\n";
  return (join.reports_unmatched ? unmatched : "") +
         TableSql("l", join.left_delay_ms, join.table_options) +
         TableSql("r", join.right_delay_ms, join.table_options) + join.settings +
         fmt::format(
             "CREATE TABLE joined (id BIGINT, ts TIMESTAMP(3), v BIGINT{}) WITH ('connector' = "
             "'memory');\nSET 'execution.end-of-input' = 'flush';\nSET 'execution.trigger' = "
             "'asap';\nINSERT INTO joined SELECT l.*{} FROM l {} JOIN r ON {};\n",
             right_columns, left_only ? "" : ", r.*", join.type, join.condition.ToSql());
}

}  // namespace

std::string Condition::ToSql() const {
  std::string text;
  const auto add = [&text](const std::string& conjunct) {
    text += text.empty() ? conjunct : " AND " + conjunct;
  };
  if (keyed) add(null_safe ? "l.id <=> r.id" : "l.id = r.id");
  if (time_equality) {
    add("l.ts = r.ts");
  } else {
    add(fmt::format("r.ts >{} l.ts - INTERVAL '{}.{:03d}' SECOND", strict ? "" : "=",
                    before_ms / 1000, before_ms % 1000));
    add(fmt::format("r.ts <{} l.ts + INTERVAL '{}.{:03d}' SECOND", strict ? "" : "=",
                    after_ms / 1000, after_ms % 1000));
  }
  if (left_filter) add("l.v > 1");
  if (right_filter) add("r.v > 1");
  if (both_filter) add("l.v <> r.v");
  return text;
}

bool Condition::Matches(const Row& left, const Row& right) const {
  if (keyed) {
    if (null_safe ? left.id != right.id : !left.id || !right.id || *left.id != *right.id) {
      return false;
    }
  }
  if (!left.time_ms || !right.time_ms) return false;
  const int64_t distance = *right.time_ms - *left.time_ms;
  if (time_equality) {
    if (distance != 0) return false;
  } else if (strict ? distance <= -before_ms || distance >= after_ms
                    : distance < -before_ms || distance > after_ms) {
    return false;
  }
  return (!left_filter || left.value > 1) && (!right_filter || right.value > 1) &&
         (!both_filter || left.value != right.value);
}

Joined NestedLoopJoin(const std::string& type, const Condition& condition,
                      const std::vector<Row>& left, const std::vector<Row>& right) {
  std::vector<std::string> output;
  std::vector<std::string> unmatched;
  std::vector<bool> right_matched(right.size(), false);
  const bool semi_or_anti = type == "LEFT SEMI" || type == "LEFT ANTI";
  for (const Row& l : left) {
    bool matched = false;
    for (size_t r = 0; r < right.size(); ++r) {
      if (!condition.Matches(l, right[r])) continue;
      matched = right_matched[r] = true;
      if (!semi_or_anti) output.push_back(Text(&l) + " " + Text(&right[r]));
    }
    if (matched == (type == "LEFT SEMI") && semi_or_anti) output.push_back(Text(&l));
    if (!matched) unmatched.push_back("l " + Text(&l));
    if (!matched && (type == "LEFT" || type == "FULL")) {
      output.push_back(Text(&l) + " " + Text(nullptr));
    }
  }
  for (size_t r = 0; r < right.size(); ++r) {
    if (right_matched[r]) continue;
    unmatched.push_back("r " + Text(&right[r]));
    if (type != "RIGHT" && type != "FULL") continue;
    output.push_back(Text(nullptr) + " " + Text(&right[r]));
  }
  std::sort(output.begin(), output.end());
  std::sort(unmatched.begin(), unmatched.end());
  return {output, unmatched};
}

std::vector<Row> GenerateRows(int64_t delay_ms) {
  const int count = *rc::gen::inRange(0, 40);
  std::vector<Row> rows;
  int64_t maximum = *rc::gen::inRange<int64_t>(-20'000, 20'000);
  for (int i = 0; i < count; ++i) {
    Row row;
    row.id = *rc::gen::inRange<int64_t>(0, 4);
    if (*row.id == 3 && *rc::gen::inRange(0, 2) == 0) row.id.reset();
    row.value = *rc::gen::inRange<int64_t>(0, 4);
    // Behind the maximum by less than the delay, or ahead of it by up to 3 s.
    row.time_ms = maximum + *rc::gen::inRange<int64_t>(std::min<int64_t>(1 - delay_ms, 1), 3'000);
    maximum = std::max(maximum, *row.time_ms);
    if (*rc::gen::inRange(0, 15) == 0) row.time_ms.reset();
    rows.push_back(row);
  }
  return rows;
}

Condition GenerateCondition() {
  Condition condition;
  condition.keyed = *rc::gen::inRange(0, 5) != 0;
  condition.null_safe = *rc::gen::inRange(0, 4) == 0;
  condition.time_equality = *rc::gen::inRange(0, 4) == 0;
  condition.before_ms = *rc::gen::inRange<int64_t>(0, 6'000);
  condition.after_ms = *rc::gen::inRange<int64_t>(0, 6'000);
  condition.strict = *rc::gen::inRange(0, 2) == 0;
  condition.left_filter = *rc::gen::inRange(0, 3) == 0;
  condition.right_filter = *rc::gen::inRange(0, 3) == 0;
  condition.both_filter = *rc::gen::inRange(0, 3) == 0;
  return condition;
}

std::string GenerateJoinType() {
  return *rc::gen::element<std::string>("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI");
}

RandomRun::RandomRun(const RandomJoin& join) : text_(JobSql(join)) {
  schema_ = std::make_shared<const Schema>(Schema{
      {{"id", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}, {"v", DataType::BigInt()}}});
  for (const char* table : {"l", "r"}) {
    streams_.push_back(std::make_shared<MemoryStream>(*schema_, MemoryStream::Kind::kFinite));
    connector_->AddStream(table, streams_.back());
  }
  connector_->AddResult("joined", result_);
  connector_->AddResult("unmatched", unmatched_);
  registry_.Add("memory", connector_);
  if (join.has_checkpoint) store_ = NewMemoryStore({});
  Open();
}

void RandomRun::Open() {
  JobOptions options;
  options.connectors = &registry_;
  options.clock = &clock_;
  Result<std::unique_ptr<Job>> job = Job::Prepare(text_, options);
  RC_ASSERT(job.has_value());
  job_ = std::move(*job);
  RC_ASSERT(job_->OpenWith(store_).has_value());
  job_->running().SetProgressListener([this](const BatchProgress& progress) {
    state_rows_ = progress.state->num_rows_total;
    late_rows_ += progress.state->num_rows_dropped_by_watermark;
  });
  RC_ASSERT(job_->running().Start().has_value());
}

void RandomRun::Push(size_t table, const std::vector<Row>& rows) {
  RC_ASSERT(streams_[table]->Push(ToBatch(rows, schema_)).has_value());
}

void RandomRun::Trigger() { RC_ASSERT(job_->running().RunTrigger().has_value()); }

void RandomRun::Settle() { RC_ASSERT(job_->running().Settle().has_value()); }

void RandomRun::Restart() {
  RC_ASSERT(store_ != nullptr);
  job_.reset();
  Open();
}

Joined RandomRun::Finish() {
  for (const std::shared_ptr<MemoryStream>& stream : streams_) stream->End();
  // Record by record a checkpoint may come before the end.
  Result<TriggeredQuery::Ran> ran = TriggeredQuery::Ran::kBatches;
  for (int trigger = 0; trigger < 100 && ran && *ran != TriggeredQuery::Ran::kEnd; ++trigger) {
    ran = job_->running().RunTrigger();
  }
  RC_ASSERT(ran.has_value());
  RC_ASSERT(*ran == TriggeredQuery::Ran::kEnd);
  RC_ASSERT(state_rows_ == 0);
  RC_ASSERT(late_rows_ == 0);
  return {RowTexts(*result_), RowTexts(*unmatched_)};
}

}  // namespace braid::testing
