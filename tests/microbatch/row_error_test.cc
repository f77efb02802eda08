// What happens to a row for which an expression fails, wherever the expression stands: `fail` stops
// the query, `drop` drops the row and counts it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"

namespace braid {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), v BIGINT, quotient AS 10 / v,
                WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'memory');
CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), v BIGINT,
                WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'memory');
CREATE TABLE joined (a BIGINT, b BIGINT) WITH ('connector' = 'memory');
SET 'execution.end-of-input' = 'flush';
)";

struct Outcome {
  Status status;
  std::vector<std::string> rows;
  int64_t row_errors = 0;
};

// Both tables have the rows (id, v) = (1, 1), (2, 0), (3, 5), all of one time.
Outcome RunQuery(const std::string& query, const std::string& on_row_error) {
  const auto schema = std::make_shared<const Schema>(Schema{
      {{"id", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}, {"v", DataType::BigInt()}}});
  auto connector = std::make_shared<MemoryConnector>();
  for (const char* table : {"l", "r"}) {
    ColumnBuilder ids(DataType::BigInt());
    ColumnBuilder times(DataType::Timestamp(3));
    ColumnBuilder values(DataType::BigInt());
    for (const auto& [id, value] : {std::pair{1, 1}, {2, 0}, {3, 5}}) {
      ids.Append(int64_t{id});
      times.Append(int64_t{1'000'000});
      values.Append(int64_t{value});
    }
    std::vector<Column> columns;
    for (ColumnBuilder* builder : {&ids, &times, &values}) columns.push_back(builder->Finish());
    auto stream = std::make_shared<MemoryStream>(*schema, MemoryStream::Kind::kFinite);
    EXPECT_TRUE(stream->Push(RowBatch(schema, std::move(columns), 3)));
    stream->End();
    connector->AddStream(table, stream);
  }
  auto result = std::make_shared<MemoryResult>();
  connector->AddResult("joined", result);
  ConnectorRegistry registry;
  registry.Add("memory", connector);
  ManualClock clock;
  JobOptions options;
  options.connectors = &registry;
  options.clock = &clock;

  Outcome outcome;
  const std::string script =
      fmt::format("{}SET 'execution.on-row-error' = '{}';\nINSERT INTO joined {};\n", kTables,
                  on_row_error, query);
  Result<std::unique_ptr<Job>> job = Job::Prepare(script, options);
  if (!job) return {tl::unexpected(job.error()), {}, 0};
  outcome.status = (*job)->OpenWith(nullptr);
  TriggeredQuery& micro_batch = (*job)->running();
  micro_batch.SetProgressListener(
      [&outcome](const BatchProgress& progress) { outcome.row_errors += progress.num_row_errors; });
  if (outcome.status) outcome.status = micro_batch.Start();
  if (outcome.status) {
    const Result<TriggeredQuery::Ran> ran = micro_batch.RunTrigger();
    if (!ran) outcome.status = tl::unexpected(ran.error());
  }
  for (const RowBatch& batch : result->Rows()) {
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      std::string line;
      for (const Column& column : batch.columns()) {
        const Value value = ValueAt(column, row);
        if (!line.empty()) line += " ";
        line += value.is_null() ? "NULL" : fmt::format("{}", value.integer());
      }
      outcome.rows.push_back(line);
    }
  }
  std::sort(outcome.rows.begin(), outcome.rows.end());
  return outcome;
}

struct ErrorCase {
  std::string place;
  std::string query;
  std::vector<std::string> rows;  // With `drop`.
  int64_t row_errors;             // The same.
};

std::string Join(const std::string& list, const std::string& more_on, const std::string& where) {
  return fmt::format(
      "SELECT {} FROM l LEFT JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' "
      "SECOND{}{}",
      list, more_on.empty() ? "" : " AND " + more_on, where.empty() ? "" : " WHERE " + where);
}

std::vector<ErrorCase> ErrorCases() {
  const std::string both = "l.id, r.id AS b";
  return {
      {"computed column", Join("l.id, l.quotient", "", ""), {"1 10", "3 2"}, 1},
      {"WHERE over the preserved side", Join(both, "", "10 / l.v > 1"), {"1 1", "3 3"}, 1},
      {"WHERE that fails and is TRUE",
       Join(both, "", "10 / l.v > 1 OR l.id > 0"),
       {"1 1", "3 3"},
       1},
      {"WHERE over both sides", Join(both, "", "10 / r.v > 1 OR r.id IS NULL"), {"1 1", "3 3"}, 1},
      {"WHERE of no join", "SELECT id, v FROM l WHERE 10 / v > 0", {"1 1", "3 5"}, 1},
      {"WHERE and SELECT list of no join",
       "SELECT id, 10 / (v - 5) FROM l WHERE 10 / v > 0",
       {"1 -2"},
       2},
      {"WHERE below the join",
       "SELECT x.id, r.id AS b FROM (SELECT * FROM l WHERE 10 / v > 1) x LEFT JOIN r "
       "ON x.id = r.id AND r.ts = x.ts",
       {"1 1", "3 3"},
       1},
      {"ON over one side", Join(both, "10 / l.v > 1", ""), {"1 1", "3 3"}, 1},
      {"ON over one side that fails and is TRUE",
       Join(both, "(10 / l.v > 1 OR l.id > 0)", ""),
       {"1 1", "3 3"},
       1},
      {"ON over both sides", Join(both, "10 / l.v + r.id > 1", ""), {"1 1", "2 NULL", "3 3"}, 1},
      {"ON over both sides that fails and is TRUE",
       Join(both, "(10 / l.v + r.id > 1 OR l.id = r.id)", ""),
       {"1 1", "2 NULL", "3 3"},
       1},
      {"two errors of one row",
       Join(both, "(10 / l.v + r.id < 1 OR 7 / l.v + r.id > 0)", ""),
       {"1 1", "2 NULL", "3 3"},
       1},
      {"SELECT list", Join("l.id, 10 / r.v AS b", "", ""), {"1 10", "3 2"}, 1},
      {"key",
       "SELECT l.id, r.id AS b FROM l JOIN r ON 10 / l.v = 10 / r.v AND l.ts = r.ts",
       {"1 1", "3 3"},
       2},
  };
}

TEST(RowErrorTest, DropsAndCountsTheRow) {
  for (const ErrorCase& error_case : ErrorCases()) {
    SCOPED_TRACE(error_case.place);
    const Outcome outcome = RunQuery(error_case.query, "drop");
    ASSERT_TRUE(outcome.status) << outcome.status.error().ToString();
    EXPECT_EQ(outcome.rows, error_case.rows);
    EXPECT_EQ(outcome.row_errors, error_case.row_errors);
  }
}

TEST(RowErrorTest, FailsTheQuery) {
  for (const ErrorCase& error_case : ErrorCases()) {
    SCOPED_TRACE(error_case.place);
    const Outcome outcome = RunQuery(error_case.query, "fail");
    ASSERT_FALSE(outcome.status);
    EXPECT_NE(outcome.status.error().ToString().find("division by zero"), std::string::npos);
  }
}

}  // namespace
}  // namespace braid
