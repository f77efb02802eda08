#include "engine/perrecord/timer_table.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

namespace braid {
namespace {

TEST(TimerTableTest, KeepsTheFirstTimerOfAWord) {
  TimerTable table;
  EXPECT_EQ(table.Find(5), std::nullopt);
  table.Erase(5);
  EXPECT_TRUE(table.Insert(5, 100));
  EXPECT_FALSE(table.Insert(5, 50));
  EXPECT_EQ(table.Find(5), 100);
  EXPECT_EQ(table.size(), 1U);
  table.Erase(5);
  EXPECT_EQ(table.Find(5), std::nullopt);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_TRUE(table.Insert(5, 50));
}

TEST(TimerTableTest, TakesAllWordsAndTimes) {
  TimerTable table;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  for (const uint64_t word : {uint64_t{0}, ~uint64_t{0}}) {
    for (const int64_t millis : {kMin + 1, int64_t{-1}, int64_t{0}, kMax}) {
      EXPECT_TRUE(table.Insert(word, millis));
      EXPECT_EQ(table.Find(word), millis);
      table.Erase(word);
    }
  }
}

TEST(TimerTableTest, AgreesWithAMapThroughGrowthAndErasures) {
  std::mt19937_64 random(5);
  TimerTable table;
  std::map<uint64_t, int64_t> map;
  for (int step = 0; step < 50'000; ++step) {
    const uint64_t word = random() % 2'000;
    const int64_t millis = static_cast<int64_t>(random() >> 2);
    if (random() % 2 == 0) {
      ASSERT_EQ(table.Insert(word, millis), map.emplace(word, millis).second);
    } else {
      table.Erase(word);
      map.erase(word);
    }
    ASSERT_EQ(table.size(), map.size());
  }
  std::map<uint64_t, int64_t> visited;
  table.VisitAll([&](uint64_t word, int64_t millis) { visited.emplace(word, millis); });
  EXPECT_EQ(visited, map);
  for (uint64_t word = 0; word < 2'000; ++word)
    ASSERT_EQ(table.Find(word).has_value(), map.contains(word));
}

}  // namespace
}  // namespace braid
