// Between Braid's times and those of <chrono>.
//
//   using namespace std::chrono;
//   EventTime noon = ToEventTime(sys_days{2026y / November / 29} + 12h);
//
// Errors: none; what lies outside the reach of a clock that counts in microseconds is the caller's
// to avoid, as everywhere in <chrono>.
// Thread rule: values.
#pragma once

#include <chrono>

#include "braid/time.h"

namespace braid {

constexpr EventTime ToEventTime(std::chrono::sys_time<std::chrono::microseconds> time) {
  return {time.time_since_epoch().count()};
}

constexpr Interval ToInterval(std::chrono::microseconds length) { return {length.count()}; }

constexpr std::chrono::sys_time<std::chrono::microseconds> ToChrono(EventTime time) {
  return std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(time.micros));
}

constexpr std::chrono::microseconds ToChrono(Interval interval) {
  return std::chrono::microseconds(interval.micros);
}

}  // namespace braid
