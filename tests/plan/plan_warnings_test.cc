#include "engine/plan/plan_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> WarningsOf(const std::string& query) {
  const std::string table =
      "CREATE TABLE now (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = "
      "'blackhole');\n";
  const Result<StreamPlan> plan = PlanScript(StandardTables() + table + query);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan ? plan->warnings : std::vector<std::string>();
}

TEST(PlanWarningsTest, ASoundQueryGivesNone) {
  EXPECT_THAT(WarningsOf("SELECT l.id FROM l LEFT JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND "
                         "l.ts + INTERVAL '5' SECOND"),
              IsEmpty());
  EXPECT_THAT(WarningsOf("SELECT id FROM l"), IsEmpty());
}

TEST(PlanWarningsTest, NamesWhatIsUnwiseAndTheLineToWrite) {
  struct Case {
    const char* query;
    const char* warning;
  };
  const Case cases[] = {
      {"SELECT id FROM now", "WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND"},
      {"SELECT l.id FROM l CROSS JOIN r",
       "CROSS JOIN: every row of l is joined with every row of r"},
      {"SELECT l.id FROM l CROSS JOIN r", "rows of l are never removed, so state grows for ever"},
      {"SELECT l.id FROM l CROSS JOIN r", "rows of r are never removed, so state grows for ever"},
      {"SELECT l.id FROM l JOIN r ON r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND",
       "no equality between l and r, so the join runs in one partition"},
      {"SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts > l.ts + INTERVAL '5' SECOND AND r.ts < "
       "l.ts",
       "the time bounds exclude each other"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(WarningsOf(c.query), Contains(HasSubstr(c.warning))) << c.query;
  }
}

TEST(PlanWarningsTest, ATableJoinedWithItselfIsNamedOnce) {
  EXPECT_THAT(WarningsOf("SELECT x.id FROM now AS x JOIN now AS y ON x.id = y.id AND x.ts = y.ts"),
              SizeIs(1));
}

}  // namespace
}  // namespace braid
