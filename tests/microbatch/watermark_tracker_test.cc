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

// Two tables without delay; r is idle after ten seconds, l after `left_timeout`.
WatermarkTracker Idling(std::optional<Interval> left_timeout = std::nullopt) {
  WatermarkTracker tracker({{"l", Interval{0}, left_timeout}, {"r", Interval{0}, Seconds(10)}},
                           WatermarkPolicy::kMin);
  tracker.BeginIdleness(At(0));
  return tracker;
}

TEST(WatermarkTrackerTest, LeavesATableOutOnceItWasSilentForItsTimeout) {
  WatermarkTracker tracker = Idling();
  tracker.Observe(0, At(100));
  tracker.NoteSilent(1, At(9'999));
  tracker.Advance();
  EXPECT_EQ(tracker.current(), std::nullopt) << "r has shown nothing and is not idle yet";
  EXPECT_EQ(tracker.holding_back(), 1U);
  tracker.NoteSilent(1, At(10'000));
  EXPECT_TRUE(tracker.idle(1));
  tracker.Recompute();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{100})));
  EXPECT_EQ(tracker.late(), std::nullopt) << "the next batch is the first that runs with it";
  EXPECT_TRUE(tracker.moved());
  EXPECT_EQ(tracker.holding_back(), 0U);
}

TEST(WatermarkTrackerTest, IsNeverIdleWithoutATimeout) {
  WatermarkTracker tracker = Idling();
  tracker.Observe(1, At(100));
  tracker.NoteSilent(0, At(1'000'000'000));
  tracker.NoteActive(1, At(1'000'000'000));
  tracker.Advance();
  EXPECT_FALSE(tracker.idle(0));
  EXPECT_EQ(tracker.current(), std::nullopt);
}

TEST(WatermarkTrackerTest, CountsTheSilenceFromTheLastRows) {
  WatermarkTracker tracker = Idling();
  tracker.NoteActive(1, At(8'000));
  tracker.NoteSilent(1, At(17'999));
  EXPECT_FALSE(tracker.idle(1));
  tracker.NoteSilent(1, At(18'000));
  EXPECT_TRUE(tracker.idle(1));
  tracker.NoteSilent(1, At(12'000));
  EXPECT_TRUE(tracker.idle(1)) << "a clock that is set back is no row";
  tracker.BeginIdleness(At(20'000));
  EXPECT_FALSE(tracker.idle(1)) << "another run knows nothing of it";
}

TEST(WatermarkTrackerTest, MovesToTheLargestWhenAllAreIdle) {
  WatermarkTracker tracker = Idling(Seconds(20));
  tracker.Observe(0, At(100));
  tracker.Observe(1, At(40));
  tracker.NoteSilent(0, At(15'000));
  tracker.NoteSilent(1, At(15'000));
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{100}))) << "r is left out";
  tracker.Observe(1, At(300));
  tracker.NoteActive(1, At(16'000));
  tracker.Advance();
  EXPECT_FALSE(tracker.moved()) << "l holds it";
  tracker.NoteSilent(0, At(40'000));
  tracker.NoteSilent(1, At(40'000));
  tracker.Recompute();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{300})));
  EXPECT_EQ(tracker.holding_back(), std::nullopt);
}

TEST(WatermarkTrackerTest, ATableThatWakesUpJoinsTheMinimumAndTakesNothingBack) {
  WatermarkTracker tracker = Idling();
  tracker.Observe(0, At(100));
  tracker.NoteSilent(1, At(10'000));
  tracker.Advance();
  tracker.Observe(1, At(12));
  tracker.NoteActive(1, At(11'000));
  tracker.Observe(0, At(200));
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{100})));
  EXPECT_EQ(tracker.holding_back(), 1U);
  tracker.Observe(1, At(120));
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{120})));
}

TEST(WatermarkTrackerTest, AnIdleTableDoesNotWaitForOneThatHasFinished) {
  WatermarkTracker tracker = Idling();
  tracker.Observe(0, At(100));
  tracker.Observe(1, At(40));
  tracker.Finish(0);
  tracker.Advance();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{40})));
  tracker.NoteSilent(1, At(10'000));
  tracker.Recompute();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{100})));
  tracker.Finish(1);
  EXPECT_FALSE(tracker.idle(1));
}

TEST(WatermarkTrackerTest, IdlenessChangesNothingUnderMax) {
  WatermarkTracker tracker({{"l", Interval{0}, Seconds(1)}, {"r", Interval{0}, Seconds(1)}},
                           WatermarkPolicy::kMax);
  tracker.BeginIdleness(At(0));
  tracker.Observe(0, At(100));
  tracker.Advance();
  for (const size_t table : {0, 1}) tracker.NoteSilent(table, At(5'000));
  tracker.Recompute();
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{100})));
}

TEST(WatermarkTrackerTest, DoesNotFallBelowTheWatermarkOfAPlannedBatch) {
  BatchCommit commit;
  commit.tables = {{"l", At(100), Watermark{100}}};
  commit.next_watermark = std::nullopt;
  WatermarkTracker tracker = Idling();
  tracker.Restore(commit);
  tracker.BeginIdleness(At(0));
  tracker.RaiseTo(Watermark{100});
  tracker.Advance();
  EXPECT_THAT(tracker.late(), Optional(Eq(Watermark{100})));
  EXPECT_THAT(tracker.current(), Optional(Eq(Watermark{100})));
}

}  // namespace
}  // namespace braid
