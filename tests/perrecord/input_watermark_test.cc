#include "engine/perrecord/input_watermark.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/perrecord/record_order.h"

namespace braid {
namespace {

constexpr bool kFinite = true;
constexpr bool kLive = false;

std::string Sent(InputWatermark* watermark, const std::vector<int64_t>& times) {
  std::string text;
  for (const int64_t time : times) {
    const int64_t millis = watermark->Observe(time);
    text += (text.empty() ? "" : " ") + (millis == kUnsetMillis ? "-" : std::to_string(millis));
  }
  return text;
}

TEST(InputWatermarkTest, FollowsEveryRecordThatMovesIt) {
  InputWatermark watermark(Milliseconds(5), {}, kFinite);
  EXPECT_EQ(Sent(&watermark, {10'000, 9'000, 10'000, 12'000, kNoRowTime, 20'000}), "5 - - 7 - 15");
}

TEST(InputWatermarkTest, IsFlooredToAMillisecondAlsoBelowZero) {
  InputWatermark watermark(Interval{0}, {}, kFinite);
  EXPECT_EQ(Sent(&watermark, {-1'500, -1'000, -999, -1, 0, 999, 1'000}), "-2 -1 - - 0 - 1");
}

TEST(InputWatermarkTest, ADelayInMicrosecondsIsExact) {
  InputWatermark watermark(Interval{1}, {}, kFinite);
  EXPECT_EQ(Sent(&watermark, {5'000, 5'001, 6'000, 6'001}), "4 5 - 6");
}

TEST(InputWatermarkTest, PeriodicCountsTheRecordsOfFiniteInput) {
  WatermarkOptions options;
  options.periodic = true;
  options.periodic_records = 3;
  InputWatermark watermark(Interval{0}, options, kFinite);
  EXPECT_EQ(Sent(&watermark, {1'000, 5'000, 2'000, 1'000, 3'000, 4'000, 9'000, 0, 0}),
            "- - 5 - - - - - 9");
  EXPECT_EQ(watermark.Tick(EventTime{1'000'000'000}), kUnsetMillis);
}

TEST(InputWatermarkTest, PeriodicGoesByTheWallClockOnLiveInput) {
  WatermarkOptions options;
  options.periodic = true;
  options.periodic_interval = Milliseconds(200);
  InputWatermark watermark(Interval{0}, options, kLive);
  EXPECT_EQ(Sent(&watermark, {1'000, 5'000}), "- -");
  EXPECT_EQ(watermark.Tick(EventTime{0}), 5);
  EXPECT_EQ(Sent(&watermark, {7'000}), "-");
  EXPECT_EQ(watermark.Tick(EventTime{199'999}), kUnsetMillis);
  EXPECT_EQ(watermark.Tick(EventTime{200'000}), 7);
  EXPECT_EQ(watermark.Tick(EventTime{400'000}), kUnsetMillis);
}

TEST(InputWatermarkTest, ARaisedOneNeverGoesBack) {
  InputWatermark watermark(Interval{0}, {}, kLive);
  EXPECT_EQ(Sent(&watermark, {1'000}), "1");
  EXPECT_EQ(watermark.Raise(50), 50);
  EXPECT_EQ(watermark.Raise(40), kUnsetMillis);
  EXPECT_EQ(Sent(&watermark, {49'000, 50'000, 51'000}), "- - 51");
  EXPECT_EQ(watermark.reached(), 51);
}

TEST(InputWatermarkTest, GoesOnFromACheckpoint) {
  InputWatermark watermark(Interval{0}, {}, kFinite);
  watermark.Restore(EventTime{8'000}, 8);
  EXPECT_EQ(watermark.sent(), 8);
  EXPECT_EQ(Sent(&watermark, {7'000, 8'500, 9'000}), "- - 9");
}

}  // namespace
}  // namespace braid
