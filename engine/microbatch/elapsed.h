// Wall time of phases, for progress.
//
// Thread rule: free functions.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

namespace braid {

inline int64_t SteadyMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Rounded to one digit; 0 for no time.
inline double PerSecond(int64_t count, int64_t micros) {
  if (micros <= 0) return 0;
  return std::round(static_cast<double>(count) * 1e7 / static_cast<double>(micros)) / 10;
}

}  // namespace braid
