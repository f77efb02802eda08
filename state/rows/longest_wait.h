// How long a wait may be at most, so that the moment of its end can be counted in nanoseconds: "for
// ever" spelled as the largest duration must not become a moment in the past.
//
// Thread rule: free function.
#pragma once

#include <algorithm>
#include <chrono>

namespace braid {

// A century: the clocks' nanoseconds reach to the year 2262.
constexpr std::chrono::hours kLongestWait{24 * 365 * 100};

// `wait`, or the longest that can be waited.
constexpr std::chrono::milliseconds WaitAtMost(std::chrono::milliseconds wait) {
  return std::clamp<std::chrono::milliseconds>(wait, std::chrono::milliseconds(0), kLongestWait);
}

}  // namespace braid
