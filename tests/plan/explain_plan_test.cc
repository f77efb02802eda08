#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/plan/stream_plan.h"
#include "tests/plan/planned_query.h"

namespace braid {
namespace {

constexpr const char* kAdClicks = R"(
CREATE TABLE impressions (
  ad_id BIGINT, ts TIMESTAMP(3), campaign STRING,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'impressions', 'format' = 'csv');
CREATE TABLE clicks (
  ad_id BIGINT, ts TIMESTAMP(3), place STRING,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'clicks', 'format' = 'csv');
CREATE TABLE attributed (ad_id BIGINT, shown TIMESTAMP(3), clicked TIMESTAMP(3))
  WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'csv');
INSERT INTO attributed
SELECT i.ad_id, i.ts, CAST(c.ts AS TIMESTAMP(3))
FROM impressions i LEFT JOIN clicks c
  ON i.ad_id = c.ad_id AND c.ts BETWEEN i.ts AND i.ts + INTERVAL '60' SECOND
     AND i.campaign <> 'test'
)";

constexpr const char* kExpected = R"(mode: micro-batch
left input: impressions AS i
  columns read: ad_id, ts, campaign
  row time: ts, watermark: the largest ts so far - INTERVAL '5' SECOND
right input: clicks AS c
  columns read: ad_id, ts
  row time: ts, watermark: the largest ts so far - INTERVAL '5' SECOND
join: LEFT OUTER JOIN
  equi-join keys: i.ad_id = c.ad_id
  preJoinFilter left: i.campaign <> 'test'
  preJoinFilter right: none
  time range: INTERVAL '0' SECOND <= c.ts - i.ts <= INTERVAL '1' MINUTE
  postJoinFilter: none
  WHERE after the join: none
  partitions: by hash of the keys, as many as parallelism says
state
  left rows are removed when i.ts < watermark - INTERVAL '1' MINUTE
    a row stays until event time is INTERVAL '65' SECOND past its i.ts, of which the watermark delay is INTERVAL '5' SECOND
    a removed row that never matched is emitted with NULLs for the other side
    stored: i.ad_id (as the key), i.ts (as the time)
    a row takes about 24 bytes of memory
  right rows are removed when c.ts < watermark
    a row stays until event time is INTERVAL '5' SECOND past its c.ts, of which the watermark delay is INTERVAL '5' SECOND
    stored: c.ts (as the time)
    a row takes about 24 bytes of memory
output: i.ad_id AS ad_id, i.ts AS shown (row time), CAST(c.ts AS TIMESTAMP(3)) AS clicked
sink: table attributed
)";

TEST(ExplainPlanTest, TellsEverythingInWords) {
  const Result<StreamPlan> plan = PlanScript(kAdClicks);
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_EQ(ExplainPlan(*plan, Mode::kMicroBatch), kExpected);
}

TEST(ExplainPlanTest, TellsTheLimitAndWhereRowsGo) {
  EXPECT_EQ(ExplainLineOf("SELECT id FROM l LIMIT 3", "sink"), "print, at most 3 rows");
  EXPECT_EQ(ExplainLineOf("SELECT id FROM l", "sink"), "print");
}

TEST(ExplainPlanTest, TellsWhenATableHasNoWatermark) {
  EXPECT_EQ(ExplainLineOf("SELECT id FROM l0", "row time"),
            "none (the table has no watermark, so no row is late)");
}

TEST(ExplainPlanTest, TellsWhyThereIsOnePartition) {
  EXPECT_EQ(ExplainLineOf("SELECT l.id FROM l JOIN r ON r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' "
                          "SECOND",
                          "partitions"),
            "one (there is no equality to split rows by)");
}

}  // namespace
}  // namespace braid
