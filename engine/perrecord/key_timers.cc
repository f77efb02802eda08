#include "engine/perrecord/key_timers.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/perrecord/timer_changes.h"

namespace braid {

void KeyTimers::SetIfNone(Side side, uint64_t word, int64_t millis) {
  if (!times_[Index(side)].Insert(word, millis)) return;
  queue_.Add({millis, word, static_cast<uint8_t>(side)});
  if (collects_) changed_[Index(side)].push_back(word);
}

void KeyTimers::PopDue(int64_t now, std::vector<Timer>* due) {
  due->clear();
  if (queue_.empty()) return;
  queue_.PopDue(now, due);
  if (due->empty()) return;
  if (due->size() > 1) {
    std::sort(due->begin(), due->end(), [](const Timer& first, const Timer& second) {
      return std::tuple(first.millis, second.side, first.word) <
             std::tuple(second.millis, first.side, second.word);
    });
  }
  for (const Timer& timer : *due) {
    times_[timer.side].Erase(timer.word);
    if (collects_) changed_[timer.side].push_back(timer.word);
  }
}

std::vector<TimerChange> KeyTimers::TakeChanges(Side side) {
  return TimerChangesOf(std::exchange(changed_[Index(side)], {}),
                        [this, side](uint64_t word) { return times_[Index(side)].Find(word); });
}

void KeyTimers::Restore(Side side, std::span<const TimerChange> timers) {
  for (const TimerChange& timer : timers) {
    if (!timer.time_ms) continue;
    times_[Index(side)].Insert(timer.word, *timer.time_ms);
    queue_.Add({*timer.time_ms, timer.word, static_cast<uint8_t>(side)});
  }
}

std::vector<int64_t> KeyTimers::Times() const {
  std::vector<std::pair<int64_t, uint64_t>> timers;
  for (const TimerTable& side : times_) {
    side.VisitAll([&](uint64_t word, int64_t millis) { timers.emplace_back(millis, word); });
  }
  std::sort(timers.begin(), timers.end());
  timers.erase(std::unique(timers.begin(), timers.end()), timers.end());
  std::vector<int64_t> times;
  for (const auto& [millis, word] : timers) times.push_back(millis);
  return times;
}

int64_t KeyTimers::memory_bytes() const {
  int64_t bytes = queue_.memory_bytes();
  for (const TimerTable& side : times_) bytes += side.memory_bytes();
  return bytes;
}

}  // namespace braid
