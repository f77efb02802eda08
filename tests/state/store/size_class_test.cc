#include "state/store/size_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace braid {
namespace {

TEST(SizeClassTest, ClassesArePowersOfEight) {
  struct Case {
    uint64_t size;
    int size_class;
  };
  for (const Case& c : std::vector<Case>{{0, 0},
                                         {1, 0},
                                         {7, 0},
                                         {8, 1},
                                         {63, 1},
                                         {64, 2},
                                         {511, 2},
                                         {512, 3},
                                         {1ULL << 63, 21}}) {
    EXPECT_EQ(SizeClass(c.size), c.size_class) << c.size;
  }
}

TEST(SizeClassTest, EightPiecesOfAClassAreMerged) {
  struct Case {
    const char* name;
    std::vector<uint64_t> sizes;  // Newest first.
    int least_class;
    size_t length;
  };
  const Case cases[] = {
      {"nothing", {}, 0, 0},
      {"seven", {1, 1, 1, 1, 1, 1, 1}, 0, 0},
      {"eight", {1, 1, 1, 1, 1, 1, 1, 1}, 0, 8},
      {"more than eight go together", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 10},
      {"a larger piece ends the run", {1, 1, 1, 1, 1, 1, 1, 100, 1}, 0, 0},
      {"smaller pieces are taken along", {9, 1, 1, 9, 1, 1, 1, 1}, 0, 8},
      {"a smaller newest counts as of the least class", {1, 9, 9, 9, 9, 9, 9, 9}, 1, 8},
      {"not without", {1, 9, 9, 9, 9, 9, 9, 9}, 0, 0},
      {"a merge brings on the next", {1, 1, 1, 1, 1, 1, 1, 1, 8, 8, 8, 8, 8, 8, 8}, 0, 15},
      {"unless it falls short", {1, 1, 1, 1, 1, 1, 1, 1, 8, 8, 8, 8, 8, 8}, 0, 8},
      {"or is still too small", {1, 1, 1, 1, 1, 1, 1, 1, 64, 64, 64, 64, 64, 64, 64}, 0, 8},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(MergeLength(c.sizes, c.least_class), c.length) << c.name;
  }
}

// However sizes come, few pieces stay and each byte is moved seldom.
TEST(SizeClassTest, PiecesStayFewAndAreRewrittenSeldom) {
  for (const uint64_t size : {1, 5, 9, 100}) {
    std::vector<uint64_t> pieces;  // Newest last.
    uint64_t moved = 0;
    constexpr uint64_t kPieces = 20'000;
    for (uint64_t i = 0; i < kPieces; ++i) {
      pieces.push_back(size + i % 3);
      const size_t length =
          MergeLength(std::vector<uint64_t>(pieces.rbegin(), pieces.rend()), /*least_class=*/0);
      if (length == 0) continue;
      uint64_t total = 0;
      for (size_t j = 0; j < length; ++j) {
        total += pieces.back();
        pieces.pop_back();
      }
      moved += total;
      pieces.push_back(total);
      ASSERT_LT(pieces.size(), 60U);
    }
    EXPECT_LT(moved, 7 * kPieces * (size + 1)) << size;
  }
}

}  // namespace
}  // namespace braid
