// The resolution of a time type, in microseconds, and the units that SQL names.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace braid {

// What one unit of the last digit of TIMESTAMP(precision) is. REQUIRES: 0 <= precision <= 6.
constexpr int64_t MicrosPerUnit(int precision) {
  int64_t unit = 1'000'000;
  for (int digit = 0; digit < precision; ++digit) unit /= 10;
  return unit;
}

// The last whole unit at or before `micros`.
constexpr int64_t FloorToUnit(int64_t micros, int64_t unit) {
  int64_t rest = micros % unit;
  if (rest < 0) rest += unit;
  if (micros < std::numeric_limits<int64_t>::min() + rest) return micros;
  return micros - rest;
}

// A unit of TIMESTAMPADD and TIMESTAMPDIFF: so many microseconds, or so many months.
struct TimeUnit {
  std::string_view name;
  int64_t micros;
  int64_t months;
};

// The unit of this name, MICROSECOND to YEAR in upper case; null if there is none.
const TimeUnit* FindTimeUnit(std::string_view name);

}  // namespace braid
