#include "engine/advise/advice_figures.h"

#include <gtest/gtest.h>

#include <vector>

namespace braid {
namespace {

TEST(AdviceFiguresTest, DelayKeepsTheWatermarkBelowTheRow) {
  const struct {
    int64_t lateness;
    int64_t delay_millis;
  } cases[] = {{-1, 0}, {0, 1}, {1, 1}, {999, 1}, {1'000, 2}, {4'000'000, 4'001}};
  for (const auto& tested : cases) {
    const Interval delay = DelayFor({tested.lateness});
    EXPECT_EQ(delay, Milliseconds(tested.delay_millis)) << tested.lateness;
    // The row comes right after a batch whose newest row time is 10 s.
    const EventTime newest{10'000'000};
    const EventTime row = newest - Interval{tested.lateness};
    EXPECT_GT(row, AtMicros(WatermarkAfter(newest, delay)));
    if (delay.micros == 0) continue;
    EXPECT_LE(row, AtMicros(WatermarkAfter(newest, delay + Milliseconds(-1))) + Interval{999})
        << "a delay that is 1 ms shorter would do";
  }
}

TEST(AdviceFiguresTest, CountsLateRowsByDelay) {
  TimeDistribution lateness;
  lateness.Add(Interval{-1}, 980);
  lateness.Add(Seconds(1), 15);
  lateness.Add(Seconds(7), 4);
  lateness.Add(Seconds(60), 1);
  SideAdvice side;
  side.written_delay = Seconds(7);
  AdviseDelays(lateness, &side);
  ASSERT_EQ(side.delays.size(), 3U);
  EXPECT_EQ(side.delays[0].delay, Milliseconds(60'001));
  EXPECT_EQ(side.delays[0].num_late_rows, 0);
  EXPECT_EQ(side.delays[1].delay, Milliseconds(7'001));
  EXPECT_EQ(side.delays[1].num_late_rows, 1);
  EXPECT_EQ(side.delays[2].delay, Milliseconds(1'001));
  EXPECT_EQ(side.delays[2].num_late_rows, 5);
  EXPECT_EQ(side.num_late_at_written_delay, 5) << "a row that is exactly the delay behind is late";
}

TEST(AdviceFiguresTest, StateIsRateTimesWait) {
  Advice advice;
  advice.watermark_lag = Seconds(5);
  advice.sides[0].num_joined_rows = 1'000'000;
  advice.sides[0].rows_per_second = 100;
  advice.sides[0].bytes_per_row = 40;
  advice.sides[1].num_joined_rows = 50;
  advice.sides[1].rows_per_second = 10;
  advice.sides[1].bytes_per_row = 30;
  const struct {
    Interval lower;
    Interval upper;
    double left_rows;
    double right_rows;
  } cases[] = {
      {Seconds(0), Seconds(60), 6'500, 50},  // The right side has no more rows than 50.
      {Seconds(2), Seconds(10), 1'500, 30},  // 3 s of rows of the right side.
      {Seconds(20), Seconds(30), 3'500, 0},  // A right row finds its partners there already.
      {Seconds(-30), Seconds(-20), 0, 50},
  };
  for (const auto& tested : cases) {
    const StateCost cost = CostOf(advice, tested.lower, tested.upper);
    EXPECT_EQ(cost.rows[0], tested.left_rows);
    EXPECT_EQ(cost.rows[1], tested.right_rows);
    EXPECT_EQ(cost.total_bytes(), tested.left_rows * 40 + tested.right_rows * 30);
  }
}

}  // namespace
}  // namespace braid
