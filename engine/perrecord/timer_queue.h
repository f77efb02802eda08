// Timers in order of time: a radix queue. Times only fall due in rising order, so an entry needs no
// place among all others: it lies in the bucket of the highest bit in which it differs from the
// last moment, and moves to a lower one when that bit's turn has come. No lookup, no comparison
// with other entries; amortized a few sequential moves a timer.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace braid {

struct Timer {
  int64_t millis = 0;
  uint64_t word = 0;
  uint8_t side = 0;
};

class TimerQueue {
 public:
  // A timer at or before the last PopDue is due at the next one.
  void Add(const Timer& timer);

  // Appends the timers with millis <= now to *due, in no order. `now` must not go back.
  void PopDue(int64_t now, std::vector<Timer>* due);

  // Copies of timers that PopDue(now) would give, `count_max` at most. Costs what it looks at,
  // which is no more than what that PopDue moves.
  void PeekDue(int64_t now, size_t count_max, std::vector<Timer>* due) const;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  int64_t memory_bytes() const;

 private:
  static uint64_t Ordered(int64_t millis) {
    return static_cast<uint64_t>(millis) ^ (uint64_t{1} << 63);
  }
  size_t BucketOf(int64_t millis) const;

  std::array<std::vector<Timer>, 65> buckets_;
  std::vector<Timer> moving_;
  int64_t last_ = std::numeric_limits<int64_t>::min();
  size_t size_ = 0;
};

}  // namespace braid
