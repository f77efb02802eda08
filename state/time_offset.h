// How a chunk keeps an event time in 32 bits: as an offset from the chunk's base, counted in the
// unit of the column's precision. Exact: a time that has no offset is refused, never rounded.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <limits>

#include "state/rows/exact_quotient.h"

namespace braid {

constexpr uint32_t kNullTimeOffset = 0xffffffff;
constexpr uint64_t kTimeOffsetMax = 0xfffffffe;

// Microseconds of one step: precision 0 counts seconds, 1-3 milliseconds, 4-6 microseconds.
constexpr int64_t TimeOffsetUnit(uint8_t precision) {
  if (precision == 0) return 1'000'000;
  return precision <= 3 ? 1'000 : 1;
}

// A base that puts `time` into the middle of the reach: 2^31 units to both sides, fewer at the ends
// of int64. The base is a multiple of the unit.
constexpr int64_t TimeBaseAround(int64_t time, int64_t unit) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const int64_t lowest = kMin - kMin % unit;
  const int64_t half = (int64_t{1} << 31) * unit;
  if (time < lowest + half) return lowest;
  const int64_t rest = time % unit;
  return time - (rest < 0 ? rest + unit : rest) - half;
}

// The offset of `time`, or kNullTimeOffset when it is out of reach or between two steps.
template <int64_t kUnit>
constexpr uint32_t EncodeTimeOffset(int64_t time, int64_t base) {
  if (time < base) return kNullTimeOffset;
  const uint64_t distance = static_cast<uint64_t>(time) - static_cast<uint64_t>(base);
  const uint64_t offset = ExactQuotient<static_cast<uint64_t>(kUnit)>(distance);
  return offset <= kTimeOffsetMax ? static_cast<uint32_t>(offset) : kNullTimeOffset;
}

constexpr int64_t DecodeTimeOffset(uint32_t offset, int64_t base, int64_t unit) {
  return base + static_cast<int64_t>(offset) * unit;
}

// The smallest offset whose time is not below `threshold`, at most kNullTimeOffset: an offset is
// below the threshold iff it is less than that.
constexpr uint32_t TimeOffsetBound(int64_t threshold, int64_t base, int64_t unit) {
  if (threshold <= base) return 0;
  const uint64_t distance = static_cast<uint64_t>(threshold) - static_cast<uint64_t>(base);
  const uint64_t step = static_cast<uint64_t>(unit);
  const uint64_t bound = distance / step + (distance % step != 0 ? 1 : 0);
  return bound < kNullTimeOffset ? static_cast<uint32_t>(bound) : kNullTimeOffset;
}

}  // namespace braid
