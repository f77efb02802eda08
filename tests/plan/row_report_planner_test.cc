#include "engine/plan/row_report_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/plan/fingerprint.h"
#include "engine/sql/parser.h"
#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const kJoin =
    "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND";

struct Asked {
  std::string late = {};  // Columns of a table `report`; empty: not asked for.
  std::string unmatched = {};
};

Result<StreamPlan> Plan(const std::string& query, const Asked& asked,
                        Mode mode = Mode::kMicroBatch) {
  std::string script = StandardTables();
  const auto add = [&script](const std::string& name, const std::string& columns) {
    if (columns.empty()) return;
    script += "CREATE TABLE " + name + " (" + columns + ") WITH ('connector' = 'blackhole');\n";
  };
  add("late", asked.late);
  add("unmatched", asked.unmatched);
  const Result<Script> parsed = ParseScript(script + query, {});
  if (!parsed) return tl::unexpected(parsed.error());
  ReportTables reports;
  for (const TablePtr& table : parsed->tables) {
    if (table->name == "late") reports.late_rows = table;
    if (table->name == "unmatched") reports.unmatched_rows = table;
  }
  return MakeStreamPlan(*parsed->query, mode, RowTimeJoin::kSql, reports);
}

// The columns of a report as SQL; column i of the row is $i, behind them stand the facts.
std::vector<std::string> Columns(const RowReport::Input& input) {
  std::vector<std::string> columns;
  for (const ExpressionPtr& column : input.columns) {
    columns.push_back(FormatExpression(*column, [&input](int index) {
      if (index < input.num_columns) return "$" + std::to_string(index);
      return std::string(ReportFactName(static_cast<ReportFact>(index - input.num_columns)));
    }));
  }
  return columns;
}

TEST(RowReportPlannerTest, ColumnsAreFoundByName) {
  const Result<StreamPlan> plan =
      Plan(kJoin, {.late = "V BIGINT, w BIGINT, table_name STRING, batch_id BIGINT, row_time "
                           "TIMESTAMP(3), watermark TIMESTAMP(3)"});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_TRUE(plan->late_rows);
  EXPECT_FALSE(plan->unmatched_rows);
  const RowReport& report = *plan->late_rows;
  EXPECT_THAT(Columns(report.inputs[0]),
              ElementsAre("$2", "NULL", "table_name", "batch_id", "row_time", "watermark"));
  EXPECT_THAT(Columns(report.inputs[1]),
              ElementsAre("NULL", "$2", "table_name", "batch_id", "row_time", "watermark"));
  EXPECT_THAT(report.inputs[0].needed, ElementsAre(1, 2));
  EXPECT_EQ(report.inputs[0].row_time_column, 1);
  EXPECT_EQ(report.inputs[1].table_name, "r");
}

TEST(RowReportPlannerTest, AColumnOfAJoinedTableGoesBeforeWhatTheEngineKnows) {
  const Result<Script> script = ParseScript(
      "CREATE TABLE a (batch_id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = "
      "'blackhole'); CREATE TABLE late (batch_id BIGINT) WITH ('connector' = 'blackhole'); SELECT "
      "ts FROM a",
      {});
  ASSERT_TRUE(script);
  const Result<StreamPlan> reported = MakeStreamPlan(
      *script->query, Mode::kMicroBatch, RowTimeJoin::kSql, {.late_rows = script->tables[1]});
  ASSERT_TRUE(reported);
  EXPECT_THAT(Columns(reported->late_rows->inputs[0]), ElementsAre("$0"));
}

TEST(RowReportPlannerTest, OnlyWhatTheTablesAskForIsReadAndStored) {
  const Result<StreamPlan> plain = Plan(kJoin, {});
  const Result<StreamPlan> late = Plan(kJoin, {.late = "name STRING, v BIGINT"});
  const Result<StreamPlan> unmatched = Plan(kJoin, {.unmatched = "v BIGINT"});
  ASSERT_TRUE(plain && late && unmatched);
  const auto left = [](const Result<StreamPlan>& plan) -> const JoinSidePlan& {
    return plan->join->side(Side::kLeft);
  };
  EXPECT_THAT(left(plain).input.read_columns, ElementsAre(0, 1));
  EXPECT_THAT(left(plain).payload_expressions, IsEmpty());
  EXPECT_FALSE(plain->join->tracks_matches(Side::kLeft));

  EXPECT_THAT(left(late).input.read_columns, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(left(late).input.late_only_columns, ElementsAre(2, 3));
  EXPECT_TRUE(left(late).input.reports_late);
  EXPECT_THAT(left(late).payload_expressions, IsEmpty());
  EXPECT_EQ(StateFingerprint(*late), StateFingerprint(*plain));

  EXPECT_THAT(left(unmatched).input.read_columns, ElementsAre(0, 1, 2));
  EXPECT_THAT(left(unmatched).input.late_only_columns, IsEmpty());
  EXPECT_THAT(left(unmatched).input.report_only_columns, ElementsAre(2));
  EXPECT_THAT(left(unmatched).report_only_columns, ElementsAre(2));
  EXPECT_EQ(left(unmatched).payload_expressions.size(), 1U);
  EXPECT_TRUE(unmatched->join->tracks_matches(Side::kLeft));
  EXPECT_TRUE(unmatched->join->tracks_matches(Side::kRight));
  EXPECT_NE(StateFingerprint(*unmatched), StateFingerprint(*plain));
}

// Late rows are found among a table's rows in micro-batches, at the join in the per-record mode.
TEST(RowReportPlannerTest, BehindASubqueryTheColumnsAreStillThoseOfTheTable) {
  const std::string query =
      "SELECT a.n FROM (SELECT id + 1 AS n, ts FROM l) a JOIN r ON a.n = r.id AND r.ts BETWEEN "
      "a.ts AND a.ts + INTERVAL '5' SECOND";
  const Asked asked = {.late = "v BIGINT", .unmatched = "name STRING, id BIGINT"};
  const Result<StreamPlan> plan = Plan(query, asked);
  ASSERT_TRUE(plan) << plan.error().message;
  const Schema& side = plan->join->side(Side::kLeft).input.schema;
  ASSERT_EQ(side.fields.size(), 4U);
  EXPECT_EQ(side.fields[2].name, "id");
  EXPECT_EQ(side.fields[3].name, "name");
  EXPECT_THAT(Columns(plan->unmatched_rows->inputs[0]), ElementsAre("$3", "$2"));
  EXPECT_THAT(Columns(plan->late_rows->inputs[0]), ElementsAre("$2"));
  // The right columns moved by two, and the condition with them.
  EXPECT_EQ(ExplainLine(*plan, "equi-join keys"), "a.n = r.id");

  const Result<StreamPlan> per_record = Plan(query, asked, Mode::kPerRecord);
  ASSERT_TRUE(per_record) << per_record.error().message;
  const InputPlan& input = per_record->join->side(Side::kLeft).input;
  const RowReport::Input& late = per_record->late_rows->inputs[0];
  EXPECT_FALSE(input.reports_late);
  ASSERT_EQ(late.needed.size(), 1U);
  EXPECT_EQ(input.schema.fields[static_cast<size_t>(late.needed[0])].name, "v");
}

// Each join of a tree reports its own rows; a column of another join's table is NULL there.
TEST(RowReportPlannerTest, InATreeEveryJoinReportsItsOwnRows) {
  const Result<StreamPlan> plan = Plan(
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' "
      "SECOND JOIN t ON l.id = t.id AND t.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND",
      {.unmatched = "table_name STRING, id BIGINT, v BIGINT, u BIGINT"}, Mode::kPerRecord);
  ASSERT_TRUE(plan) << plan.error().message;
  const RowReport& outer = *plan->unmatched_rows;
  EXPECT_THAT(Columns(outer.inputs[1]), ElementsAre("table_name", "$0", "NULL", "$2"));
  const std::shared_ptr<const StreamPlan>& inner = plan->join->side(Side::kLeft).input.query;
  ASSERT_NE(inner, nullptr);
  ASSERT_TRUE(inner->unmatched_rows);
  EXPECT_TRUE(inner->join->reports_unmatched);
  EXPECT_THAT(Columns(inner->unmatched_rows->inputs[0]),
              ElementsAre("table_name", "$0", "$2", "NULL"));
}

TEST(RowReportPlannerTest, WhatCannotBeMadeIsRefused) {
  struct Case {
    const char* query;
    Asked asked;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {kJoin, {.late = "why STRING"}, "nothing is known for the column why"},
           {kJoin, {.late = "v STRING"}, "the column v is STRING, but that of l is BIGINT"},
           {kJoin, {.late = "v BIGINT NOT NULL"}, "r has no such column"},
           {kJoin, {.unmatched = "watermark BIGINT"}, "TIMESTAMP(3)"},
           {"SELECT id FROM l", {.unmatched = "id BIGINT"}, "the query has no join"},
       }) {
    const Result<StreamPlan> plan = Plan(c.query, c.asked);
    ASSERT_FALSE(plan) << c.message;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery);
    EXPECT_THAT(plan.error().message, HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace braid
