#include "state/store/decimal_doubles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <vector>

namespace braid {
namespace {

using ::testing::ElementsAre;

TEST(DecimalDoublesTest, TheFewestDigitsAreTakenWithWhichAllValuesComeBack) {
  struct Case {
    const char* name;
    std::vector<double> values;
    std::optional<int> digits;
  };
  const Case cases[] = {
      {"none", {}, std::nullopt},
      {"whole", {0, -3, 1e12}, 0},
      {"prices", {83.2, 83.26, -0.01}, 2},
      {"more digits later", {1, 2.5, 3.125}, 3},
      {"six digits", {52.520008, 13.404954}, 6},
      {"seven digits", {0.1234567}, std::nullopt},
      {"a third", {1.5, 1.0 / 3}, std::nullopt},
      {"negative zero", {1.5, -0.0}, std::nullopt},
      {"not a number", {1.5, std::numeric_limits<double>::quiet_NaN()}, std::nullopt},
      {"infinite", {1.5, std::numeric_limits<double>::infinity()}, std::nullopt},
      {"smallest", {std::numeric_limits<double>::denorm_min()}, std::nullopt},
      {"below the bound", {1125899906842623.0}, 0},
      {"at the bound", {-1125899906842624.0}, std::nullopt},
      {"far above it", {1e300}, std::nullopt},
  };
  for (const Case& c : cases) {
    std::vector<int64_t> integers;
    EXPECT_EQ(ToDecimals(c.values, nullptr, 0, &integers), c.digits) << c.name;
  }
}

TEST(DecimalDoublesTest, WhatStandsUnderANullDoesNotMatter) {
  const std::vector<double> values = {1.0 / 3, 2.5, std::numeric_limits<double>::quiet_NaN(), -1};
  const uint8_t validity = 0b10100;  // From bit 1 on: NULL, 2.5, NULL, -1.
  std::vector<int64_t> integers;
  EXPECT_EQ(ToDecimals(values, &validity, 1, &integers), 1);
  EXPECT_THAT(integers, ElementsAre(-10, 25, -10, -10));
  const uint8_t none = 0;
  EXPECT_EQ(ToDecimals(values, &none, 0, &integers), std::nullopt);
}

TEST(DecimalDoublesTest, ValuesComeBackBitByBit) {
  std::mt19937_64 random(7);
  constexpr double kPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  for (int digits = 0; digits <= kDecimalDigitsMax; ++digits) {
    std::vector<double> values;
    for (int i = 0; i < 3'000; ++i) {
      const int64_t integer = static_cast<int64_t>(random()) >> (15 + random() % 48);
      values.push_back(static_cast<double>(integer) / kPowers[digits]);
      if (std::bit_cast<uint64_t>(values.back()) == std::bit_cast<uint64_t>(-0.0))
        values.back() = 0;
    }
    std::vector<int64_t> integers;
    const std::optional<int> found = ToDecimals(values, nullptr, 0, &integers);
    ASSERT_TRUE(found.has_value()) << digits;
    EXPECT_LE(*found, digits);
    std::vector<double> read(values.size());
    FromDecimals(integers, *found, read.data());
    EXPECT_EQ(read, values);
  }
}

}  // namespace
}  // namespace braid
