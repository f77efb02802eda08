#include "engine/plan/missing_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::HasSubstr;

TEST(MissingBoundTest, NamesTheMissingPartAndTheLineToAdd) {
  struct Case {
    const char* query;
    const char* reason;
    const char* line;
  };
  const Case cases[] = {
      {"SELECT l.id FROM l LEFT JOIN r0 ON l.id = r0.id AND r0.ts BETWEEN l.ts AND l.ts + INTERVAL "
       "'5' SECOND",
       "table r0 has no watermark",
       "add to CREATE TABLE r0: WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"},
      {"SELECT l.id FROM l LEFT JOIN r0 ON l.id = r0.id AND r0.made <= l.ts",
       "table r0 has no watermark",
       "add to CREATE TABLE r0: WATERMARK FOR made AS made - INTERVAL '5' SECOND"},
      {"SELECT l.id FROM l LEFT JOIN r0 ON l.id = r0.id", "table r0 has no watermark",
       "and add to the join condition: AND r0.ts <= l.ts + INTERVAL '1' HOUR"},
      {"SELECT l.id FROM l LEFT JOIN r ON l.id = r.id",
       "the join condition does not say how far r.ts may be after l.ts",
       "add to the join condition: AND r.ts <= l.ts + INTERVAL '1' HOUR"},
      {"SELECT l.id FROM l LEFT JOIN r ON l.id = r.id AND r.ts >= l.ts",
       "how far r.ts may be after l.ts, only how far before it",
       "add to the join condition: AND r.ts <= l.ts + INTERVAL '1' HOUR"},
      {"SELECT l.id FROM l RIGHT JOIN r ON l.id = r.id AND r.ts <= l.ts",
       "how far l.ts may be after r.ts, only how far before it",
       "add to the join condition: AND l.ts <= r.ts + INTERVAL '1' HOUR"},
      {"SELECT l.id FROM l LEFT JOIN r ON l.id = r.id AND r.made <= l.ts",
       "r.made is not row time (the watermark of table r is on r.ts)",
       "add to the join condition: AND r.ts <= l.ts + INTERVAL '1' HOUR"},
      {"SELECT l.id FROM l LEFT JOIN (SELECT id, w FROM r) AS y ON l.id = y.id",
       "the row time ts of table r does not reach the join",
       "select it unchanged there and compare it with a time of l"},
      {"SELECT l.id FROM l LEFT SEMI JOIN r ON l.id = r.id",
       "LEFT SEMI JOIN: rows of l without a match would be kept for ever",
       "AND r.ts <= l.ts + INTERVAL '1' HOUR"},
      {"SELECT l.id FROM l LEFT ANTI JOIN r ON l.id = r.id",
       "LEFT ANTI JOIN: rows of l could never be emitted", "AND r.ts <= l.ts"},
      {"SELECT l.id FROM l FULL JOIN r ON l.id = r.id AND r.ts <= l.ts",
       "FULL OUTER JOIN: rows of r without a match could never be emitted with NULLs for the left "
       "side",
       "AND l.ts <= r.ts + INTERVAL '1' HOUR"},
  };
  for (const Case& c : cases) {
    const std::string refusal = RefusalOf(c.query);
    EXPECT_THAT(refusal, HasSubstr(c.reason)) << c.query;
    EXPECT_THAT(refusal, HasSubstr(c.line)) << c.query;
  }
}

TEST(MissingBoundTest, TheLineThatItPrintsIsAllThatIsMissing) {
  EXPECT_EQ(RefusalOf("SELECT l.id FROM l LEFT JOIN r ON l.id = r.id AND r.ts >= l.ts AND r.ts <= "
                      "l.ts + INTERVAL '1' HOUR"),
            "(planned)");
  EXPECT_EQ(RefusalOf("SELECT l.id FROM l RIGHT JOIN r ON l.id = r.id AND r.ts <= l.ts AND l.ts <= "
                      "r.ts + INTERVAL '1' HOUR"),
            "(planned)");
}

TEST(MissingBoundTest, AnInnerJoinRunsWithTheSameWordsAsAWarning) {
  const Result<StreamPlan> plan = PlanQuery(
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts >= "
      "l.ts");
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_THAT(plan->warnings,
              testing::ElementsAre(
                  "rows of l are never removed, so state grows for ever: the join condition does "
                  "not say how far r.ts may be after l.ts, only how far before it; add to the join "
                  "condition: AND r.ts <= l.ts + INTERVAL '1' HOUR (or whatever is the longest "
                  "wait)"));
  EXPECT_THAT(ExplainPlan(*plan, Mode::kMicroBatch),
              HasSubstr("the left side is never evicted: the join condition does not say"));
}

TEST(MissingBoundTest, TellsWhenThereIsNoTimeToBound) {
  const std::string tables =
      "CREATE TABLE plain (id BIGINT) WITH ('connector' = 'blackhole');\n"
      "CREATE TABLE timed (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' "
      "SECOND) WITH ('connector' = 'blackhole');\n";
  const Result<StreamPlan> left =
      PlanScript(tables + "SELECT p.id FROM plain p LEFT JOIN timed t ON p.id = t.id");
  ASSERT_FALSE(left.has_value());
  EXPECT_THAT(left.error().message, HasSubstr("p has no TIMESTAMP(3) column that t.ts could be "
                                              "compared with"));
  const Result<StreamPlan> right =
      PlanScript(tables + "SELECT t.id FROM timed t LEFT JOIN plain p ON p.id = t.id");
  ASSERT_FALSE(right.has_value());
  EXPECT_THAT(right.error().message,
              HasSubstr("table plain has no watermark, and no TIMESTAMP column that one could be "
                        "on"));
}

TEST(MissingBoundTest, ComparesOnlyTimesOfOneKind) {
  const std::string table =
      "CREATE TABLE u (id BIGINT, at TIMESTAMP_LTZ(3), WATERMARK FOR at AS at - INTERVAL '1' "
      "SECOND) WITH ('connector' = 'blackhole');\n";
  const Result<StreamPlan> local = PlanScript(
      StandardTables() + table + "SELECT l.id FROM l LEFT JOIN u ON l.id = u.id AND u.at <= l.ts");
  ASSERT_FALSE(local.has_value());
  EXPECT_THAT(local.error().message, HasSubstr("AND u.at <= l.z + INTERVAL '1' HOUR"));
  const Result<StreamPlan> none =
      PlanScript(table +
                 "CREATE TABLE n (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'blackhole');\n"
                 "SELECT n.id FROM n LEFT JOIN u ON n.id = u.id");
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message,
              HasSubstr("n has no TIMESTAMP_LTZ(3) column that u.at could be compared with (a CAST "
                        "gives no bound)"));
}

}  // namespace
}  // namespace braid
