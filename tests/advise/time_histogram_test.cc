#include "engine/advise/time_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace braid {
namespace {

TEST(TimeHistogramTest, CoversTheNarrowestRangeInRoundSteps) {
  constexpr int64_t kSecond = 1'000'000;
  const struct {
    std::string name;
    int64_t step;  // Between 1000 values, from `first` on.
    int64_t first;
    int64_t width;
    int64_t from;
  } cases[] = {
      {"one value", 0, 7, 1, 7},
      {"microseconds", 1, 0, 100, 0},
      {"a minute of both signs", 60'000, -30 * kSecond, 5 * kSecond, -30 * kSecond},
      {"an hour", 3'600'000, 0, 300 * kSecond, 0},
      {"a year", 31'536 * kSecond, 0, 50 * 86'400 * kSecond, 0},
  };
  for (const auto& tested : cases) {
    TimeDistribution distribution;
    for (int64_t index = 0; index < 1000; ++index) {
      distribution.Add(Interval{tested.first + index * tested.step});
    }
    const TimeHistogram histogram = MakeHistogram(distribution.Bins(), 16);
    EXPECT_EQ(histogram.width.micros, tested.width) << tested.name;
    EXPECT_EQ(histogram.bars.front().from.micros, tested.from) << tested.name;
    EXPECT_LE(histogram.bars.size(), 16U) << tested.name;
    double total = histogram.num_before + histogram.num_after;
    for (const TimeHistogram::Bar& bar : histogram.bars) total += bar.count;
    EXPECT_NEAR(total, 1000, 1e-6) << tested.name;
  }
}

TEST(TimeHistogramTest, PutsOutliersBeforeAndAfter) {
  TimeDistribution distribution;
  distribution.Add(Interval{50}, 998);
  distribution.Add(Interval{-1'000'000});
  distribution.Add(Interval{1'000'000});
  const TimeHistogram histogram = MakeHistogram(distribution.Bins(), 16);
  EXPECT_EQ(histogram.num_before, 1);
  EXPECT_EQ(histogram.num_after, 1);
  ASSERT_EQ(histogram.bars.size(), 1U);
  EXPECT_EQ(histogram.bars[0].count, 998);
}

}  // namespace
}  // namespace braid
