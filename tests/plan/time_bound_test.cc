#include "engine/plan/time_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::HasSubstr;

std::string Join(const std::string& condition) {
  return "SELECT l.id FROM l JOIN r ON l.id = r.id AND " + condition;
}

TEST(TimeBoundTest, IsReadFromEveryLinearForm) {
  struct Case {
    const char* condition;
    const char* range;  // Of r.ts - l.ts.
  };
  const Case cases[] = {
      {"r.ts <= l.ts + INTERVAL '5' SECOND", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"l.ts + INTERVAL '5' SECOND >= r.ts", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"r.ts - INTERVAL '5' SECOND <= l.ts", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"l.ts >= r.ts - INTERVAL '5' SECOND", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"INTERVAL '5' SECOND + l.ts >= r.ts", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"r.ts - l.ts <= INTERVAL '5' SECOND", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"l.ts - r.ts >= INTERVAL '-5' SECOND", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"l.ts - r.ts >= -INTERVAL '5' SECOND", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"r.ts - l.ts - INTERVAL '5' SECOND <= INTERVAL '0' SECOND",
       "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"r.ts - INTERVAL '2' SECOND <= l.ts + INTERVAL '3' SECOND",
       "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"r.ts <= l.ts + INTERVAL '30' SECOND + INTERVAL '30' SECOND",
       "r.ts - l.ts <= INTERVAL '1' MINUTE"},
      {"r.ts <= l.ts + INTERVAL '5' SECOND * 3", "r.ts - l.ts <= INTERVAL '15' SECOND"},
      {"r.ts <= l.ts + 3 * INTERVAL '5' SECOND", "r.ts - l.ts <= INTERVAL '15' SECOND"},
      {"r.ts <= l.ts + (1 + 2) * INTERVAL '5' SECOND", "r.ts - l.ts <= INTERVAL '15' SECOND"},
      {"r.ts <= TIMESTAMPADD(SECOND, 5, l.ts)", "r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"r.ts <= TIMESTAMPADD(MINUTE, -5, l.ts)", "r.ts - l.ts <= -INTERVAL '5' MINUTE"},
      {"r.ts <= l.ts + INTERVAL '1 02:03:04.5' DAY TO SECOND",
       "r.ts - l.ts <= INTERVAL '93784.500' SECOND"},
      {"r.ts < l.ts + INTERVAL '5' SECOND", "r.ts - l.ts <= INTERVAL '4.999999' SECOND"},
      {"r.ts > l.ts", "INTERVAL '0.000001' SECOND <= r.ts - l.ts"},
      {"r.ts >= l.ts", "INTERVAL '0' SECOND <= r.ts - l.ts"},
      {"r.ts - l.ts = INTERVAL '5' SECOND", "r.ts - l.ts = INTERVAL '5' SECOND"},
      {"l.ts = r.ts", "r.ts - l.ts = INTERVAL '0' SECOND"},
      {"l.ts + INTERVAL '5' SECOND = r.ts + INTERVAL '3' SECOND",
       "r.ts - l.ts = INTERVAL '2' SECOND"},
      {"r.ts BETWEEN l.ts AND l.ts + INTERVAL '60' SECOND",
       "INTERVAL '0' SECOND <= r.ts - l.ts <= INTERVAL '1' MINUTE"},
      {"NOT r.ts > l.ts + INTERVAL '5' SECOND", "none"},
      {"(r.ts <= l.ts OR l.v = r.w)", "none"},
      {"CAST(r.ts AS TIMESTAMP(6)) <= l.ts", "none"},
      {"CAST(r.ts AS TIMESTAMP(3)) <= l.ts", "none"},
      {"CAST(r.ts AS TIMESTAMP_LTZ(3)) <= l.z", "none"},
      {"r.w <= l.v + 5", "none"},
      {"r.ts <> l.ts", "none"},
      {"r.ts IS DISTINCT FROM l.ts", "none"},
      {"r.ts <= COALESCE(l.ts, l.made)", "none"},
      {"r.ts - l.ts <= l.made - l.big", "none"},
  };
  for (const Case& c : cases) EXPECT_EQ(ExplainLineOf(Join(c.condition), "time range"), c.range);
}

TEST(TimeBoundTest, ComparesTimestampsOfDifferentPrecision) {
  EXPECT_EQ(ExplainLineOf(Join("r.ts <= l.big + INTERVAL '5' SECOND"), "time range"),
            "r.ts - l.big <= INTERVAL '5' SECOND");
}

TEST(TimeBoundTest, SaturatesInsteadOfWrapping) {
  const std::string far = "INTERVAL '9000000000' SECOND * 1000";
  EXPECT_EQ(ExplainLineOf(Join("r.ts <= l.ts + " + far + " + " + far), "time range"),
            "r.ts - l.ts <= INTERVAL '9223372036854.775807' SECOND");
}

TEST(TimeBoundTest, SeveralBoundsIntersect) {
  struct Case {
    const char* condition;
    const char* range;
  };
  const Case cases[] = {
      {"r.ts >= l.ts AND r.ts <= l.ts + INTERVAL '5' SECOND AND r.ts <= l.ts + INTERVAL '60' "
       "SECOND",
       "INTERVAL '0' SECOND <= r.ts - l.ts <= INTERVAL '5' SECOND"},
      {"r.ts > l.ts - INTERVAL '2' SECOND AND r.ts >= l.ts - INTERVAL '2' SECOND",
       "-INTERVAL '1.999999' SECOND <= r.ts - l.ts"},
      {"l.ts = r.ts AND r.ts <= l.ts + INTERVAL '5' SECOND", "r.ts - l.ts = INTERVAL '0' SECOND"},
      {"r.ts > l.ts + INTERVAL '5' SECOND AND r.ts < l.ts - INTERVAL '5' SECOND",
       "r.ts - l.ts is in an empty range: nothing matches"},
  };
  for (const Case& c : cases) EXPECT_EQ(ExplainLineOf(Join(c.condition), "time range"), c.range);
}

TEST(TimeBoundTest, WhatTheRangeDecidesIsNotFilteredAgain) {
  const Result<StreamPlan> plan =
      PlanQuery(Join("r.ts <= l.ts + INTERVAL '5' SECOND AND r.ts >= l.made AND r.w > l.v"));
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_EQ(ExplainLine(*plan, "time range"), "r.ts - l.ts <= INTERVAL '5' SECOND");
  EXPECT_EQ(ExplainLine(*plan, "postJoinFilter"), "r.ts >= l.made AND r.w > l.v");
}

TEST(TimeBoundTest, TimesAreStoredForTheRangeAloneToo) {
  const Result<StreamPlan> plan = PlanQuery(
      "SELECT l0.id FROM l0 JOIN r0 ON l0.id = r0.id AND r0.ts >= l0.ts AND r0.big >= l0.big");
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  for (const JoinSidePlan& side : plan->join->sides) {
    ASSERT_EQ(side.time.size(), 1U);
    EXPECT_EQ(side.time[0].column, 1);
    EXPECT_FALSE(side.eviction_offset.has_value());
  }
  EXPECT_EQ(ExplainLine(*plan, "postJoinFilter"), "r0.big >= l0.big");
}

TEST(TimeBoundTest, RefusesWhatHasNoFixedLength) {
  for (const char* condition :
       {"r.ts <= l.ts + INTERVAL '1' MONTH", "r.ts - INTERVAL '1' YEAR <= l.ts",
        "r.ts <= l.ts + 2 * INTERVAL '1' MONTH"}) {
    EXPECT_THAT(RefusalOf(Join(condition)), HasSubstr("a month or a year is not a fixed length"))
        << condition;
  }
  EXPECT_EQ(RefusalOf(Join("r.ts = l.ts AND l.ts + INTERVAL '1' MONTH > TIMESTAMP '2024-01-01 "
                           "00:00:00'")),
            "(planned)");
}

TEST(TimeBoundTest, RefusesProcessingTime) {
  const std::string tables =
      "CREATE TABLE a (id BIGINT, pt AS PROCTIME()) WITH ('connector' = 'blackhole');\n"
      "CREATE TABLE b (id BIGINT, pt AS PROCTIME()) WITH ('connector' = 'blackhole');\n";
  for (const char* condition :
       {"b.pt BETWEEN a.pt - INTERVAL '1' SECOND AND a.pt", "a.pt = b.pt", "a.pt <=> b.pt"}) {
    const Result<StreamPlan> plan =
        PlanScript(tables + "SELECT a.id FROM a JOIN b ON a.id = b.id AND " + condition);
    ASSERT_FALSE(plan.has_value()) << condition;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery);
    EXPECT_THAT(plan.error().message, HasSubstr("a processing-time bound needs per-record mode"));
    EXPECT_GT(plan.error().place.line, 0);
  }
}

}  // namespace
}  // namespace braid
