#include "engine/plan/query_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr const char* kRange =
    "y.ts BETWEEN x.ts - INTERVAL '1' SECOND AND x.ts + INTERVAL '1' SECOND";

StreamPlan Planned(const std::string& query) {
  Result<StreamPlan> plan = PlanScript(StandardTables() + query);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan) : StreamPlan();
}

TEST(QueryShapeTest, AQueryWithoutAJoinHasOneInput) {
  const StreamPlan plan = Planned("SELECT id + 1 AS next, ts FROM l WHERE v > 1");
  ASSERT_TRUE(plan.single.has_value());
  EXPECT_FALSE(plan.join.has_value());
  EXPECT_EQ(ExplainLine(plan, "WHERE"), "l.v > 1");
  EXPECT_EQ(ExplainLine(plan, "output"), "l.id + 1 AS next, l.ts AS ts (row time)");
}

TEST(QueryShapeTest, ViewsOfOneTableAreSubstituted) {
  const StreamPlan plan = Planned(
      "CREATE VIEW positive AS SELECT id AS key_id, v * 2 AS twice, ts FROM l WHERE v > 0;\n"
      "SELECT key_id, twice FROM positive WHERE twice > 10");
  EXPECT_EQ(ExplainLine(plan, "columns read"), "id, ts, v");
  // The inner filter stands first.
  EXPECT_THAT(ExplainLine(plan, "WHERE"), HasSubstr(".v > 0 AND "));
  EXPECT_THAT(ExplainLine(plan, "WHERE"), HasSubstr(".v * 2 > 10"));
}

TEST(QueryShapeTest, WhatStandsBelowAJoinIsASideOfIt) {
  const StreamPlan plan = Planned(
      std::string(
          "SELECT x.a, y.w FROM (SELECT id AS a, ts, v FROM l WHERE v > 1) AS x LEFT JOIN r "
          "AS y ON x.a = y.id AND ") +
      kRange + " WHERE x.v < 9");
  const InputPlan& left = plan.join->side(Side::kLeft).input;
  ASSERT_EQ(left.steps.size(), 1U);
  ASSERT_NE(left.steps[0].filter, nullptr);
  EXPECT_THAT(ExplainLine(plan, "filter"), HasSubstr("v > 1"));
  EXPECT_THAT(ExplainLine(plan, "WHERE before the join, left"), HasSubstr("v < 9"));
  EXPECT_EQ(left.schema.fields[0].name, "a");
}

TEST(QueryShapeTest, SidesAreCalledWhatTheQueryCallsThem) {
  const StreamPlan plan = Planned(
      "CREATE VIEW shown AS SELECT id AS ad, ts AS at FROM r WHERE w > 1;\n"
      "SELECT x.a FROM (SELECT id AS a, ts, v FROM l) AS x JOIN shown ON x.a = shown.ad AND "
      "shown.at BETWEEN x.ts AND x.ts + INTERVAL '5' SECOND");
  EXPECT_EQ(ExplainLine(plan, "left input"), "l AS x");
  EXPECT_EQ(ExplainLine(plan, "right input"), "r AS shown");
  EXPECT_EQ(ExplainLine(plan, "filter"), "r.w > 1");
  EXPECT_EQ(ExplainLine(plan, "equi-join keys"), "x.a = shown.ad");
  EXPECT_EQ(plan.join->side(Side::kLeft).eviction_text, "x.ts < watermark - INTERVAL '5' SECOND");
}

TEST(QueryShapeTest, ComputedColumnsOfASubqueryAreProjectedOnce) {
  const StreamPlan plan = Planned(
      std::string("SELECT x.a, x.a + 1 AS b FROM (SELECT id * 2 AS a, ts, v + 1 AS unused FROM l) "
                  "AS x JOIN r AS y ON x.a = y.id AND ") +
      kRange);
  const InputPlan& left = plan.join->side(Side::kLeft).input;
  ASSERT_EQ(left.steps.size(), 1U);
  EXPECT_EQ(left.steps[0].projection.size(), 2U);
  EXPECT_EQ(left.schema.ToString(), "a BIGINT, ts TIMESTAMP(3)");
  EXPECT_THAT(left.read_columns, testing::ElementsAre(0, 1));
}

TEST(QueryShapeTest, WhatStandsAboveAJoinIsOverJoinedColumns) {
  const StreamPlan plan = Planned(
      std::string("SELECT s * 2 AS twice FROM (SELECT x.v + y.w AS s, y.id AS rid FROM l AS x LEFT "
                  "JOIN r AS y ON x.id = y.id AND ") +
      kRange + ") AS j WHERE rid IS NULL");
  EXPECT_EQ(ExplainLine(plan, "output"), "(x.v + y.w) * 2 AS twice");
  EXPECT_EQ(ExplainLine(plan, "WHERE after the join"), "y.id IS NULL");
}

TEST(QueryShapeTest, ASecondJoinIsRefusedByName) {
  struct Case {
    std::string query;
    const char* named;
  };
  const std::string first = std::string("l AS x JOIN r AS y ON x.id = y.id AND ") + kRange;
  const Case cases[] = {
      {"SELECT x.id FROM " + first + " LEFT JOIN t ON x.id = t.id", "LEFT OUTER JOIN with t"},
      {"SELECT x.id FROM " + first + " JOIN t AS third ON x.id = third.id",
       "INNER JOIN with third"},
      {"SELECT t.id FROM t JOIN (SELECT x.id FROM " + first + ") AS j ON t.id = j.id",
       "INNER JOIN with y"},
      {"SELECT x.id FROM " + first + " WHERE EXISTS (SELECT 1 FROM t WHERE t.id = x.id)",
       "LEFT SEMI JOIN with t"},
  };
  for (const Case& c : cases) {
    const Result<StreamPlan> plan = PlanQuery(c.query);
    ASSERT_FALSE(plan.has_value()) << c.query;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery);
    EXPECT_THAT(plan.error().message, HasSubstr("a second join in a query is not supported yet"));
    EXPECT_THAT(plan.error().message, HasSubstr(c.named)) << c.query;
    EXPECT_GT(plan.error().place.line, 0);
  }
}

TEST(QueryShapeTest, ATableMayBeJoinedWithItself) {
  const StreamPlan plan =
      Planned(std::string("SELECT x.id, y.v FROM l AS x JOIN l AS y ON x.id = y.id AND ") + kRange);
  EXPECT_EQ(ExplainLine(plan, "left input"), "l AS x");
  EXPECT_EQ(ExplainLine(plan, "right input"), "l AS y");
}

}  // namespace
}  // namespace braid
