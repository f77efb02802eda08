// The property that makes micro-batches trustworthy: for input without late rows, any split into
// batches, any number of partitions and any interleaving of the tables gives exactly the rows of a
// nested-loop join over everything, and leaves no state behind. Where the rows that match nothing
// are asked for, they are those of both tables that it finds no partner for.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"

namespace braid {
namespace {

struct Row {
  std::optional<int64_t> id;
  std::optional<int64_t> time_ms;
  int64_t value = 0;
};

// What the ON clause asks for, once as SQL and once as C++.
struct Condition {
  bool keyed = true;
  bool null_safe = false;
  bool time_equality = false;
  int64_t before_ms = 0;
  int64_t after_ms = 0;
  bool strict = false;
  bool left_filter = false;
  bool right_filter = false;
  bool both_filter = false;

  std::string ToSql() const {
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

  bool Matches(const Row& left, const Row& right) const {
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
};

std::string Text(const std::optional<int64_t>& number) {
  return number ? fmt::format("{}", *number) : "NULL";
}

std::string Text(const Row* row) {
  if (row == nullptr) return "NULL NULL NULL";
  return fmt::format("{} {} {}", Text(row->id), Text(row->time_ms), row->value);
}

struct Joined {
  std::vector<std::string> rows;
  std::vector<std::string> unmatched;  // "l id ts v", of both tables.
};

// The nested-loop join over the whole input.
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

// Rows whose times stay above the running maximum minus the delay.
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

class RandomRun {
 public:
  RandomRun(const std::string& type, const Condition& condition, int64_t left_delay_ms,
            int64_t right_delay_ms, int parallelism, bool reports_unmatched) {
    schema_ = std::make_shared<const Schema>(Schema{
        {{"id", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}, {"v", DataType::BigInt()}}});
    for (const char* table : {"l", "r"}) {
      streams_.push_back(std::make_shared<MemoryStream>(*schema_, MemoryStream::Kind::kFinite));
      connector_->AddStream(table, streams_.back());
    }
    connector_->AddResult("joined", result_);
    connector_->AddResult("unmatched", unmatched_);
    registry_.Add("memory", connector_);
    const bool left_only = type == "LEFT SEMI" || type == "LEFT ANTI";
    const auto table = [](const char* name, int64_t delay_ms) {
      return fmt::format(
          "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(3), v BIGINT, WATERMARK FOR ts AS ts - "
          "INTERVAL "
          "'{}.{:03d}' SECOND) WITH ('connector' = 'memory');\n",
          name, delay_ms / 1000, delay_ms % 1000);
    };
    const char* right_columns = left_only ? "" : ", rid BIGINT, rts TIMESTAMP(3), rv BIGINT";
    text_ = table("l", left_delay_ms) + table("r", right_delay_ms) +
            fmt::format(
                "CREATE TABLE joined (id BIGINT, ts TIMESTAMP(3), v BIGINT{}) WITH ('connector' = "
                "'memory');\nSET 'parallelism' = '{}';\nSET 'execution.end-of-input' = 'flush';\n"
                "SET 'execution.trigger' = 'asap';\n"
                "INSERT INTO joined SELECT l.*{} FROM l {} JOIN r ON {};\n",
                right_columns, parallelism, left_only ? "" : ", r.*", type, condition.ToSql());
    if (reports_unmatched) {
      text_ =
          "CREATE TABLE unmatched (table_name STRING, id BIGINT, ts TIMESTAMP(3), v BIGINT) WITH "
          "('connector' = 'memory');\nSET 'unmatched-rows.table' = 'unmatched';\n" +
          text_;
    }
    JobOptions options;
    options.connectors = &registry_;
    options.clock = &clock_;
    Result<std::unique_ptr<Job>> job = Job::Prepare(text_, options);
    RC_ASSERT(job.has_value());
    job_ = std::move(*job);
    RC_ASSERT(job_->OpenWith(nullptr).has_value());
    job_->running().SetProgressListener([this](const BatchProgress& progress) {
      state_rows_ = progress.state->num_rows_total;
      late_rows_ += progress.state->num_rows_dropped_by_watermark;
    });
    RC_ASSERT(job_->running().Start().has_value());
  }

  void Push(size_t table, const std::vector<Row>& rows) {
    RC_ASSERT(streams_[table]->Push(ToBatch(rows, schema_)).has_value());
  }

  void Trigger() { RC_ASSERT(job_->running().RunTrigger().has_value()); }

  Joined Finish() {
    for (const std::shared_ptr<MemoryStream>& stream : streams_) stream->End();
    const Result<TriggeredQuery::Ran> ran = job_->running().RunTrigger();
    RC_ASSERT(ran.has_value());
    RC_ASSERT(*ran == TriggeredQuery::Ran::kEnd);
    RC_ASSERT(state_rows_ == 0);
    RC_ASSERT(late_rows_ == 0);
    return {RowTexts(*result_), RowTexts(*unmatched_)};
  }

 private:
  static std::string CellText(const Value& value) {
    if (value.is_null()) return "NULL";
    if (value.type.is_variable_width()) return value.text();
    return fmt::format("{}", value.integer() / (value.type.is_timestamp() ? 1000 : 1));
  }

  static std::vector<std::string> RowTexts(const MemoryResult& result) {
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

  std::shared_ptr<const Schema> schema_;
  std::vector<std::shared_ptr<MemoryStream>> streams_;
  std::shared_ptr<MemoryResult> result_ = std::make_shared<MemoryResult>();
  std::shared_ptr<MemoryResult> unmatched_ = std::make_shared<MemoryResult>();
  std::shared_ptr<MemoryConnector> connector_ = std::make_shared<MemoryConnector>();
  ConnectorRegistry registry_;
  ManualClock clock_;
  std::string text_;
  std::unique_ptr<Job> job_;
  int64_t state_rows_ = 0;
  int64_t late_rows_ = 0;
};

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

RC_GTEST_PROP(JoinPropertyTest, AnySplitGivesTheNestedLoopJoin, ()) {
  const std::string type =
      *rc::gen::element<std::string>("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI");
  const Condition condition = GenerateCondition();
  const std::vector<int64_t> delays = {*rc::gen::element<int64_t>(0, 1, 500, 4'000),
                                       *rc::gen::element<int64_t>(0, 1, 500, 4'000)};
  const int parallelism = *rc::gen::inRange(1, 5);
  const std::vector<std::vector<Row>> rows = {GenerateRows(delays[0]), GenerateRows(delays[1])};

  const bool reports_unmatched = *rc::gen::inRange(0, 2) == 0;
  RandomRun run(type, condition, delays[0], delays[1], parallelism, reports_unmatched);
  std::vector<size_t> next = {0, 0};
  while (next[0] < rows[0].size() || next[1] < rows[1].size()) {
    size_t table = *rc::gen::inRange<size_t>(0, 2);
    if (next[table] == rows[table].size()) table = 1 - table;
    const size_t count =
        std::min(*rc::gen::inRange<size_t>(1, 12), rows[table].size() - next[table]);
    const auto first = rows[table].begin() + static_cast<std::ptrdiff_t>(next[table]);
    run.Push(table, std::vector<Row>(first, first + static_cast<std::ptrdiff_t>(count)));
    next[table] += count;
    if (*rc::gen::inRange(0, 3) != 0) run.Trigger();
  }
  const Joined found = run.Finish();
  const Joined expected = NestedLoopJoin(type, condition, rows[0], rows[1]);
  RC_ASSERT(found.rows == expected.rows);
  RC_ASSERT(found.unmatched ==
            (reports_unmatched ? expected.unmatched : std::vector<std::string>()));
}

}  // namespace
}  // namespace braid
