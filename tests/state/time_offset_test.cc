#include "state/time_offset.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <vector>

namespace braid {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

uint32_t Encode(int64_t time, int64_t base, int64_t unit) {
  if (unit == 1) return EncodeTimeOffset<1>(time, base);
  return unit == 1'000 ? EncodeTimeOffset<1'000>(time, base)
                       : EncodeTimeOffset<1'000'000>(time, base);
}

TEST(TimeOffsetTest, TheUnitFollowsThePrecision) {
  const int64_t expected[] = {1'000'000, 1'000, 1'000, 1'000, 1, 1, 1};
  for (uint8_t precision = 0; precision <= 6; ++precision) {
    EXPECT_EQ(TimeOffsetUnit(precision), expected[precision]) << int{precision};
  }
}

TEST(TimeOffsetTest, ABaseReachesToBothSides) {
  for (const int64_t unit : {int64_t{1}, int64_t{1'000}, int64_t{1'000'000}}) {
    for (const int64_t steps : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{1'700'000'000}}) {
      const int64_t time = steps * unit;
      const int64_t base = TimeBaseAround(time, unit);
      const int64_t reach = (int64_t{1} << 31) - 2;
      for (const int64_t distance : {int64_t{0}, reach, -reach}) {
        const int64_t other = time + distance * unit;
        const uint32_t offset = Encode(other, base, unit);
        ASSERT_NE(offset, kNullTimeOffset) << unit << " " << steps << " " << distance;
        EXPECT_EQ(DecodeTimeOffset(offset, base, unit), other);
      }
      EXPECT_EQ(Encode(time + (reach + 2) * unit, base, unit), kNullTimeOffset);
      EXPECT_EQ(Encode(time - (reach + 3) * unit, base, unit), kNullTimeOffset);
    }
  }
}

TEST(TimeOffsetTest, TimesBetweenTwoStepsHaveNoOffset) {
  const int64_t base = TimeBaseAround(5'000, 1'000);
  EXPECT_EQ(Encode(5'001, base, 1'000), kNullTimeOffset);
  EXPECT_EQ(Encode(4'999, base, 1'000), kNullTimeOffset);
  EXPECT_NE(Encode(6'000, base, 1'000), kNullTimeOffset);
}

TEST(TimeOffsetTest, AnOffsetIsBelowTheBoundIffItsTimeIsBelowTheThreshold) {
  for (const int64_t unit : {int64_t{1}, int64_t{1'000}, int64_t{1'000'000}}) {
    const int64_t time = 7 * unit;
    const int64_t base = TimeBaseAround(0, unit);
    const uint32_t offset = Encode(time, base, unit);
    for (const int64_t threshold :
         {time - unit, time - 1, time, time + 1, time + unit, kMin, kMax}) {
      EXPECT_EQ(offset < TimeOffsetBound(threshold, base, unit), time < threshold)
          << unit << " " << threshold;
    }
    EXPECT_LE(TimeOffsetBound(kMax, base, unit), kNullTimeOffset) << "NULL is never below";
  }
}

TEST(TimeOffsetTest, EncodingIsExactOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const int64_t unit = *rc::gen::elementOf(std::vector<int64_t>{1, 1'000, 1'000'000});
    const auto any_time =
        rc::gen::oneOf(rc::gen::arbitrary<int64_t>(),
                       rc::gen::elementOf(std::vector<int64_t>{kMin, kMin + 1, kMax, 0}));
    const int64_t around = *any_time;
    const int64_t time = *any_time;
    const int64_t threshold = *any_time;
    const int64_t base = TimeBaseAround(around, unit);
    RC_ASSERT(base % unit == 0);
    const uint32_t offset = Encode(time, base, unit);
    if (offset == kNullTimeOffset) return;
    RC_ASSERT(DecodeTimeOffset(offset, base, unit) == time);
    RC_ASSERT((offset < TimeOffsetBound(threshold, base, unit)) == (time < threshold));
  }));
}

}  // namespace
}  // namespace braid
