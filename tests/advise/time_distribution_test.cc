#include "engine/advise/time_distribution.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace braid {
namespace {

using Bin = TimeDistribution::Bin;

TimeDistribution DistributionOf(const std::vector<int64_t>& values,
                                size_t exact_max = TimeDistribution::kExactMax) {
  TimeDistribution distribution(exact_max);
  for (const int64_t value : values) distribution.Add(Interval{value});
  return distribution;
}

// The width of the narrowest interval with at least `wanted` of `sorted`.
int64_t NarrowestWidth(const std::vector<int64_t>& sorted, size_t wanted) {
  int64_t narrowest = std::numeric_limits<int64_t>::max();
  for (size_t first = 0; first + wanted <= sorted.size(); ++first) {
    narrowest = std::min(narrowest, sorted[first + wanted - 1] - sorted[first]);
  }
  return narrowest;
}

TEST(TimeDistributionTest, TellsQuantilesOfFewValuesExactly) {
  const std::vector<Bin> bins = DistributionOf({5, -3, 5, 8, 100, 5, 0, 8, 9, 7}).Bins();
  const struct {
    double share;
    int64_t value;
  } cases[] = {{0, -3}, {0.1, -3}, {0.11, 0}, {0.2, 0}, {0.5, 5}, {0.51, 7}, {0.9, 9}, {1, 100}};
  for (const auto& expected : cases) {
    EXPECT_EQ(QuantileOf(bins, expected.share).micros, expected.value) << expected.share;
  }
}

TEST(TimeDistributionTest, FindsTheNarrowestRange) {
  const std::vector<Bin> bins = DistributionOf({-50, 1, 2, 2, 3, 4, 5, 6, 7, 90}).Bins();
  const struct {
    double share;
    int64_t lower;
    int64_t upper;
    int64_t count;
  } cases[] = {
      {0.2, 2, 2, 2}, {0.8, 1, 7, 8}, {0.9, -50, 7, 9}, {0.91, -50, 90, 10}, {1, -50, 90, 10}};
  for (const auto& expected : cases) {
    const TimeDistribution::Range range = NarrowestRange(bins, expected.share);
    EXPECT_EQ(range.lower.micros, expected.lower) << expected.share;
    EXPECT_EQ(range.upper.micros, expected.upper) << expected.share;
    EXPECT_EQ(range.count, expected.count) << expected.share;
  }
}

TEST(TimeDistributionTest, CountsWithinOpenAndClosedEnds) {
  const std::vector<Bin> bins = DistributionOf({-2, 0, 0, 3, 9}).Bins();
  EXPECT_EQ(CountWithin(bins, std::nullopt, std::nullopt), 5);
  EXPECT_EQ(CountWithin(bins, Interval{0}, std::nullopt), 4);
  EXPECT_EQ(CountWithin(bins, std::nullopt, Interval{0}), 3);
  EXPECT_EQ(CountWithin(bins, Interval{0}, Interval{3}), 3);
  EXPECT_EQ(CountWithin(bins, Interval{4}, Interval{8}), 0);
}

TEST(TimeDistributionTest, TakesTheEndsOfTime) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (const size_t exact_max : {size_t{0}, size_t{100}}) {
    const TimeDistribution distribution = DistributionOf({kMax, kMin, 0, -1, kMax}, exact_max);
    EXPECT_EQ(distribution.is_exact(), exact_max > 0);
    const std::vector<Bin> bins = distribution.Bins();
    EXPECT_EQ(distribution.count(), 5);
    EXPECT_EQ(QuantileOf(bins, 0).micros, kMin);
    EXPECT_EQ(QuantileOf(bins, 0.4).micros, -1);
    EXPECT_EQ(QuantileOf(bins, 1).micros, kMax);
    EXPECT_EQ(NarrowestRange(bins, 1).count, 5);
  }
}

// Values over many magnitudes, so many different ones that they are counted in bins.
RC_GTEST_PROP(TimeDistributionTest, KeepsItsErrorInBins, (uint32_t seed)) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> values;
  for (int index = 0; index < 3000; ++index) {
    const auto magnitude = static_cast<int64_t>(random() >> (random() % 60 + 3));
    values.push_back(random() % 2 == 0 ? magnitude : -magnitude);
  }
  const TimeDistribution distribution = DistributionOf(values, 100);
  RC_ASSERT(!distribution.is_exact());
  const std::vector<Bin> bins = distribution.Bins();
  std::sort(values.begin(), values.end());
  RC_ASSERT(distribution.count() == 3000);
  RC_ASSERT(QuantileOf(bins, 0).micros == values.front());
  RC_ASSERT(QuantileOf(bins, 1).micros == values.back());
  for (size_t rank = 1; rank <= values.size(); rank += 7) {
    const double share = static_cast<double>(rank) / static_cast<double>(values.size());
    const auto wanted = static_cast<double>(values[rank - 1]);
    const auto found = static_cast<double>(QuantileOf(bins, share).micros);
    RC_ASSERT(std::abs(found - wanted) <= std::abs(wanted) / 1024);
  }
  for (const double share : {0.5, 0.9, 0.99}) {
    const TimeDistribution::Range range = NarrowestRange(bins, share);
    const auto wanted = static_cast<size_t>(std::ceil(share * 3000 - 1e-9));
    const auto narrowest = static_cast<double>(NarrowestWidth(values, wanted));
    const auto width =
        static_cast<double>(range.upper.micros) - static_cast<double>(range.lower.micros);
    const double farther = std::max(std::abs(static_cast<double>(range.lower.micros)),
                                    std::abs(static_cast<double>(range.upper.micros)));
    // Up to what a double can tell.
    RC_ASSERT(width >= narrowest * (1 - 1e-12));
    RC_ASSERT(width <= narrowest + farther / 256);
    const auto within = std::count_if(values.begin(), values.end(), [&range](int64_t value) {
      return value >= range.lower.micros && value <= range.upper.micros;
    });
    RC_ASSERT(within == range.count);
    RC_ASSERT(range.count >= static_cast<int64_t>(wanted));
  }
}

}  // namespace
}  // namespace braid
