#include "braid/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace braid {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(TimeTest, AdditionAndMultiplicationSaturateAtBothEnds) {
  struct Case {
    int64_t left;
    int64_t right;
    int64_t sum;
    int64_t product;
  };
  const Case cases[] = {
      {2, 3, 5, 6},
      {-2, 3, 1, -6},
      {kMax, 1, kMax, kMax},
      {kMax, 2, kMax, kMax},
      {kMin, -1, kMin, kMax},
      {kMin, 2, kMin + 2, kMin},
      {kMax, -2, kMax - 2, kMin},
      {kMin, kMax, -1, kMin},
      {kMin, kMin, kMin, kMax},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.left << " and " << c.right);
    EXPECT_EQ(SaturatingAdd(c.left, c.right), c.sum);
    EXPECT_EQ(SaturatingAdd(c.right, c.left), c.sum);
    EXPECT_EQ(SaturatingMultiply(c.left, c.right), c.product);
    EXPECT_EQ(SaturatingMultiply(c.right, c.left), c.product);
  }
}

TEST(TimeTest, NegatingTheShortestIntervalGivesTheLongest) {
  EXPECT_EQ(-Interval{kMin}, Interval{kMax});
  EXPECT_EQ(-Interval{kMax}, Interval{-kMax});
  EXPECT_EQ(EventTime{5} - Interval{kMin}, EventTime{kMax});
}

TEST(TimeTest, UnitsOfIntervals) {
  EXPECT_EQ(Milliseconds(-3), Interval{-3'000});
  EXPECT_EQ(Seconds(2), Milliseconds(2'000));
  EXPECT_EQ(Seconds(kMax), Interval{kMax});
}

TEST(TimeTest, WatermarkIsFlooredToTheMillisecondOnBothSidesOf1970) {
  struct Case {
    int64_t time_us;
    int64_t delay_us;
    int64_t watermark_ms;
  };
  const Case cases[] = {
      {10'000'999, 0, 10'000},
      {10'000'999, 5'000'000, 5'000},
      {0, 0, 0},
      {0, 1, -1},
      {-1, 0, -1},
      {-1'000, 0, -1},
      {-1'001, 0, -2},
      {1'500, 2'500, -1},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(WatermarkAfter({c.time_us}, {c.delay_us}), Watermark{c.watermark_ms})
        << c.time_us << " - " << c.delay_us;
  }
}

TEST(TimeTest, TheEndOfInputIsLaterThanEveryRow) {
  EXPECT_GE(AtMicros(Watermark::Infinity()), EventTime{kMax});
  EXPECT_EQ(AtMicros(Watermark{-7}), EventTime{-7'000});
}

}  // namespace
}  // namespace braid
