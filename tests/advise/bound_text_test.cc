#include "engine/advise/bound_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace braid {
namespace {

Advice AdviceOf(const char* left, const char* right) {
  Advice advice;
  advice.sides[0].time_name = left;
  advice.sides[1].time_name = right;
  return advice;
}

TEST(BoundTextTest, WritesBetween) {
  const Advice advice = AdviceOf("l.ts", "r.ts");
  EXPECT_EQ(BoundText(advice, Seconds(-5), Seconds(60)),
            "r.ts BETWEEN l.ts - INTERVAL '5' SECOND AND l.ts + INTERVAL '1' MINUTE");
  EXPECT_EQ(BoundText(advice, Interval{0}, Interval{1'500}),
            "r.ts BETWEEN l.ts AND l.ts + INTERVAL '0.001500' SECOND");
}

TEST(BoundTextTest, BreaksBeforeAnd) {
  const Advice advice = AdviceOf("l.AND l", "r.ts");
  EXPECT_EQ(BoundText(advice, Seconds(-5), Seconds(60), 4, 40),
            "r.ts BETWEEN l.AND l - INTERVAL '5' SECOND\n"
            "    AND l.AND l + INTERVAL '1' MINUTE");
  EXPECT_EQ(BoundText(advice, Interval{0}, Interval{0}, 4, 40), "r.ts BETWEEN l.AND l AND l.AND l");
}

TEST(BoundTextTest, WritesTheWatermark) {
  SideAdvice side;
  side.time_column = "event time";
  EXPECT_EQ(WatermarkText(side, Milliseconds(2'001)),
            "WATERMARK FOR `event time` AS `event time` - INTERVAL '2.001' SECOND");
  EXPECT_EQ(WatermarkText(side, Interval{0}), "WATERMARK FOR `event time` AS `event time`");
  side.time_column.clear();
  EXPECT_EQ(WatermarkText(side, Seconds(1)), "");
}

TEST(BoundTextTest, WritesLengths) {
  const struct {
    int64_t micros;
    const char* text;
  } cases[] = {
      {0, "0 s"},
      {-2'500'000, "-2.5 s"},
      {1, "0.000001 s"},
      {60'000'000, "1 min"},
      {3'600'000'000, "1 h"},
      {-3'661'001'000, "-1 h 1 min 1.001 s"},
      {86'400'001'000, "1 d 0.001 s"},
      {std::numeric_limits<int64_t>::min(), "-106751991 d 4 h 54.775808 s"},
  };
  for (const auto& tested : cases) EXPECT_EQ(LengthText(Interval{tested.micros}), tested.text);
}

}  // namespace
}  // namespace braid
