#include "engine/microbatch/watermark_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using ::testing::Eq;
using ::testing::Optional;

EventTime At(int64_t millis) { return {millis * 1000}; }

TEST(WatermarkTrackerTest, IsUnsetUntilEveryTableHasShownARowTime) {
  WatermarkTracker tracker({{"l", Seconds(5)}, {"r", Seconds(2)}}, WatermarkPolicy::kMin);
  tracker.Observe(0, At(100'000));
  tracker.Advance();
  EXPECT_EQ(tracker.current(), std::nullopt);
  EXPECT_FALSE(tracker.moved());
  tracker.Observe(1, At(10'000));
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{8'000})));
  EXPECT_TRUE(tracker.moved());
  EXPECT_EQ(tracker.holding_back(), 1U);
}

TEST(WatermarkTrackerTest, TakesTheLargestUnderMax) {
  WatermarkTracker tracker({{"l", Seconds(5)}, {"r", Seconds(2)}}, WatermarkPolicy::kMax);
  tracker.Observe(0, At(100'000));
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{95'000})));
}

TEST(WatermarkTrackerTest, AppliesOneBatchLaterToLateRows) {
  WatermarkTracker tracker({{"l", Interval{0}}}, WatermarkPolicy::kMin);
  tracker.Observe(0, At(10));
  tracker.Advance();
  EXPECT_EQ(tracker.late(), std::nullopt);
  tracker.Observe(0, At(20));
  tracker.Advance();
  EXPECT_THAT(tracker.late(), Optional(Eq(Watermark{10})));
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{20})));
}

TEST(WatermarkTrackerTest, NeverGoesBack) {
  WatermarkTracker tracker({{"l", Interval{0}}}, WatermarkPolicy::kMin);
  tracker.Observe(0, At(50));
  tracker.Advance();
  tracker.Observe(0, At(40));
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{50})));
  EXPECT_FALSE(tracker.moved());
}

TEST(WatermarkTrackerTest, FloorsToAMillisecondAlsoBefore1970) {
  WatermarkTracker tracker({{"l", Interval{0}}}, WatermarkPolicy::kMin);
  tracker.Observe(0, EventTime{-1});
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{-1})));
}

TEST(WatermarkTrackerTest, ForgetsAFinishedTableInTheMinimum) {
  WatermarkTracker tracker({{"l", Interval{0}}, {"r", Interval{0}}}, WatermarkPolicy::kMin);
  tracker.Observe(0, At(100));
  tracker.Observe(1, At(10));
  tracker.Finish(1);
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{100})));
}

TEST(WatermarkTrackerTest, GoesOnWhereACommitLeftIt) {
  WatermarkTracker before({{"l", Seconds(1)}, {"r", Seconds(1)}}, WatermarkPolicy::kMin);
  before.Observe(0, At(100'000));
  before.Advance();
  BatchCommit commit;
  commit.watermark = before.late();
  commit.next_watermark = before.current();
  commit.tables = before.Save();

  // The other order of tables: they are found by name.
  WatermarkTracker after({{"r", Seconds(1)}, {"l", Seconds(1)}}, WatermarkPolicy::kMin);
  after.Restore(commit);
  after.Observe(0, At(200'000));
  after.Advance();
  EXPECT_THAT(after.current(), Optional(Eq(Watermark{99'000})));
}

TEST(WatermarkTrackerTest, KeepsATablesWatermarkWhenItsDelayGrows) {
  BatchCommit commit;
  commit.tables = {{"l", At(10'000), Watermark{9'000}}};
  commit.next_watermark = Watermark{9'000};
  WatermarkTracker tracker({{"l", Seconds(8)}}, WatermarkPolicy::kMin);
  tracker.Restore(commit);
  EXPECT_THAT(tracker.table_watermark(0), Optional(Eq(Watermark{9'000})));
}

}  // namespace
}  // namespace braid
