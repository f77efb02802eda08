// When rows of an interval join stay and leave (SEMANTICS 3a and 3b), as arithmetic. `now` is the
// watermark of the join, or the clock, in milliseconds; row times are microseconds.
//
// Thread rule: values.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "braid/time.h"
#include "engine/perrecord/per_record_join.h"
#include "engine/perrecord/record_block.h"
#include "engine/plan/stream_plan.h"

namespace braid {

class IntervalTimes {
 public:
  // REQUIRES: the plan is that of an interval join.
  IntervalTimes(const PerRecordPlan& plan, const PerRecordOptions& options)
      : sizes_{(-plan.lower).micros, plan.upper.micros},
        allowed_lateness_ms_(options.allowed_lateness_ms),
        min_cleanup_interval_ms_(options.min_cleanup_interval_ms) {}

  // How long a row of the side waits for those of the other.
  int64_t size(Side side) const { return sizes_[Index(side)]; }

  // Whether a row that comes now is stored: its partners may be still to come.
  bool IsStored(Side side, int64_t time, int64_t now) const {
    return ToMicros(now) < SaturatingAdd(time, size(side));
  }

  // Rows of the side have expired if time <= now - size - lateness - 1.
  int64_t ExpiredMax(Side side, int64_t now) const {
    if (now == kUnsetMillis) return kMin;
    const int64_t kept = SaturatingAdd(size(side), (allowed_lateness_ms_ + 1) * 1'000);
    return SaturatingAdd(ToMicros(now), -kept);
  }

  // The clean-up timer that a row sets: t + size + min-cleanup + lateness + 1, rounded up to the
  // millisecond.
  int64_t TimerOf(Side side, int64_t time) const {
    return SaturatingAdd(CeilToMillis(SaturatingAdd(time, size(side))),
                         min_cleanup_interval_ms_ + allowed_lateness_ms_ + 1);
  }

  // How far the watermark that goes on is behind.
  int64_t OutputDelay() const {
    return CeilToMillis(std::max(sizes_[0], sizes_[1])) + allowed_lateness_ms_;
  }

 private:
  static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

  static int64_t ToMicros(int64_t millis) {
    return millis == kUnsetMillis ? kMin : SaturatingMultiply(millis, 1'000);
  }

  std::array<int64_t, 2> sizes_;  // -lower and upper, microseconds.
  int64_t allowed_lateness_ms_;
  int64_t min_cleanup_interval_ms_;
};

}  // namespace braid
