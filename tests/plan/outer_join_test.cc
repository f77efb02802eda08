#include "engine/plan/outer_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

constexpr const char* kOn =
    " ON l.id = r.id AND r.ts BETWEEN l.ts - INTERVAL '10' SECOND AND l.ts + INTERVAL '10' SECOND ";

TEST(OuterJoinTest, WhereTakesPaddingsAway) {
  struct Case {
    const char* join;
    const char* where;
    JoinType type;
  };
  const Case cases[] = {
      {"LEFT", "r.w > 5", JoinType::kInner},
      {"LEFT", "r.w IS NOT NULL", JoinType::kInner},
      {"LEFT", "r.w IS NULL", JoinType::kLeft},
      {"LEFT", "r.w IS NULL OR r.w < 4", JoinType::kLeft},
      {"LEFT", "l.v > 5", JoinType::kLeft},
      {"LEFT", "COALESCE(r.w, 0) > 5", JoinType::kLeft},
      {"LEFT", "l.v < r.w", JoinType::kInner},
      {"RIGHT", "l.v > 1", JoinType::kInner},
      {"RIGHT", "r.w > 1", JoinType::kRight},
      {"FULL", "l.id IS NOT NULL", JoinType::kLeft},
      {"FULL", "r.w > 1", JoinType::kRight},
      {"FULL", "l.v = r.w", JoinType::kInner},
      {"FULL", "l.v > 1 AND r.w > 1", JoinType::kInner},
      {"FULL", "l.v > 1 OR r.w > 1", JoinType::kFull},
      {"LEFT SEMI", "l.v > 1", JoinType::kLeftSemi},
      {"LEFT ANTI", "l.v > 1", JoinType::kLeftAnti},
  };
  for (const Case& c : cases) {
    const std::string query =
        std::string("SELECT l.id FROM l ") + c.join + " JOIN r" + kOn + "WHERE " + c.where;
    const Result<StreamPlan> plan = PlanQuery(query);
    ASSERT_TRUE(plan.has_value()) << query << ": " << plan.error().message;
    EXPECT_EQ(plan->join->type, c.type) << query;
  }
}

TEST(OuterJoinTest, ExplainSaysWhatWhereDidToTheJoin) {
  EXPECT_EQ(
      ExplainLineOf(std::string("SELECT l.id FROM l FULL JOIN r") + kOn + "WHERE l.v > 1", "join"),
      "LEFT OUTER JOIN (written FULL OUTER; WHERE rejects the rows padded with NULLs)");
  EXPECT_EQ(ExplainLineOf(std::string("SELECT l.id FROM l FULL JOIN r") + kOn, "join"),
            "FULL OUTER JOIN");
}

TEST(OuterJoinTest, WhereOverAViewOfAJoinCountsToo) {
  const std::string script = StandardTables() +
                             "CREATE VIEW both_sides AS SELECT l.id AS a, r.w AS c FROM l LEFT "
                             "JOIN r" +
                             kOn + ";\nSELECT a FROM both_sides WHERE c > 5";
  const Result<StreamPlan> plan = PlanScript(script);
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_EQ(plan->join->type, JoinType::kInner);
  EXPECT_EQ(ExplainLine(*plan, "preJoinFilter right"), "r.w > 5");
}

}  // namespace
}  // namespace braid
