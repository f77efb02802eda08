#include "engine/plan/change_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::HasSubstr;

StreamPlan Planned(const std::string& query) {
  Result<StreamPlan> plan = PlanPerRecord(query);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan) : StreamPlan();
}

std::string RefusalOf(const StreamPlan& plan, const std::vector<bool>& changes) {
  const Status status = CheckChangeFlow(plan, changes);
  if (status) return "(fine)";
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidQuery);
  return status.error().message;
}

constexpr const char* kInterval =
    "l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' SECOND";

TEST(ChangeFlowTest, SaysWhetherRowsAreTakenBack) {
  struct Case {
    std::string query;
    bool of_inserts;
    bool of_left_changes;
    bool of_right_changes;
  };
  const std::string regular = "l.id = r.id";
  const Case cases[] = {
      {"SELECT id FROM l WHERE v > 1", false, true, false},
      {"SELECT l.id FROM l JOIN r ON " + regular, false, true, true},
      {"SELECT l.id FROM l LEFT JOIN r ON " + regular, true, true, true},
      {"SELECT l.id FROM l RIGHT JOIN r ON " + regular, true, true, true},
      {"SELECT l.id FROM l FULL JOIN r ON " + regular, true, true, true},
      {"SELECT l.id FROM l LEFT SEMI JOIN r ON " + regular, false, true, true},
      {"SELECT l.id FROM l LEFT ANTI JOIN r ON " + regular, true, true, true},
      // WHERE takes the padding away.
      {"SELECT l.id FROM l LEFT JOIN r ON " + regular + " WHERE r.w > 1", false, true, true},
      // Not given to an interval join, so nothing is said of changes.
      {std::string("SELECT l.id FROM l LEFT JOIN r ON ") + kInterval, false, false, false},
      {std::string("SELECT l.id FROM l LEFT ANTI JOIN r ON ") + kInterval, false, false, false},
      // A regular join above takes what one below takes back.
      {"SELECT l.id FROM l JOIN r ON " + regular + " JOIN t ON t.id = l.id", false, true, true},
      {"SELECT l.id FROM l LEFT JOIN r ON " + regular + " JOIN t ON t.id = l.id", true, true, true},
      {std::string("SELECT l.id FROM l LEFT JOIN r ON ") + kInterval + " JOIN t ON t.id = l.id",
       false, false, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.query);
    const StreamPlan plan = Planned(c.query);
    EXPECT_EQ(MayRetract(plan, {}), c.of_inserts);
    EXPECT_EQ(MayRetract(plan, {true}), c.of_left_changes);
    EXPECT_EQ(MayRetract(plan, {false, true}), c.of_right_changes);
  }
}

TEST(ChangeFlowTest, IntervalJoinsTakeNoChanges) {
  const StreamPlan interval = Planned(std::string("SELECT l.id FROM l JOIN r ON ") + kInterval);
  EXPECT_EQ(RefusalOf(interval, {}), "(fine)");
  EXPECT_EQ(RefusalOf(interval, {false, false}), "(fine)");
  const std::string refusal = RefusalOf(interval, {false, true});
  EXPECT_THAT(refusal, HasSubstr("the row-time interval join of l and r takes rows that are added "
                                 "only, but table r gives changes"));
  EXPECT_THAT(refusal, HasSubstr("a regular join"));

  const StreamPlan regular = Planned("SELECT l.id FROM l JOIN r ON l.id = r.id");
  EXPECT_EQ(RefusalOf(regular, {true, true}), "(fine)");
}

TEST(ChangeFlowTest, TablesAreCountedFromLeftToRight) {
  const StreamPlan plan = Planned(std::string("SELECT t.id FROM t JOIN (l JOIN r ON ") + kInterval +
                                  ") ON t.id = l.id");
  EXPECT_EQ(RefusalOf(plan, {true}), "(fine)");
  EXPECT_TRUE(MayRetract(plan, {true}));
  EXPECT_THAT(RefusalOf(plan, {false, true}), HasSubstr("but table l gives changes"));
  EXPECT_THAT(RefusalOf(plan, {false, false, true}), HasSubstr("but table r gives changes"));
}

TEST(ChangeFlowTest, TheJoinOfMicroBatchesTakesNone) {
  const Result<StreamPlan> plan =
      PlanQuery(std::string("SELECT l.id FROM l JOIN r ON ") + kInterval);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(RefusalOf(*plan, {}), "(fine)");
  EXPECT_THAT(RefusalOf(*plan, {true}),
              HasSubstr("in micro-batch mode the join of l and r takes rows that are added only"));
}

}  // namespace
}  // namespace braid
