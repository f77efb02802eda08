#include "engine/sql/logical_plan.h"

#include <gmock/gmock.h>

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

TEST(LogicalPlanTest, ATableKnowsItsPhysicalColumns) {
  const Result<Script> script = BindBehindTables("");
  ASSERT_TRUE(script.has_value());
  EXPECT_EQ(script->tables[1]->schema().ToString(),
            "id BIGINT, ts TIMESTAMP(3), w BIGINT, pt TIMESTAMP_LTZ(3)");
  EXPECT_THAT(script->tables[1]->physical_columns(), testing::ElementsAre(0, 1, 2));
}

TEST(LogicalPlanTest, NodesOutputWhatTheirKindSays) {
  const Result<Script> script = BindBehindTables(
      "SELECT l.id FROM l JOIN r ON l.id = r.id WHERE EXISTS (SELECT 1 FROM s) AND v > 1");
  ASSERT_TRUE(script.has_value());
  const LogicalNode& project = *script->query->root;
  const LogicalNode& filter = *project.inputs[0];
  const LogicalNode& semi = *filter.inputs[0];
  const LogicalNode& join = *semi.inputs[0];
  EXPECT_EQ(project.columns.size(), 1U);
  EXPECT_EQ(filter.columns.size(), 8U);
  EXPECT_EQ(semi.columns.size(), 8U);
  EXPECT_EQ(join.columns.size(), 8U);
  EXPECT_EQ(join.inputs[1]->columns.size(), 4U);
  EXPECT_TRUE(join.columns[1].is_row_time);
  EXPECT_TRUE(join.columns[7].is_processing_time);
  EXPECT_FALSE(join.columns[0].is_row_time);
  EXPECT_EQ(join.place.column, 19);
}

TEST(LogicalPlanTest, JoinTypesHaveNames) {
  EXPECT_STREQ(JoinTypeName(JoinType::kFull), "FULL OUTER");
  EXPECT_STREQ(JoinTypeName(JoinType::kLeftAnti), "LEFT ANTI");
}

}  // namespace
}  // namespace braid
