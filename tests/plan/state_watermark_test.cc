#include "engine/plan/state_watermark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::HasSubstr;

StreamPlan Planned(const std::string& query) {
  Result<StreamPlan> plan = PlanQuery(query);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan) : StreamPlan();
}

// What is in state after its watermark predicate: "never", or the predicate.
std::string Predicate(const StreamPlan& plan, Side side) {
  const JoinSidePlan& side_plan = plan.join->side(side);
  return side_plan.eviction_offset ? side_plan.eviction_text : "never";
}

TEST(StateWatermarkTest, EachSideGoesByWhatTheOtherSideCanStillBring) {
  struct Case {
    const char* condition;
    const char* left;
    int64_t left_offset_micros;
    const char* right;
    int64_t right_offset_micros;
  };
  const Case cases[] = {
      // Ranges.
      {"r.ts BETWEEN l.ts - INTERVAL '3' SECOND AND l.ts + INTERVAL '10' SECOND",
       "l.ts < watermark - INTERVAL '10' SECOND", -10'000'000,
       "r.ts < watermark - INTERVAL '3' SECOND", -3'000'000},
      {"r.ts > l.ts - INTERVAL '3' SECOND AND r.ts < l.ts + INTERVAL '10' SECOND",
       "l.ts <= watermark - INTERVAL '10' SECOND", -9'999'999,
       "r.ts <= watermark - INTERVAL '3' SECOND", -2'999'999},
      {"r.ts >= l.ts AND r.ts <= l.ts + INTERVAL '5' SECOND",
       "l.ts < watermark - INTERVAL '5' SECOND", -5'000'000, "r.ts < watermark", 0},
      {"r.ts BETWEEN l.ts + INTERVAL '5' SECOND AND l.ts + INTERVAL '10' SECOND",
       "l.ts < watermark - INTERVAL '10' SECOND", -10'000'000,
       "r.ts < watermark + INTERVAL '5' SECOND", 5'000'000},
      {"r.ts - l.ts >= INTERVAL '0' SECOND AND r.ts - l.ts <= INTERVAL '5' SECOND",
       "l.ts < watermark - INTERVAL '5' SECOND", -5'000'000, "r.ts < watermark", 0},
      // Of two bounds of one kind the narrower counts.
      {"r.ts >= l.ts AND r.ts <= l.ts + INTERVAL '60' SECOND AND r.ts <= l.ts + INTERVAL '5' "
       "SECOND",
       "l.ts < watermark - INTERVAL '5' SECOND", -5'000'000, "r.ts < watermark", 0},
      // This side's column may be any timestamp.
      {"r.ts <= l.made + INTERVAL '5' SECOND AND r.made >= l.ts",
       "l.made < watermark - INTERVAL '5' SECOND", -5'000'000, "r.made < watermark", 0},
      // Keys.
      {"l.ts = r.ts", "l.ts <= watermark", 1, "r.ts <= watermark", 1},
      {"l.ts = r.ts - INTERVAL '5' SECOND", "l.ts <= watermark - INTERVAL '5' SECOND", -4'999'999,
       "r.ts <= watermark + INTERVAL '5' SECOND", 5'000'001},
      {"l.ts + INTERVAL '5' SECOND = r.ts + INTERVAL '3' SECOND",
       "l.ts <= watermark - INTERVAL '5' SECOND", -4'999'999,
       "r.ts <= watermark - INTERVAL '3' SECOND", -2'999'999},
      {"l.made = r.ts AND l.ts = r.made", "l.made <= watermark", 1, "r.made <= watermark", 1},
      // A key goes before a range.
      {"l.ts = r.ts AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND", "l.ts <= watermark", 1,
       "r.ts <= watermark", 1},
      // An equality that is no key, since one operand has both sides, is a range.
      {"r.ts - l.ts = INTERVAL '5' SECOND", "l.ts < watermark - INTERVAL '5' SECOND", -5'000'000,
       "r.ts < watermark + INTERVAL '5' SECOND", 5'000'000},
      {"l.ts IS NOT DISTINCT FROM r.ts", "l.ts <= watermark", 1, "r.ts <= watermark", 1},
      // One bound, or none.
      {"r.ts >= l.ts", "never", 0, "r.ts < watermark", 0},
      {"r.ts <= l.ts + INTERVAL '5' SECOND", "l.ts < watermark - INTERVAL '5' SECOND", -5'000'000,
       "never", 0},
      {"l.v < r.w", "never", 0, "never", 0},
      {"r.made BETWEEN l.made AND l.made", "never", 0, "never", 0},
  };
  for (const Case& c : cases) {
    const StreamPlan plan =
        Planned(std::string("SELECT l.id FROM l JOIN r ON l.id = r.id AND ") + c.condition);
    EXPECT_EQ(Predicate(plan, Side::kLeft), c.left) << c.condition;
    EXPECT_EQ(Predicate(plan, Side::kRight), c.right) << c.condition;
    const Interval left{plan.join->sides[0].eviction_offset.value_or(Interval{0})};
    const Interval right{plan.join->sides[1].eviction_offset.value_or(Interval{0})};
    EXPECT_EQ(left.micros, c.left_offset_micros) << c.condition;
    EXPECT_EQ(right.micros, c.right_offset_micros) << c.condition;
  }
}

TEST(StateWatermarkTest, OneTermIsThePlainColumn) {
  const StreamPlan plan = Planned(
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' "
      "SECOND");
  for (const JoinSidePlan& side : plan.join->sides) {
    ASSERT_EQ(side.time.size(), 1U);
    EXPECT_EQ(side.time[0].column, 1);
    EXPECT_EQ(side.time[0].offset, Interval{0});
  }
}

TEST(StateWatermarkTest, OfBoundsOnDifferentColumnsTheFirstToLetGoCounts) {
  const StreamPlan plan = Planned(
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts <= l.ts + INTERVAL '5' SECOND AND r.ts < "
      "l.made + INTERVAL '1' SECOND");
  const JoinSidePlan& left = plan.join->sides[0];
  EXPECT_EQ(left.eviction_text,
            "l.ts < watermark - INTERVAL '5' SECOND or l.made <= watermark - INTERVAL '1' SECOND");
  ASSERT_EQ(left.time.size(), 2U);
  // ts + 5 s < watermark, made + 0.999999 s < watermark.
  EXPECT_EQ(left.time[0].column, 1);
  EXPECT_EQ(left.time[0].offset, Seconds(5));
  EXPECT_EQ(left.time[1].column, 6);
  EXPECT_EQ(left.time[1].offset, Interval{999'999});
  EXPECT_EQ(left.eviction_offset, Interval{0});
  // Such a time decides no range.
  EXPECT_EQ(ExplainLine(plan, "time range"), "none");
  EXPECT_EQ(ExplainLine(plan, "postJoinFilter"),
            "r.ts <= l.ts + INTERVAL '5' SECOND AND r.ts < l.made + INTERVAL '1' SECOND");
}

// Which sides may wait for ever, by the join type (SEMANTICS: one-sided cases).
TEST(StateWatermarkTest, RefusesSidesThatMustDecideAndNeverGo) {
  struct Case {
    const char* condition;
    const char* left;
    const char* right;
    std::vector<const char*> refused;
  };
  const std::vector<const char*> right_waits = {"RIGHT", "FULL"};
  const std::vector<const char*> left_waits = {"LEFT", "FULL", "LEFT SEMI", "LEFT ANTI"};
  const std::vector<const char*> both_wait = {"LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"};
  const char* const both = "y.ts BETWEEN x.ts - INTERVAL '9' SECOND AND x.ts + INTERVAL '9' SECOND";
  const Case cases[] = {
      {both, "l", "r", {}},
      {both, "l", "r0", left_waits},
      {both, "l0", "r", right_waits},
      {both, "l0", "r0", both_wait},
      {"y.ts >= x.ts", "l", "r", left_waits},
      {"y.ts <= x.ts + INTERVAL '5' SECOND", "l", "r", right_waits},
      {"x.ts = y.ts", "l", "r", {}},
      {"x.ts = y.ts", "l", "r0", left_waits},
      {"x.ts = y.ts", "l0", "r", right_waits},
      {"x.ts = y.ts", "l0", "r0", both_wait},
      {"x.id = y.id", "l", "r", both_wait},
      {"x.ts IS NOT DISTINCT FROM y.ts", "l", "r", both_wait},
      {"x.ts IS NOT DISTINCT FROM y.ts AND y.ts >= x.ts", "l", "r", {}},
  };
  for (const Case& c : cases) {
    for (const char* type : {"", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"}) {
      const std::string query = std::string("SELECT x.id FROM ") + c.left + " AS x " + type +
                                " JOIN " + c.right + " AS y ON x.id = y.id AND " + c.condition;
      bool refused = false;
      for (const char* other : c.refused) refused = refused || std::string(other) == type;
      const Result<StreamPlan> plan = PlanQuery(query);
      EXPECT_EQ(!plan.has_value(), refused)
          << query << ": " << (plan ? "planned" : plan.error().message);
      if (!plan) {
        EXPECT_EQ(plan.error().code, ErrorCode::kInvalidQuery) << query;
      }
    }
  }
}

TEST(StateWatermarkTest, ANullSafeTimeKeyKeepsRowsWithANullTime) {
  EXPECT_THAT(
      RefusalOf("SELECT l.id FROM l LEFT JOIN r ON l.id = r.id AND l.ts IS NOT DISTINCT FROM r.ts"),
      HasSubstr("rows with a NULL in l.ts may match by IS NOT DISTINCT FROM and never expire; "
                "write = instead"));
  const StreamPlan inner =
      Planned("SELECT l.id FROM l JOIN r ON l.id = r.id AND l.ts IS NOT DISTINCT FROM r.ts");
  EXPECT_THAT(inner.warnings, testing::Contains(HasSubstr("rows with a NULL in l.ts")));
}

TEST(StateWatermarkTest, RowTimeIsTrackedThroughViewsAndLostByExpressions) {
  struct Case {
    const char* right;
    const char* left_predicate;
  };
  const Case cases[] = {
      {"(SELECT id, ts FROM r)", "l.ts < watermark"},
      {"(SELECT id, ts AS ts FROM (SELECT ts, id FROM r WHERE w > 1) AS x)", "l.ts < watermark"},
      {"(SELECT id, CAST(ts AS TIMESTAMP(6)) AS ts FROM r)", "never"},
      {"(SELECT id, ts + INTERVAL '1' SECOND AS ts FROM r)", "never"},
      {"(SELECT id, made AS ts FROM r)", "never"},
  };
  for (const Case& c : cases) {
    const StreamPlan plan = Planned(std::string("SELECT l.id FROM l JOIN ") + c.right +
                                    " AS y ON l.id = y.id AND y.ts <= l.ts");
    EXPECT_EQ(Predicate(plan, Side::kLeft), c.left_predicate) << c.right;
  }
}

TEST(StateWatermarkTest, ExplainSaysHowLongRowsStay) {
  const StreamPlan plan = Planned(
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts >= l.ts AND r.ts < l.ts + INTERVAL '10' "
      "SECOND");
  const std::string text = ExplainPlan(plan, Mode::kMicroBatch);
  EXPECT_THAT(text,
              HasSubstr("left rows are removed when l.ts <= watermark - INTERVAL '10' SECOND"));
  EXPECT_THAT(text, HasSubstr("a row stays until event time is INTERVAL '15' SECOND past its "
                              "l.ts, of which the watermark delay is INTERVAL '5' SECOND"));
  EXPECT_THAT(text, HasSubstr("right rows are removed when r.ts < watermark"));
}

}  // namespace
}  // namespace braid
