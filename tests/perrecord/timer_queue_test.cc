#include "engine/perrecord/timer_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// Words of the due timers, rising.
std::vector<uint64_t> Due(TimerQueue* queue, int64_t now) {
  std::vector<Timer> due;
  queue->PopDue(now, &due);
  std::vector<uint64_t> words;
  for (const Timer& timer : due) {
    EXPECT_LE(timer.millis, now);
    words.push_back(timer.word);
  }
  std::sort(words.begin(), words.end());
  return words;
}

TEST(TimerQueueTest, ATimerFallsDueAtItsTimeAndOnce) {
  TimerQueue queue;
  EXPECT_TRUE(queue.empty());
  queue.Add({100, 1, 0});
  queue.Add({100, 2, 1});
  queue.Add({101, 3, 0});
  EXPECT_THAT(Due(&queue, 99), IsEmpty());
  EXPECT_THAT(Due(&queue, 100), ElementsAre(1, 2));
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_THAT(Due(&queue, 100), IsEmpty()) << "the same moment again";
  EXPECT_THAT(Due(&queue, kMax), ElementsAre(3));
  EXPECT_TRUE(queue.empty());
}

TEST(TimerQueueTest, ATimerOfThePastIsDueAtTheNextMomentEvenIfThatIsTheSame) {
  TimerQueue queue;
  EXPECT_THAT(Due(&queue, 1'000), IsEmpty());
  queue.Add({1'000, 1, 0});
  queue.Add({-5, 2, 0});
  EXPECT_THAT(Due(&queue, 1'000), ElementsAre(1, 2));
}

TEST(TimerQueueTest, AMomentThatGoesBackGivesNothing) {
  TimerQueue queue;
  Due(&queue, 1'000);
  queue.Add({500, 1, 0});
  EXPECT_THAT(Due(&queue, 999), IsEmpty());
  EXPECT_THAT(Due(&queue, 1'000), ElementsAre(1));
}

TEST(TimerQueueTest, TimesAtBothEndsAndAroundZeroKeepTheirOrder) {
  TimerQueue queue;
  const std::vector<int64_t> times = {kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax};
  for (size_t i = times.size(); i-- > 0;) queue.Add({times[i], i, 0});
  for (size_t i = 0; i < times.size(); ++i) {
    EXPECT_THAT(Due(&queue, times[i]), ElementsAre(i)) << times[i];
  }
  queue.Add({kMax, 9, 0});
  EXPECT_THAT(Due(&queue, kMax), ElementsAre(9)) << "after the end of all times";
}

TEST(TimerQueueTest, DueTimersAreAppended) {
  TimerQueue queue;
  queue.Add({1, 7, 0});
  std::vector<Timer> due = {{0, 6, 0}};
  queue.PopDue(1, &due);
  ASSERT_EQ(due.size(), 2U);
  EXPECT_EQ(due[1].word, 7U);
  EXPECT_TRUE(queue.empty());
}

TEST(TimerQueueTest, APeekTakesNothingOutAndGivesNoMoreThanIsAskedFor) {
  TimerQueue queue;
  for (int64_t millis = 1; millis <= 100; ++millis) queue.Add({millis, 1, 0});
  std::vector<Timer> due = {{0, 6, 0}};
  queue.PeekDue(50, 1'000, &due);
  EXPECT_EQ(due.size(), 50U);
  queue.PeekDue(50, 7, &due);
  EXPECT_EQ(due.size(), 7U);
  EXPECT_EQ(queue.size(), 100U);
}

TEST(TimerQueueTest, ItAgreesWithAListForStepsOfAllSizes) {
  std::mt19937_64 random(11);
  for (const int spread : {4, 12, 40, 52}) {
    TimerQueue queue;
    std::vector<Timer> list;
    int64_t now = -(int64_t{1} << spread);
    uint64_t word = 0;
    std::vector<Timer> peeked;
    for (int step = 0; step < 2'000; ++step) {
      const int64_t reach = static_cast<int64_t>(random() >> (64 - spread));
      if (random() % 3 != 0) {
        const Timer timer{now + reach, ++word, 0};
        queue.Add(timer);
        list.push_back(timer);
        continue;
      }
      now += reach / 8;
      std::vector<uint64_t> expected;
      for (const Timer& timer : list) {
        if (timer.millis <= now) expected.push_back(timer.word);
      }
      std::erase_if(list, [now](const Timer& timer) { return timer.millis <= now; });
      queue.PeekDue(now, 10'000, &peeked);
      ASSERT_EQ(peeked.size(), expected.size());
      ASSERT_EQ(Due(&queue, now), expected) << "spread " << spread << ", step " << step;
      ASSERT_EQ(queue.size(), list.size());
    }
  }
}

}  // namespace
}  // namespace braid
