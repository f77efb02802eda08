#include "engine/compare/row_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<NumberedDigest> Sorted(const std::vector<uint64_t>& values) {
  std::vector<NumberedDigest> rows;
  for (size_t row = 0; row < values.size(); ++row) {
    rows.push_back({{values[row], values[row]}, static_cast<int64_t>(row)});
  }
  SortDigests(&rows);
  return rows;
}

TEST(RowMatchTest, CopiesAreMatchedOneByOne) {
  const RowMatch match = MatchRows(Sorted({7, 5, 7, 7}), Sorted({9, 7, 7}));
  EXPECT_THAT(match.equal, ElementsAre(Pair(0, 1), Pair(2, 2)));
  EXPECT_THAT(match.only[0], ElementsAre(1, 3));
  EXPECT_THAT(match.only[1], ElementsAre(0));
}

TEST(RowMatchTest, ChangesAreApplied) {
  std::vector<NumberedDigest> rows = Sorted({5, 5, 7, 5, 5, 9});
  ApplyChanges(std::vector<uint8_t>{1, 1, 1, 0, 1, 0}, &rows);
  std::vector<int64_t> left;
  for (const NumberedDigest& row : rows) left.push_back(row.row);
  EXPECT_THAT(left, ElementsAre(1, 4, 2));
}

// Above the size from which it sorts in parts.
TEST(RowMatchTest, ManyRowsAreSorted) {
  std::vector<uint64_t> values;
  uint64_t value = 1;
  for (int index = 0; index < 100'000; ++index) {
    values.push_back(value);
    value = value * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  }
  const std::vector<NumberedDigest> rows = Sorted(values);
  ASSERT_EQ(rows.size(), values.size());
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), [](const auto& first, const auto& second) {
    return first.digest < second.digest;
  }));
}

}  // namespace
}  // namespace braid
