// The clean-up timers of an interval join: at most one a key and side. Keys are their words; two
// keys whose hashes are equal share one, which moves only when a row is cleaned up.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/perrecord/timer_queue.h"
#include "engine/perrecord/timer_table.h"
#include "engine/plan/stream_plan.h"
#include "state/state_delta.h"

namespace braid {

class KeyTimers {
 public:
  // `collects`: changes are kept for TakeChanges.
  explicit KeyTimers(bool collects) : collects_(collects) {}

  // Sets a timer unless the key has one on this side.
  void SetIfNone(Side side, uint64_t word, int64_t millis);

  // Asks memory for what SetIfNone and PopDue touch.
  void Prefetch(Side side, uint64_t word) const { times_[Index(side)].Prefetch(word); }
  // The first timers, `count_max` at most, that a PopDue up to `now` would take out; in no order.
  void PeekDue(int64_t now, size_t count_max, std::vector<Timer>* due) const {
    queue_.PeekDue(now, count_max, due);
  }

  // Takes the timers out that are due at `now`, in the order in which they fire: by time, right
  // before left.
  void PopDue(int64_t now, std::vector<Timer>* due);

  std::vector<TimerChange> TakeChanges(Side side);
  void Restore(Side side, std::span<const TimerChange> timers);

  // Rising; the left and the right timer of one key at one time are one.
  std::vector<int64_t> Times() const;
  int64_t memory_bytes() const;

 private:
  bool collects_;
  std::array<TimerTable, 2> times_;
  std::array<std::vector<uint64_t>, 2> changed_;  // Words, may repeat.
  TimerQueue queue_;
};

}  // namespace braid
