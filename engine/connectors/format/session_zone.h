// The time zone of a session (table.local-time-zone): turns a local clock time without a zone into
// a moment.
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "braid/error.h"

namespace braid {

class SessionZone {
 public:
  // UTC.
  SessionZone() = default;

  // A zone of the tz database ("Europe/Berlin"), UTC, or an offset ("+02:00", "GMT+02:00"). Fails
  // with kInvalidOption.
  static Result<SessionZone> Find(const std::string& name);

  // True if clock times are moments as they stand.
  bool is_utc() const { return zone_ == nullptr && offset_micros_ == 0; }

  // Microseconds since 1970-01-01 00:00 UTC of a clock time, given as if it were UTC. A time that
  // the clock shows twice is the earlier moment; one that it skips is read with the offset that
  // was valid before, as in Flink and Spark.
  int64_t ToUtc(int64_t local_micros) const;

 private:
  int64_t offset_micros_ = 0;   // East of UTC; without a zone of the database.
  const void* zone_ = nullptr;  // Lives as long as the program.
};

}  // namespace braid
