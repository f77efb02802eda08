#include "engine/expression/calendar.h"

#include <date/date.h>

#include <algorithm>

#include "braid/time.h"

namespace braid {

namespace {

constexpr int64_t kDaysPerCycle = 146'097;  // The calendar repeats every 400 years.
constexpr int64_t kMonthsPerCycle = 4'800;
constexpr int64_t kMonthsMax = 3'000'000;  // 250,000 years.

int64_t FloorDivide(int64_t dividend, int64_t divisor) {
  const int64_t quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

}  // namespace

CalendarDay CalendarDayOf(int64_t days) {
  const int64_t cycles = FloorDivide(days, kDaysPerCycle);
  const auto rest = static_cast<int32_t>(days - cycles * kDaysPerCycle);
  const date::year_month_day ymd{date::sys_days{date::days{rest}}};
  const int64_t month = (static_cast<int>(ymd.year()) - 1970) * 12 +
                        static_cast<int64_t>(static_cast<unsigned>(ymd.month())) - 1;
  return {month + cycles * kMonthsPerCycle, static_cast<unsigned>(ymd.day())};
}

int64_t DaysOf(CalendarDay calendar_day) {
  const int64_t month = std::clamp(calendar_day.month, -kMonthsMax, kMonthsMax);
  const int64_t cycles = FloorDivide(month, kMonthsPerCycle);
  const auto rest = static_cast<int>(month - cycles * kMonthsPerCycle);
  const date::year_month year_month{date::year{1970 + rest / 12},
                                    date::month{static_cast<unsigned>(rest % 12 + 1)}};
  const date::year_month_day_last last{year_month.year(), date::month_day_last{year_month.month()}};
  const unsigned day =
      std::min(static_cast<unsigned>(calendar_day.day), static_cast<unsigned>(last.day()));
  const date::sys_days days{year_month / date::day{day}};
  return days.time_since_epoch().count() + cycles * kDaysPerCycle;
}

int64_t AddMonthsToDays(int64_t days, int64_t months) {
  CalendarDay day = CalendarDayOf(days);
  day.month = SaturatingAdd(day.month, months);
  return DaysOf(day);
}

int64_t AddMonthsToMicros(int64_t micros, int64_t months) {
  const int64_t days = FloorDays(micros);
  const int64_t rest = micros % kMicrosPerDay;
  const int64_t time_of_day = rest < 0 ? rest + kMicrosPerDay : rest;
  return SaturatingAdd(SaturatingMultiply(AddMonthsToDays(days, months), kMicrosPerDay),
                       time_of_day);
}

int64_t WholeMonthsBetween(int64_t from_micros, int64_t to_micros) {
  if (from_micros > to_micros) return -WholeMonthsBetween(to_micros, from_micros);
  const int64_t months =
      CalendarDayOf(FloorDays(to_micros)).month - CalendarDayOf(FloorDays(from_micros)).month;
  const bool is_reached = AddMonthsToMicros(from_micros, months) <= to_micros;
  return is_reached || months == 0 ? months : months - 1;
}

}  // namespace braid
