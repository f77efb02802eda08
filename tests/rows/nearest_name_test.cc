#include "state/rows/nearest_name.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(NearestNameTest, FindsWhatAMistypedNameMeant) {
  const std::string_view names[] = {"campaign", "clicked", "ad_id", "ts"};
  EXPECT_EQ(NearestName("campain", names), "campaign");
  EXPECT_EQ(NearestName("CAMPAIGN", names), "campaign");
  EXPECT_EQ(NearestName("adid", names), "ad_id");
  EXPECT_EQ(NearestName("st", names), "ts");
  EXPECT_EQ(NearestName("completely_else", names), "");
  EXPECT_EQ(NearestName("x", {}), "");
}

}  // namespace
}  // namespace braid
