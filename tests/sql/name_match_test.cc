#include "engine/sql/name_match.h"

#include <gmock/gmock.h>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NameMatchTest, AnExactNameGoesBeforeOneOfAnotherCase) {
  EXPECT_THAT(MatchName("Id", {"ID", "Id", "id"}), ElementsAre(1));
  EXPECT_THAT(MatchName("iD", {"ID", "x", "id"}), ElementsAre(0, 2));
  EXPECT_THAT(MatchName("ts", {"id", "TS"}), ElementsAre(1));
  EXPECT_THAT(MatchName("ts", {"t", "tss"}), IsEmpty());
}

TEST(NameMatchTest, OnlyAsciiLettersHaveCase) {
  EXPECT_TRUE(EqualsIgnoringCase("aZ_9", "Az_9"));
  EXPECT_FALSE(EqualsIgnoringCase("é", "É"));
  EXPECT_FALSE(EqualsIgnoringCase("a", "ab"));
  EXPECT_EQ(UpperCase("straße_1"), "STRAßE_1");
}

TEST(NameMatchTest, SuggestsTheNearestOrListsTheFew) {
  EXPECT_EQ(SuggestName("clikcs", {"clicks", "impressions"}), "; did you mean clicks?");
  EXPECT_EQ(SuggestName("x", {"l"}), "; there is l");
  EXPECT_EQ(SuggestName("x", {"l", "r"}), "; there are l and r");
  EXPECT_EQ(SuggestName("x", {"l", "m", "r"}), "; there are l, m and r");
  EXPECT_EQ(SuggestName("x", {}), "");
  EXPECT_EQ(SuggestName("zzzz", {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"}), "");
}

}  // namespace
}  // namespace braid
