#include "state/store/version_ranges.h"

#include <gtest/gtest.h>

#include <vector>

namespace braid {
namespace {

TEST(VersionRangesTest, NeighboursAreARange) {
  const auto ranges = [](const std::vector<int64_t>& numbers) {
    std::vector<VersionInfo> versions;
    for (const int64_t number : numbers) versions.push_back({number, {}});
    return VersionRanges(versions);
  };
  EXPECT_EQ(ranges({}), "none");
  EXPECT_EQ(ranges({4}), "4");
  EXPECT_EQ(ranges({32, 33}), "32 to 33");
  EXPECT_EQ(ranges({0, 1, 2, 5, 7, 8, 9}), "0 to 2, 5, 7 to 9");
}

}  // namespace
}  // namespace braid
