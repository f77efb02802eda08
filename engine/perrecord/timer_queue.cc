#include "engine/perrecord/timer_queue.h"

#include <bit>
#include <utility>

namespace braid {

size_t TimerQueue::BucketOf(int64_t millis) const {
  if (millis <= last_) return 0;
  return static_cast<size_t>(std::bit_width(Ordered(millis) ^ Ordered(last_)));
}

void TimerQueue::Add(const Timer& timer) {
  buckets_[BucketOf(timer.millis)].push_back(timer);
  ++size_;
}

void TimerQueue::PopDue(int64_t now, std::vector<Timer>* due) {
  if (now < last_) return;
  const size_t turn = static_cast<size_t>(std::bit_width(Ordered(now) ^ Ordered(last_)));
  const size_t before = due->size();
  // Below the bit in which `now` differs all entries are earlier than it.
  for (size_t bucket = 0; bucket < (turn == 0 ? 1 : turn); ++bucket) {
    due->insert(due->end(), buckets_[bucket].begin(), buckets_[bucket].end());
    buckets_[bucket].clear();
  }
  last_ = now;
  if (turn > 0 && !buckets_[turn].empty()) {
    moving_.clear();
    std::swap(moving_, buckets_[turn]);
    for (const Timer& timer : moving_) {
      if (timer.millis <= now) {
        due->push_back(timer);
      } else {
        buckets_[BucketOf(timer.millis)].push_back(timer);
      }
    }
  }
  size_ -= due->size() - before;
}

void TimerQueue::PeekDue(int64_t now, size_t count_max, std::vector<Timer>* due) const {
  due->clear();
  if (now < last_) return;
  const size_t turn = static_cast<size_t>(std::bit_width(Ordered(now) ^ Ordered(last_)));
  for (size_t bucket = 0; bucket <= turn; ++bucket) {
    for (const Timer& timer : buckets_[bucket]) {
      if (due->size() == count_max) return;
      if (bucket < turn || timer.millis <= now) due->push_back(timer);
    }
  }
}

int64_t TimerQueue::memory_bytes() const {
  size_t timers = moving_.capacity();
  for (const std::vector<Timer>& bucket : buckets_) timers += bucket.capacity();
  return static_cast<int64_t>(timers * sizeof(Timer));
}

}  // namespace braid
