#include "engine/compare/delay_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace braid {
namespace {

TEST(DelayFiguresTest, NothingHasNoFigures) {
  const DelayFigures figures = FiguresOf({});
  EXPECT_EQ(figures.num_rows, 0);
  EXPECT_TRUE(figures.percentiles.empty());
}

TEST(DelayFiguresTest, RanksAreThoseOfSortedValues) {
  for (const size_t size : {1U, 2U, 3U, 99U, 100U, 101U, 250'000U}) {
    std::vector<int64_t> delays;
    for (size_t index = 0; index < size; ++index) {
      delays.push_back(static_cast<int64_t>(index * 7'919 % size));
    }
    std::vector<int64_t> sorted = delays;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
      return sorted[static_cast<size_t>(std::ceil(share * static_cast<double>(size))) - 1];
    };
    const DelayFigures figures = FiguresOf(delays);
    EXPECT_EQ(figures.num_rows, static_cast<int64_t>(size));
    EXPECT_EQ(figures.median.micros, at(0.5)) << size;
    EXPECT_EQ(figures.percentile_99.micros, at(0.99)) << size;
    EXPECT_EQ(figures.maximum.micros, sorted.back()) << size;
    ASSERT_EQ(figures.percentiles.size(), 101U);
    EXPECT_EQ(figures.percentiles.front().micros, sorted.front());
    EXPECT_EQ(figures.percentiles.back().micros, sorted.back());
    EXPECT_TRUE(std::is_sorted(figures.percentiles.begin(), figures.percentiles.end()));
  }
}

}  // namespace
}  // namespace braid
