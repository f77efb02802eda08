#include "engine/plan/stored_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/plan/planned_query.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kRange = " AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND";

StreamPlan Planned(const std::string& query) {
  Result<StreamPlan> plan = PlanQuery(query);
  EXPECT_TRUE(plan.has_value()) << query << ": " << (plan ? "" : plan.error().message);
  return plan ? std::move(*plan) : StreamPlan();
}

std::string Stored(const StreamPlan& plan, Side side) {
  const std::string text = ExplainPlan(plan, Mode::kMicroBatch);
  size_t place = text.find("    stored: ");
  if (side == Side::kRight) place = text.find("    stored: ", place + 1);
  const size_t begin = place + std::string("    stored: ").size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(StoredRowTest, OnlyWhatIsNeededOfAStoredRowIsStored) {
  struct Case {
    const char* select;
    const char* type;
    const char* on;
    const char* where;
    const char* left;
    const char* right;
  };
  const Case cases[] = {
      {"l.v", "", "l.id = r.id", "", "l.v", "no columns"},
      {"l.id, l.ts, r.id AS a, r.ts AS b", "", "l.id = r.id", "",
       "l.id (as the key), l.ts (as the time)", "r.id (as the key), r.ts (as the time)"},
      // A side that pads stores rows with a NULL key, too; they are not linkable.
      {"l.id, r.id AS a", "LEFT", "l.id = r.id", "", "l.id (as the key)", "r.id (as the key)"},
      {"l.id, r.id AS a", "FULL", "l.id = r.id", "", "l.id (as the key)", "r.id (as the key)"},
      // Filters before the join need nothing of a stored row; those after it do.
      {"l.id", "LEFT", "l.id = r.id AND l.v > 1 AND r.w > 2", "", "l.id (as the key)",
       "no columns"},
      {"l.name", "", "l.id = r.id AND l.v < r.w", "", "l.v, l.name", "r.w"},
      {"l.name", "LEFT", "l.id = r.id", "r.w IS NULL", "l.name", "r.w"},
      // Hashed keys are compared by their parts.
      {"l.v", "", "l.id = r.id AND l.name = r.name", "",
       "l.v, l.id (to compare keys), l.name (to "
       "compare keys)",
       "r.id (to compare keys), r.name (to compare keys)"},
      {"l.name", "", "l.name = r.name", "", "l.name", "r.name (to compare keys)"},
      {"l.v", "", "l.name = UPPER(r.name)", "", "l.v, l.name (to compare keys)",
       "UPPER(r.name) (to compare keys)"},
      {"l.id", "", "l.id IS NOT DISTINCT FROM r.id", "", "l.id", "r.id (to compare keys)"},
      // No floating point from a key word: -0.0 has the word of 0.0.
      {"l.d, r.d AS e", "", "l.d = r.d", "", "l.d", "r.d"},
      // Nor a value that was widened or computed.
      {"l.k, r.k AS e", "", "l.k = r.k", "", "l.k (as the key)", "r.k (as the key)"},
      {"l.k, r.id AS e", "", "l.k = r.id", "", "l.k", "r.id (as the key)"},
      {"l.id, r.id AS e", "", "l.id + 1 = r.id", "", "l.id", "r.id (as the key)"},
      {"l.p, r.b", "", "l.p = r.p", "", "l.p (as the key)", "r.b"},
      {"l.b, r.b AS e", "", "l.b = r.b", "", "l.b (as the key)", "r.b (as the key)"},
      {"l.m", "", "l.m = r.m", "", "l.m", "no columns"},
      // The right side of SEMI and ANTI only decides.
      {"l.id, l.v", "LEFT SEMI", "l.id = r.id", "", "l.id (as the key), l.v", "no columns"},
      {"l.id, l.v", "LEFT ANTI", "l.id = r.id AND l.v < r.w", "", "l.id (as the key), l.v", "r.w"},
  };
  for (const Case& c : cases) {
    const std::string query = std::string("SELECT ") + c.select + " FROM l " + c.type +
                              " JOIN r ON " + c.on + kRange +
                              (*c.where == '\0' ? "" : std::string(" WHERE ") + c.where);
    const StreamPlan plan = Planned(query);
    if (!plan.join) continue;
    EXPECT_EQ(Stored(plan, Side::kLeft), c.left) << query;
    EXPECT_EQ(Stored(plan, Side::kRight), c.right) << query;
  }
}

TEST(StoredRowTest, KeyPartsShareTheColumnsOfTheOutput) {
  const StreamPlan plan = Planned(
      std::string("SELECT l.name, l.v FROM l JOIN r ON l.id = r.id AND l.name = r.name") + kRange);
  const JoinSidePlan& left = plan.join->side(Side::kLeft);
  EXPECT_THAT(left.payload_expressions, SizeIs(3));
  EXPECT_THAT(left.key_payload, ElementsAre(0, 1));
  ASSERT_TRUE(left.stored[3].has_value());
  EXPECT_EQ(left.stored[3]->from, StoredColumn::From::kPayload);
  EXPECT_EQ(left.stored[3]->payload, 1);
}

TEST(StoredRowTest, ExactKeysAreNotInThePayload) {
  const StreamPlan plan =
      Planned(std::string("SELECT l.id, l.ts, r.id AS a FROM l JOIN r ON l.id = r.id") + kRange);
  for (const JoinSidePlan& side : plan.join->sides) {
    EXPECT_THAT(side.payload_expressions, IsEmpty());
    EXPECT_THAT(side.key_payload, IsEmpty());
    ASSERT_TRUE(side.stored[0].has_value());
    EXPECT_EQ(side.stored[0]->from, StoredColumn::From::kKeyWord);
  }
}

}  // namespace
}  // namespace braid
