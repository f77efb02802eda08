#include "state/store/packed_integers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace braid {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

template <typename T>
IntegerArray ArrayOf(const std::vector<T>& values) {
  return {values.data(), sizeof(T), nullptr, 0, std::ssize(values)};
}

// Packs and unpacks; returns the packing.
template <typename T>
IntegerPacking RoundTrip(const std::vector<T>& values, bool times = false) {
  const IntegerPacking packing = ChoosePacking(ArrayOf(values), times);
  std::vector<uint8_t> bytes(values.size() * packing.width);
  PackIntegers(ArrayOf(values), packing, bytes.data());
  std::vector<T> read(values.size());
  EXPECT_TRUE(UnpackIntegers(bytes, packing, sizeof(T), std::ssize(values), read.data()));
  EXPECT_EQ(read, values);
  return packing;
}

TEST(PackedIntegersTest, TheWidthIsTheSmallestThatHoldsTheDifferences) {
  struct Case {
    const char* name;
    std::vector<int64_t> values;
    IntegerPacking packing;
  };
  const Case cases[] = {
      {"none", {}, {0, 1, 0}},
      {"equal", {7, 7, 7}, {7, 1, 0}},
      {"one byte", {-100, 155}, {-100, 1, 1}},
      {"two bytes", {0, 256}, {0, 1, 2}},
      {"three bytes", {0, 1 << 16}, {0, 1, 3}},
      {"five bytes", {-1, (1LL << 32) - 1}, {-1, 1, 5}},
      {"seven bytes", {0, 1LL << 48}, {0, 1, 7}},
      {"all bits", {kMin, 0, kMax}, {kMin, 1, 8}},
      {"falling", {kMax, kMax - 300, kMax - 2}, {kMax - 300, 1, 2}},
  };
  for (const Case& c : cases) EXPECT_EQ(RoundTrip(c.values), c.packing) << c.name;
}

TEST(PackedIntegersTest, TimesTakeTheUnitThatAllOfThemHave) {
  struct Case {
    const char* name;
    std::vector<int64_t> values;
    IntegerPacking packing;
  };
  const Case cases[] = {
      {"seconds", {-5'000'000, 0, 250'000'000}, {-5'000'000, 1'000'000, 1}},
      {"milliseconds", {1'500, 2'500, 200'500}, {1'500, 1'000, 1}},
      {"microseconds", {0, 1, 2'000}, {0, 1, 2}},
      {"the ends are whole, the middle is not", {0, 1, 1'000}, {0, 1, 2}},
      {"the ends of int64", {kMin, kMin + 1'000'000}, {kMin, 1'000'000, 1}},
  };
  for (const Case& c : cases) EXPECT_EQ(RoundTrip(c.values, true), c.packing) << c.name;
}

TEST(PackedIntegersTest, ArraysOfAllWidthsComeBack) {
  std::mt19937_64 random(1);
  for (int bits = 0; bits <= 64; ++bits) {
    const uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
    std::vector<int8_t> bytes;
    std::vector<int16_t> shorts;
    std::vector<int32_t> integers;
    std::vector<int64_t> longs;
    for (int i = 0; i < 1'500; ++i) {
      const uint64_t value = random() & mask;
      bytes.push_back(static_cast<int8_t>(value));
      shorts.push_back(static_cast<int16_t>(value));
      integers.push_back(static_cast<int32_t>(value));
      longs.push_back(static_cast<int64_t>(value));
    }
    RoundTrip(bytes);
    RoundTrip(shorts);
    RoundTrip(integers);
    EXPECT_EQ(RoundTrip(longs).width, (bits + 7) / 8);
  }
}

TEST(PackedIntegersTest, NullsTakeTheSmallestValue) {
  const std::vector<int64_t> values = {5, kMax, 7, kMin};
  const uint8_t validity = 0b0101;
  const IntegerArray array{values.data(), 8, &validity, 0, 4};
  const IntegerPacking packing = ChoosePacking(array, false);
  EXPECT_EQ(packing, (IntegerPacking{5, 1, 1}));
  std::vector<uint8_t> bytes(4);
  PackIntegers(array, packing, bytes.data());
  std::vector<int64_t> read(4);
  EXPECT_TRUE(UnpackIntegers(bytes, packing, 8, 4, read.data()));
  EXPECT_THAT(read, testing::ElementsAre(5, 5, 7, 5));
}

TEST(PackedIntegersTest, APartOfAnArrayIsPackedOnItsOwn) {
  std::vector<int64_t> values(5'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i) * 1'000;
  const IntegerArray array{values.data(), 8, nullptr, 4'000, 200};
  const IntegerPacking packing = ChoosePacking(array, true);
  EXPECT_EQ(packing, (IntegerPacking{4'000'000, 1'000, 1}));
}

TEST(PackedIntegersTest, WhatCannotBeIsRefused) {
  std::vector<int64_t> values(4);
  const std::vector<uint8_t> bytes(8);
  const auto unpack = [&](size_t size, IntegerPacking packing, int64_t count) {
    return UnpackIntegers(std::span(bytes).first(size), packing, 8, count, values.data());
  };
  EXPECT_TRUE(unpack(8, {0, 1, 2}, 4));
  EXPECT_FALSE(unpack(7, {0, 1, 2}, 4));
  EXPECT_FALSE(unpack(8, {0, 1, 2}, 3));
  EXPECT_FALSE(unpack(8, {0, 1, 3}, 2));
  EXPECT_FALSE(unpack(8, {0, 1, 9}, 1));
  EXPECT_FALSE(unpack(8, {0, 7, 2}, 4));
  EXPECT_FALSE(unpack(1, {0, 1, 0}, 4));
  EXPECT_FALSE(unpack(0, {0, 1, 2}, 4));
  EXPECT_FALSE(unpack(0, {0, 1, 0}, -1));
  EXPECT_FALSE(unpack(8, {0, 1, 8}, int64_t{1} << 61));
}

}  // namespace
}  // namespace braid
