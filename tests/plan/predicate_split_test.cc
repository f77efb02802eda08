#include "engine/plan/predicate_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kRange =
    "r.ts BETWEEN l.ts - INTERVAL '10' SECOND AND l.ts + INTERVAL '10' SECOND";

std::string Join(const std::string& type, const std::string& on, const std::string& where = "") {
  return "SELECT l.id, l.v FROM l " + type + " JOIN r ON " + on + " AND " + kRange +
         (where.empty() ? "" : " WHERE " + where);
}

StreamPlan Planned(const std::string& query) {
  Result<StreamPlan> plan = PlanQuery(query);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan) : StreamPlan();
}

TEST(PredicateSplitTest, EqualitiesOfOneSideEachAreKeys) {
  struct Case {
    const char* on;
    const char* keys;
    const char* post;
  };
  const Case cases[] = {
      {"l.id = r.id", "l.id = r.id", "none"},
      {"r.id = l.id", "l.id = r.id", "none"},
      {"l.id = r.id AND l.name = r.name", "l.id = r.id, l.name = r.name", "none"},
      {"l.id + 1 = r.id", "l.id + 1 = r.id", "none"},
      {"l.id IS NOT DISTINCT FROM r.id", "l.id IS NOT DISTINCT FROM r.id", "none"},
      {"l.id <=> r.id", "l.id IS NOT DISTINCT FROM r.id", "none"},
      {"l.k = r.id", "l.k = r.id", "none"},
      {"l.id + r.id = 3", "none", "l.id + r.id = 3"},
      {"l.id - r.id = r.w", "none", "l.id - r.id = r.w"},
      {"l.id <> r.id", "none", "l.id <> r.id"},
      {"(l.id = r.id OR l.v = r.w)", "none", "l.id = r.id OR l.v = r.w"},
      {"l.v < r.w", "none", "l.v < r.w"},
  };
  for (const Case& c : cases) {
    const StreamPlan plan = Planned(Join("", c.on));
    EXPECT_EQ(ExplainLine(plan, "equi-join keys"), c.keys) << c.on;
    EXPECT_EQ(ExplainLine(plan, "postJoinFilter"), c.post) << c.on;
  }
}

TEST(PredicateSplitTest, KeysOfBothSidesHaveOneType) {
  const char* const conditions[] = {"l.k = r.id",   "l.d = r.id", "l.m = r.id",
                                    "l.big = r.ts", "l.p = r.p",  "l.name = r.name"};
  for (const char* condition : conditions) {
    const StreamPlan plan = Planned(Join("", condition));
    ASSERT_TRUE(plan.join.has_value()) << condition;
    EXPECT_EQ(plan.join->sides[0].keys[0]->type.kind, plan.join->sides[1].keys[0]->type.kind)
        << condition;
    EXPECT_EQ(plan.join->sides[0].keys[0]->type.scale, plan.join->sides[1].keys[0]->type.scale)
        << condition;
  }
}

TEST(PredicateSplitTest, OneSidedConditionsOfOnActBeforeTheJoin) {
  const StreamPlan plan = Planned(Join("LEFT", "l.id = r.id AND l.v > 1 AND r.w > 2 AND 1 = 0"));
  EXPECT_EQ(ExplainLine(plan, "preJoinFilter left"), "l.v > 1 AND 1 = 0");
  EXPECT_EQ(ExplainLine(plan, "preJoinFilter right"), "r.w > 2 AND 1 = 0");
  EXPECT_EQ(ExplainLine(plan, "postJoinFilter"), "none");
}

TEST(PredicateSplitTest, WhereActsWhereTheJoinTypeLetsIt) {
  struct Case {
    const char* type;
    const char* where;
    const char* left_before;
    const char* right_before;
    const char* after;
    const char* left_pre;
  };
  const Case cases[] = {
      {"", "l.v > 1", "(absent)", "(absent)", "none", "l.v > 1"},
      {"LEFT", "l.v > 1", "l.v > 1", "(absent)", "none", "none"},
      {"LEFT", "r.w IS NULL", "(absent)", "(absent)", "r.w IS NULL", "none"},
      {"LEFT", "l.v > 1 AND r.w IS NULL", "l.v > 1", "(absent)", "r.w IS NULL", "none"},
      {"LEFT", "l.v IS NULL OR r.w IS NULL", "(absent)", "(absent)", "l.v IS NULL OR r.w IS NULL",
       "none"},
      {"LEFT", "1 = 1", "(absent)", "(absent)", "1 = 1", "none"},
      {"RIGHT", "r.w > 1", "(absent)", "r.w > 1", "none", "none"},
      {"RIGHT", "l.v IS NULL", "(absent)", "(absent)", "l.v IS NULL", "none"},
      {"FULL", "l.v IS NULL", "(absent)", "(absent)", "l.v IS NULL", "none"},
      {"LEFT SEMI", "l.v > 1", "l.v > 1", "(absent)", "none", "none"},
      {"LEFT ANTI", "l.v > 1", "l.v > 1", "(absent)", "none", "none"},
  };
  for (const Case& c : cases) {
    const StreamPlan plan = Planned(Join(c.type, "l.id = r.id", c.where));
    EXPECT_EQ(ExplainLine(plan, "WHERE before the join, left"), c.left_before) << c.type << c.where;
    EXPECT_EQ(ExplainLine(plan, "WHERE before the join, right"), c.right_before) << c.type;
    EXPECT_EQ(ExplainLine(plan, "WHERE after the join"), c.after) << c.type << c.where;
    EXPECT_EQ(ExplainLine(plan, "preJoinFilter left"), c.left_pre) << c.type << c.where;
  }
}

TEST(PredicateSplitTest, WhereOfAnInnerJoinMakesKeysAndBounds) {
  const StreamPlan plan =
      Planned(std::string("SELECT l.id FROM l, r WHERE l.id = r.id AND ") + kRange);
  EXPECT_EQ(ExplainLine(plan, "equi-join keys"), "l.id = r.id");
  EXPECT_EQ(ExplainLine(plan, "time range"),
            "-INTERVAL '10' SECOND <= r.ts - l.ts <= INTERVAL '10' SECOND");
  EXPECT_EQ(plan.where, nullptr);
}

TEST(PredicateSplitTest, KnowsTheColumnsWhoseNullsPreventAMatch) {
  // Columns: id 0, ts 1, v/w 2.
  struct Case {
    const char* on;
    std::vector<int> left;
    std::vector<int> right;
  };
  const Case cases[] = {
      {"l.id = r.id", {0, 1}, {0, 1}},
      {"l.id IS NOT DISTINCT FROM r.id", {1}, {1}},
      {"l.id = r.id AND l.v < r.w", {0, 1, 2}, {0, 1, 2}},
      {"l.id = r.id AND (l.v > 3 OR r.w > 3)", {0, 1}, {0, 1}},
      {"l.id = r.id AND COALESCE(l.v, 0) < r.w", {0, 1}, {0, 1, 2}},
  };
  for (const Case& c : cases) {
    const StreamPlan plan = Planned(Join("LEFT", c.on));
    EXPECT_EQ(plan.join->sides[0].null_rejecting_columns, c.left) << c.on;
    EXPECT_EQ(plan.join->sides[1].null_rejecting_columns, c.right) << c.on;
    EXPECT_THAT(plan.join->sides[0].null_time_columns, ElementsAre(1)) << c.on;
    EXPECT_THAT(plan.join->sides[1].null_time_columns, ElementsAre(1)) << c.on;
  }
}

TEST(PredicateSplitTest, ANullSafeTimeKeyDoesNotRuleNullOut) {
  const StreamPlan plan =
      Planned("SELECT l.id FROM l JOIN r ON l.id = r.id AND l.ts IS NOT DISTINCT FROM r.ts");
  EXPECT_THAT(plan.join->sides[0].null_time_columns, IsEmpty());
  EXPECT_THAT(plan.join->sides[0].null_rejecting_columns, ElementsAre(0));
  EXPECT_EQ(ExplainLine(plan, "time range"), "none");
}

TEST(PredicateSplitTest, ExistsAndInAreSemiJoins) {
  struct Case {
    const char* query;
    JoinType type;
  };
  const Case cases[] = {
      {"SELECT l.id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE l.id = r.id AND r.ts = l.ts)",
       JoinType::kLeftSemi},
      {"SELECT l.id FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE l.id = r.id AND r.ts = l.ts)",
       JoinType::kLeftAnti},
      {"SELECT l.id FROM l WHERE l.id IN (SELECT r.id FROM r WHERE r.ts = l.ts)",
       JoinType::kLeftSemi},
  };
  for (const Case& c : cases) {
    const StreamPlan plan = Planned(c.query);
    ASSERT_TRUE(plan.join.has_value()) << c.query;
    EXPECT_EQ(plan.join->type, c.type) << c.query;
    EXPECT_EQ(plan.join->null_safe_keys.size(), 2U) << c.query;
  }
}

}  // namespace
}  // namespace braid
