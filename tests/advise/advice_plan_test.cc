#include "engine/advise/advice_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/sql/parser.h"

namespace braid {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTables = R"(
CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), made TIMESTAMP(3), v BIGINT,
                WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'x');
CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), made TIMESTAMP(3), v BIGINT,
                WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'x');
CREATE TABLE bare (id BIGINT, at TIMESTAMP(3)) WITH ('connector' = 'x');
CREATE TABLE unclear (id BIGINT, at TIMESTAMP(3), other TIMESTAMP(3)) WITH ('connector' = 'x');
CREATE TABLE timeless (id BIGINT) WITH ('connector' = 'x');
)";

Result<AdvicePlan> PlanOf(const std::string& query) {
  const Result<Script> script = ParseScript(kTables + query, {});
  if (!script) return tl::unexpected(script.error());
  return PlanAdvice(*script->query, std::nullopt);
}

TEST(AdvicePlanTest, ChoosesTimesAndReach) {
  const struct {
    const char* query;
    const char* left;
    const char* right;
    Interval max;
  } cases[] = {
      {"SELECT l.id FROM l JOIN r ON l.id = r.id", "l.ts", "r.ts", Seconds(3600)},
      {"SELECT l.id FROM l FULL JOIN r ON l.id = r.id", "l.ts", "r.ts", Seconds(3600)},
      {"SELECT l.id FROM l JOIN bare b ON l.id = b.id", "l.ts", "b.at", Seconds(3600)},
      {"SELECT l.id FROM l JOIN r ON l.id = r.id AND r.made > l.made", "l.made", "r.made",
       Seconds(3600)},
      {"SELECT l.id FROM l JOIN r ON l.id = r.id AND r.made > l.made AND r.ts > l.ts", "l.ts",
       "r.ts", Seconds(3600)},
      {"SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts - INTERVAL '3' HOUR AND "
       "l.ts",
       "l.ts", "r.ts", Seconds(6 * 3600)},
      {"SELECT l.id FROM l JOIN r ON l.id = r.id AND l.ts = r.ts", "l.ts", "r.ts", Seconds(3600)},
      {"SELECT x.id FROM (SELECT id, ts AS t FROM l) AS x LEFT SEMI JOIN r ON x.id = r.id", "x.t",
       "r.ts", Seconds(3600)},
  };
  for (const auto& tested : cases) {
    const Result<AdvicePlan> plan = PlanOf(tested.query);
    ASSERT_TRUE(plan) << tested.query << ": " << plan.error().message;
    EXPECT_EQ(plan->time_names[0], tested.left) << tested.query;
    EXPECT_EQ(plan->time_names[1], tested.right) << tested.query;
    EXPECT_EQ(plan->max, tested.max) << tested.query;
    EXPECT_EQ(plan->plan.join->null_safe_keys.size(), 1U) << tested.query;
  }
}

TEST(AdvicePlanTest, RefusesWhatHasNoDistance) {
  const struct {
    const char* query;
    const char* message;
  } cases[] = {
      {"SELECT id FROM l", "reads one"},
      {"SELECT l.id FROM l JOIN unclear u ON l.id = u.id",
       "which time of u counts: u.at or u.other"},
      {"SELECT l.id FROM l JOIN timeless t ON l.id = t.id", "no column of t is a TIMESTAMP"},
      {"SELECT l.id FROM l JOIN r ON l.made IS NOT DISTINCT FROM r.ts", "IS NOT DISTINCT FROM"},
  };
  for (const auto& tested : cases) {
    const Result<AdvicePlan> plan = PlanOf(tested.query);
    ASSERT_FALSE(plan) << tested.query;
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery);
    EXPECT_THAT(plan.error().message, HasSubstr(tested.message));
  }
}

TEST(AdvicePlanTest, SaysWhichWhereDoesNotCount) {
  const Result<AdvicePlan> plan =
      PlanOf("SELECT l.id FROM l LEFT JOIN r ON l.id = r.id WHERE r.id IS NULL AND l.v > 1");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->notes.size(), 1U);
  EXPECT_THAT(plan->notes[0], HasSubstr("r.id IS NULL"));
  EXPECT_NE(plan->plan.join->side(Side::kLeft).pre_join_filter, nullptr);
  EXPECT_EQ(plan->plan.join->side(Side::kRight).pre_join_filter, nullptr);
}

}  // namespace
}  // namespace braid
