// The parts of a clock time: its year, its week, its second …
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace braid {

enum class TimeField : uint8_t {
  kMillennium,
  kCentury,
  kDecade,
  kYear,
  kIsoYear,  // The year that the ISO week belongs to.
  kQuarter,
  kMonth,
  kWeek,  // ISO: 1 is the week of the year's first Thursday, from Monday.
  kDay,
  kDayOfYear,
  kDayOfWeek,     // 1 = Sunday … 7 = Saturday.
  kIsoDayOfWeek,  // 1 = Monday … 7 = Sunday.
  kHour,
  kMinute,
  kSecond,       // Whole ones.
  kMillisecond,  // Of the second: 0 to 999.
  kMicrosecond,  // Of the second: 0 to 999,999.
  kEpoch,        // Whole seconds since 1970-01-01 00:00.
};

// The field of this name in EXTRACT, in upper case: YEAR, DOY, ISODOW …
std::optional<TimeField> FindTimeField(std::string_view name);

// The field of a time in microseconds since 1970-01-01 00:00.
int64_t FieldOf(TimeField field, int64_t micros);

}  // namespace braid
