#include "engine/expression/time_field.h"

#include "engine/expression/calendar.h"
#include "engine/expression/time_unit.h"

namespace braid {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;

int64_t FloorDivide(int64_t dividend, int64_t divisor) {
  const int64_t quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

int64_t FloorRest(int64_t dividend, int64_t divisor) {
  const int64_t rest = dividend % divisor;
  return rest < 0 ? rest + divisor : rest;
}

int64_t YearOf(int64_t days) { return 1970 + FloorDivide(CalendarDayOf(days).month, 12); }

int64_t FirstDayOfYear(int64_t year) { return DaysOf({(year - 1970) * 12, 1}); }

// 0 = Monday; 1970-01-01 was a Thursday.
int64_t Weekday(int64_t days) { return FloorRest(days + 3, 7); }

// The Thursday of the week decides to which year it belongs.
int64_t Thursday(int64_t days) { return days - Weekday(days) + 3; }

int64_t DayField(TimeField field, int64_t days) {
  switch (field) {
    case TimeField::kMillennium:
      return FloorDivide(YearOf(days) + 999, 1000);
    case TimeField::kCentury:
      return FloorDivide(YearOf(days) + 99, 100);
    case TimeField::kDecade:
      return FloorDivide(YearOf(days), 10);
    case TimeField::kYear:
      return YearOf(days);
    case TimeField::kIsoYear:
      return YearOf(Thursday(days));
    case TimeField::kQuarter:
      return FloorRest(CalendarDayOf(days).month, 12) / 3 + 1;
    case TimeField::kMonth:
      return FloorRest(CalendarDayOf(days).month, 12) + 1;
    case TimeField::kWeek: {
      const int64_t thursday = Thursday(days);
      return (thursday - FirstDayOfYear(YearOf(thursday))) / 7 + 1;
    }
    case TimeField::kDay:
      return CalendarDayOf(days).day;
    case TimeField::kDayOfYear:
      return days - FirstDayOfYear(YearOf(days)) + 1;
    case TimeField::kDayOfWeek:
      return FloorRest(days + 4, 7) + 1;
    default:
      return Weekday(days) + 1;
  }
}

}  // namespace

std::optional<TimeField> FindTimeField(std::string_view name) {
  struct Named {
    std::string_view name;
    TimeField field;
  };
  static constexpr Named kFields[] = {
      {"MILLENNIUM", TimeField::kMillennium},
      {"CENTURY", TimeField::kCentury},
      {"DECADE", TimeField::kDecade},
      {"YEAR", TimeField::kYear},
      {"ISOYEAR", TimeField::kIsoYear},
      {"QUARTER", TimeField::kQuarter},
      {"MONTH", TimeField::kMonth},
      {"WEEK", TimeField::kWeek},
      {"DAY", TimeField::kDay},
      {"DOY", TimeField::kDayOfYear},
      {"DOW", TimeField::kDayOfWeek},
      {"ISODOW", TimeField::kIsoDayOfWeek},
      {"HOUR", TimeField::kHour},
      {"MINUTE", TimeField::kMinute},
      {"SECOND", TimeField::kSecond},
      {"MILLISECOND", TimeField::kMillisecond},
      {"MICROSECOND", TimeField::kMicrosecond},
      {"EPOCH", TimeField::kEpoch},
  };
  for (const Named& each : kFields) {
    if (each.name == name) return each.field;
  }
  return std::nullopt;
}

int64_t FieldOf(TimeField field, int64_t micros) {
  const int64_t of_day = FloorRest(micros, kMicrosPerDay);
  switch (field) {
    case TimeField::kHour:
      return of_day / (3600 * kMicrosPerSecond);
    case TimeField::kMinute:
      return of_day / (60 * kMicrosPerSecond) % 60;
    case TimeField::kSecond:
      return of_day / kMicrosPerSecond % 60;
    case TimeField::kMillisecond:
      return of_day / 1'000 % 1'000;
    case TimeField::kMicrosecond:
      return of_day % kMicrosPerSecond;
    case TimeField::kEpoch:
      return FloorDivide(micros, kMicrosPerSecond);
    default:
      return DayField(field, FloorDays(micros));
  }
}

}  // namespace braid
