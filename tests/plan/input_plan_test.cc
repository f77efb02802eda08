#include "engine/plan/input_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::ElementsAre;

constexpr const char* kTable =
    "CREATE TABLE e (epoch BIGINT, unused STRING, id BIGINT, a BIGINT, ts AS "
    "TO_TIMESTAMP_LTZ(epoch, 3), twice AS a * 2, pt AS PROCTIME(), WATERMARK FOR ts AS ts - "
    "INTERVAL '5' SECOND) WITH ('connector' = 'blackhole');\n";

InputPlan PlannedInputOf(const std::string& query) {
  Result<StreamPlan> plan = PlanScript(kTable + query);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan && plan->single ? *plan->single : InputPlan();
}

TEST(InputPlanTest, ReadsOnlyWhatIsNeededAndTheWatermark) {
  struct Case {
    const char* query;
    std::vector<int> read;
  };
  const Case cases[] = {
      {"SELECT id FROM e", {0, 2}},    {"SELECT ts FROM e", {0}},
      {"SELECT twice FROM e", {0, 3}}, {"SELECT id FROM e WHERE twice > 1", {0, 2, 3}},
      {"SELECT pt FROM e", {0}},       {"SELECT * FROM e", {0, 1, 2, 3}},
  };
  for (const Case& c : cases) EXPECT_EQ(PlannedInputOf(c.query).read_columns, c.read) << c.query;
}

TEST(InputPlanTest, ComputesNeededColumnsOverWhatIsRead) {
  const InputPlan input = PlannedInputOf("SELECT twice FROM e");
  ASSERT_EQ(input.table_columns.size(), 7U);
  EXPECT_EQ(input.table_columns[0], nullptr);
  EXPECT_EQ(input.table_columns[1], nullptr);
  ASSERT_NE(input.table_columns[4], nullptr);
  EXPECT_THAT(ReferencedColumns(*input.table_columns[4]), ElementsAre(0));
  ASSERT_NE(input.table_columns[5], nullptr);
  EXPECT_THAT(ReferencedColumns(*input.table_columns[5]), ElementsAre(1));
  EXPECT_EQ(input.table_columns[6], nullptr);
  ASSERT_TRUE(input.watermark.has_value());
  EXPECT_EQ(input.watermark->column, 4);
}

TEST(InputPlanTest, KnowsWhichOutputColumnsAreRowTime) {
  struct Case {
    const char* query;
    std::vector<uint8_t> row_time;
  };
  const Case cases[] = {
      {"SELECT ts, id FROM l", {1, 0}},
      {"SELECT ts AS other FROM (SELECT ts FROM l) AS x", {1}},
      {"SELECT ts + INTERVAL '1' SECOND AS later FROM l", {0}},
      {"SELECT CAST(ts AS TIMESTAMP(6)) AS ts FROM l", {0}},
      {"SELECT made FROM l", {0}},
      {"SELECT ts FROM l0", {0}},
      {"SELECT l.ts, r.ts AS rts FROM l JOIN r ON l.ts = r.ts", {1, 1}},
  };
  for (const Case& c : cases) {
    const Result<StreamPlan> plan = PlanQuery(c.query);
    ASSERT_TRUE(plan.has_value()) << c.query << ": " << plan.error().message;
    EXPECT_EQ(plan->output_is_row_time, c.row_time) << c.query;
  }
}

}  // namespace
}  // namespace braid
