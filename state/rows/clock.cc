#include "braid/clock.h"

#include <algorithm>
#include <chrono>

#include "state/rows/longest_wait.h"

namespace braid {

EventTime SystemClock::Now() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(now).count()};
}

void SystemClock::WaitUntil(EventTime time, const std::function<bool()>& stopped) {
  // The machine's clock counts nanoseconds, and ends before EventTime does.
  const EventTime latest =
      Now() + Interval{std::chrono::duration_cast<std::chrono::microseconds>(kLongestWait).count()};
  const std::chrono::microseconds micros(std::min(time, latest).micros);
  const std::chrono::system_clock::time_point until{std::max(micros, std::chrono::microseconds(0))};
  std::unique_lock lock(mutex_);
  woken_.wait_until(lock, until, stopped);
}

void SystemClock::Wake() {
  // Taken and given back so that a waiter between its test and its sleep does not miss the call.
  { const std::lock_guard lock(mutex_); }
  woken_.notify_all();
}

EventTime ManualClock::Now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void ManualClock::WaitUntil(EventTime time, const std::function<bool()>& stopped) {
  std::unique_lock lock(mutex_);
  woken_.wait(lock, [&] { return now_ >= time || stopped(); });
}

void ManualClock::Wake() {
  { const std::lock_guard lock(mutex_); }
  woken_.notify_all();
}

void ManualClock::AdvanceTo(EventTime time) {
  {
    const std::lock_guard lock(mutex_);
    now_ = std::max(now_, time);
  }
  woken_.notify_all();
}

}  // namespace braid
