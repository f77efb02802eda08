#include "engine/expression/time_unit.h"

#include "engine/expression/calendar.h"

namespace braid {

const TimeUnit* FindTimeUnit(std::string_view name) {
  static constexpr TimeUnit kUnits[] = {
      {"MICROSECOND", 1, 0},
      {"MILLISECOND", 1'000, 0},
      {"SECOND", 1'000'000, 0},
      {"MINUTE", 60'000'000, 0},
      {"HOUR", 3'600'000'000, 0},
      {"DAY", kMicrosPerDay, 0},
      {"WEEK", 7 * kMicrosPerDay, 0},
      {"MONTH", 0, 1},
      {"QUARTER", 0, 3},
      {"YEAR", 0, 12},
  };
  for (const TimeUnit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace braid
