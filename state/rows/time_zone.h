// The session zone (`table.local-time-zone`): between moments in UTC and the clocks of a place.
//
// A local time that does not exist moves forward by the gap; one that exists twice is the first.
// The rules come from the system's tzdata; after its last entry they go on as in its last years.
//
// Thread rule: immutable; share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "braid/error.h"

namespace braid {

class TimeZone {
 public:
  // "UTC", "Europe/Berlin", "+02:00", "GMT-08:00". Fails with kInvalidOption.
  static Result<std::shared_ptr<const TimeZone>> Find(std::string_view name);

  virtual ~TimeZone() = default;

  virtual const std::string& name() const = 0;

  // True if clock times are moments as they stand.
  virtual bool is_utc() const = 0;

  // Turns each of `count` moments (microseconds, UTC) into the clock time of the zone, in place.
  virtual void ToLocal(int64_t* micros, int64_t count) const = 0;

  // Turns each of `count` clock times of the zone into moments in UTC, in place.
  virtual void ToUtc(int64_t* micros, int64_t count) const = 0;
};

using TimeZonePtr = std::shared_ptr<const TimeZone>;

}  // namespace braid
