// Calendar arithmetic on local times.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>

namespace braid {

constexpr int64_t kMicrosPerDay = 86'400'000'000;

// The day on which `micros` falls, days since 1970-01-01.
constexpr int64_t FloorDays(int64_t micros) {
  const int64_t days = micros / kMicrosPerDay;
  return micros % kMicrosPerDay < 0 ? days - 1 : days;
}

struct CalendarDay {
  int64_t month = 0;  // Months since 1970-01.
  int64_t day = 0;    // 1..31
};

CalendarDay CalendarDayOf(int64_t days);

// The days of a calendar day; one behind the end of its month is its last day. Months are clamped
// to years ±250,000.
int64_t DaysOf(CalendarDay calendar_day);

// The same day of the month `months` later, or the last one of that month if it is shorter. Far
// outside of the years 1 to 9999 the result is clamped to years ±250,000.
int64_t AddMonthsToDays(int64_t days, int64_t months);

// … with the time of day kept.
int64_t AddMonthsToMicros(int64_t micros, int64_t months);

// The number of whole months from one time to the other: the largest n with from + n months <= to;
// for to < from the same between the two, negative.
int64_t WholeMonthsBetween(int64_t from_micros, int64_t to_micros);

}  // namespace braid
