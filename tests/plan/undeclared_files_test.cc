// Joins of files that nobody declared: they have no watermark, but an end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/plan/stream_plan.h"
#include "engine/sql/parser.h"

namespace braid {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Every path is a table with id and ts; s is a declared one.
Result<StreamPlan> Plan(const std::string& query) {
  ParseOptions options;
  options.file_table = [](const std::string& path) -> Result<TableDefinition> {
    TableDefinition table;
    table.name = path;
    table.columns = {{"id", DataType::BigInt(), false, nullptr},
                     {"ts", DataType::Timestamp(3), false, nullptr}};
    table.is_guessed = true;
    return table;
  };
  const Result<Script> script = ParseScript(
      "CREATE TABLE s (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'socket');" + query,
      options);
  if (!script) return tl::unexpected(script.error());
  return MakeStreamPlan(*script->query, Mode::kMicroBatch);
}

TEST(UndeclaredFilesTest, EveryJoinOfTwoIsPlannedWithoutAWarning) {
  for (const std::string join :
       {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"}) {
    const Result<StreamPlan> plan = Plan("SELECT a.id FROM 'a' " + join + " 'b' ON a.id = b.id");
    ASSERT_TRUE(plan) << join << plan.error().message;
    EXPECT_THAT(plan->warnings, IsEmpty()) << join;
    EXPECT_THAT(ExplainPlan(*plan, Mode::kMicroBatch),
                HasSubstr("its rows leave when the input ends"));
  }
}

TEST(UndeclaredFilesTest, BesideADeclaredTableTheyNeedAWatermarkAsItDoes) {
  const Result<StreamPlan> outer = Plan("SELECT a.id FROM s LEFT JOIN 'a' ON a.id = s.id");
  ASSERT_FALSE(outer);
  EXPECT_THAT(outer.error().message, HasSubstr("table a has no watermark"));
  const Result<StreamPlan> inner = Plan("SELECT a.id FROM s JOIN 'a' ON a.id = s.id");
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->warnings.size(), 2U);
}

}  // namespace
}  // namespace braid
