#include "engine/perrecord/key_timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// (side, word) of the due timers in their order.
std::vector<std::pair<Side, uint64_t>> Due(KeyTimers* timers, int64_t now) {
  std::vector<Timer> due = {{1, 2, 0}};  // What it held is not kept.
  timers->PopDue(now, &due);
  std::vector<std::pair<Side, uint64_t>> result;
  for (const Timer& timer : due) {
    result.emplace_back(static_cast<Side>(timer.side), timer.word);
  }
  return result;
}

std::vector<std::pair<uint64_t, std::optional<int64_t>>> Changes(KeyTimers* timers, Side side) {
  std::vector<std::pair<uint64_t, std::optional<int64_t>>> result;
  for (const TimerChange& change : timers->TakeChanges(side)) {
    result.emplace_back(change.word, change.time_ms);
  }
  return result;
}

TEST(KeyTimersTest, AKeyHasOneTimerASideAndTheFirstOneStays) {
  KeyTimers timers(/*collects=*/false);
  timers.SetIfNone(Side::kLeft, 5, 100);
  timers.SetIfNone(Side::kLeft, 5, 50);
  timers.SetIfNone(Side::kRight, 5, 70);
  EXPECT_THAT(timers.Times(), ElementsAre(70, 100));
  EXPECT_THAT(Due(&timers, 69), IsEmpty());
  EXPECT_THAT(Due(&timers, 99), ElementsAre(Pair(Side::kRight, 5)));
  EXPECT_THAT(Due(&timers, 100), ElementsAre(Pair(Side::kLeft, 5)));
  EXPECT_THAT(timers.Times(), IsEmpty());
  timers.SetIfNone(Side::kLeft, 5, 200);
  EXPECT_THAT(timers.Times(), ElementsAre(200)) << "a key that fired gets a new one";
}

TEST(KeyTimersTest, TimersFireByTimeRightBeforeLeftThenByWord) {
  KeyTimers timers(/*collects=*/false);
  for (const uint64_t word : {9, 3, 6}) {
    timers.SetIfNone(Side::kLeft, word, 100);
    timers.SetIfNone(Side::kRight, word, 100);
  }
  timers.SetIfNone(Side::kLeft, 1, 101);
  timers.SetIfNone(Side::kLeft, 2, 99);
  EXPECT_THAT(Due(&timers, 200),
              ElementsAre(Pair(Side::kLeft, 2), Pair(Side::kRight, 3), Pair(Side::kRight, 6),
                          Pair(Side::kRight, 9), Pair(Side::kLeft, 3), Pair(Side::kLeft, 6),
                          Pair(Side::kLeft, 9), Pair(Side::kLeft, 1)));
}

TEST(KeyTimersTest, ExtremeTimesFireInOrder) {
  KeyTimers timers(/*collects=*/false);
  timers.SetIfNone(Side::kLeft, 1, kMax);
  timers.SetIfNone(Side::kLeft, 2, kMin + 1);
  timers.SetIfNone(Side::kLeft, 3, 0);
  EXPECT_THAT(Due(&timers, kMin + 1), ElementsAre(Pair(Side::kLeft, 2)));
  EXPECT_THAT(Due(&timers, kMax - 1), ElementsAre(Pair(Side::kLeft, 3)));
  EXPECT_THAT(Due(&timers, kMax), ElementsAre(Pair(Side::kLeft, 1)));
}

TEST(KeyTimersTest, BothTimersOfAKeyAtOneTimeAreOneInTheList) {
  KeyTimers timers(/*collects=*/false);
  timers.SetIfNone(Side::kLeft, 5, 100);
  timers.SetIfNone(Side::kRight, 5, 100);
  timers.SetIfNone(Side::kRight, 6, 100);
  EXPECT_THAT(timers.Times(), ElementsAre(100, 100));
}

TEST(KeyTimersTest, ChangesSayWhatIsSetNowAndWhatHasFired) {
  KeyTimers timers(/*collects=*/true);
  timers.SetIfNone(Side::kLeft, 5, 100);
  timers.SetIfNone(Side::kLeft, 4, 90);
  timers.SetIfNone(Side::kRight, 5, 300);
  Due(&timers, 95);
  timers.SetIfNone(Side::kLeft, 6, 400);
  EXPECT_THAT(Changes(&timers, Side::kLeft),
              ElementsAre(Pair(4, std::nullopt), Pair(5, 100), Pair(6, 400)));
  EXPECT_THAT(Changes(&timers, Side::kRight), ElementsAre(Pair(5, 300)));
  EXPECT_THAT(Changes(&timers, Side::kLeft), IsEmpty()) << "each change once";
  Due(&timers, 100);
  timers.SetIfNone(Side::kLeft, 5, 500);
  EXPECT_THAT(Changes(&timers, Side::kLeft), ElementsAre(Pair(5, 500))) << "fired and set again";
}

TEST(KeyTimersTest, NothingIsCollectedWithoutAStore) {
  KeyTimers timers(/*collects=*/false);
  timers.SetIfNone(Side::kLeft, 5, 100);
  EXPECT_THAT(Changes(&timers, Side::kLeft), IsEmpty());
}

TEST(KeyTimersTest, RestoredTimersGoOnAsTheyWere) {
  KeyTimers timers(/*collects=*/true);
  std::vector<TimerChange> stored(3);
  stored[0].word = 5;
  stored[0].time_ms = 100;
  stored[1].word = 6;  // Deleted.
  stored[2].word = 7;
  stored[2].time_ms = 200;
  timers.Restore(Side::kRight, stored);
  EXPECT_THAT(timers.Times(), ElementsAre(100, 200));
  EXPECT_THAT(Changes(&timers, Side::kRight), IsEmpty()) << "the store has them";
  timers.SetIfNone(Side::kRight, 5, 50);
  EXPECT_THAT(Due(&timers, 99), IsEmpty()) << "the restored timer stays";
  EXPECT_THAT(Due(&timers, 200), ElementsAre(Pair(Side::kRight, 5), Pair(Side::kRight, 7)));
  EXPECT_THAT(Changes(&timers, Side::kRight),
              ElementsAre(Pair(5, std::nullopt), Pair(7, std::nullopt)));
}

}  // namespace
}  // namespace braid
