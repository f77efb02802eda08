#include "state/expiry_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace braid {
namespace {

TEST(ExpiryOrderTest, StepsGiveEveryRowThatFellBelowTheBound) {
  std::mt19937 random(1);
  for (const uint32_t range : {1U, 50U, 5'000U, 20'000U, 0xf0000000U}) {
    constexpr uint16_t kNumSlots = 1'000;
    std::vector<Entry> entries(kNumSlots);
    std::vector<uint16_t> slots;
    for (uint16_t slot = 0; slot < kNumSlots; ++slot) {
      entries[slot].time = 7 + static_cast<uint32_t>(random()) % range;
      if (random() % 5 != 0) slots.push_back(slot);
    }
    ExpiryOrder order;
    EXPECT_TRUE(order.empty());
    order.Build(entries.data(), slots);
    EXPECT_FALSE(order.empty());
    std::set<uint32_t> expired;
    for (uint32_t step = 0; step <= 40; ++step) {
      const uint32_t bound = step == 40 ? 0xfffffffe : 7 + range / 40 * step;
      const uint32_t earliest =
          order.Step(entries.data(), bound, [&](uint32_t slot) { expired.insert(slot); });
      std::set<uint32_t> expected;
      uint32_t expected_earliest = kNullTimeOffset;
      for (const uint16_t slot : slots) {
        if (entries[slot].time < bound) {
          expected.insert(slot);
        } else {
          expected_earliest = std::min(expected_earliest, entries[slot].time);
        }
      }
      ASSERT_EQ(expired, expected) << "range " << range << ", step " << step;
      ASSERT_EQ(earliest, expected_earliest) << "range " << range << ", step " << step;
    }
  }
}

TEST(ExpiryOrderTest, AStepLooksAtWhatItGivesAndOneBucket) {
  constexpr uint16_t kNumSlots = 16'000;
  std::vector<Entry> entries(kNumSlots);
  std::vector<uint16_t> slots;
  for (uint16_t slot = 0; slot < kNumSlots; ++slot) {
    entries[slot].time = static_cast<uint32_t>(slot) * 7'919 % 16'000;
    slots.push_back(slot);
  }
  ExpiryOrder order;
  order.Build(entries.data(), slots);
  int64_t given = 0;
  for (uint32_t bound = 0; bound <= 16'000; bound += 2) {
    order.Step(entries.data(), bound, [&](uint32_t) { ++given; });
  }
  // Four rows a bucket: some are given again by the steps inside their bucket.
  EXPECT_LE(given, 2 * 16'000);
}

}  // namespace
}  // namespace braid
