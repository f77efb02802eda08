#include "engine/connectors/format/session_zone.h"

#include <gtest/gtest.h>

#include <string>

#include "state/rows/time_text.h"

namespace braid {
namespace {

std::string ToUtc(const char* zone, const char* local) {
  const Result<SessionZone> found = SessionZone::Find(zone);
  if (!found) return found.error().message;
  int64_t micros = 0;
  std::optional<int32_t> offset;
  EXPECT_TRUE(ParseTimestamp(local, &micros, &offset));
  char text[kTimeTextBytesMax];
  return {text, WriteTimestamp(found->ToUtc(micros), 0, text)};
}

TEST(SessionZoneTest, TurnsClockTimesIntoMoments) {
  const struct {
    const char* zone;
    const char* local;
    const char* expected;
  } cases[] = {
      {"UTC", "2024-01-31 12:00:00", "2024-01-31 12:00:00"},
      {"+02:00", "2024-01-31 12:00:00", "2024-01-31 10:00:00"},
      {"GMT-09:30", "2024-01-31 12:00:00", "2024-01-31 21:30:00"},
      {"UTC+1", "2024-01-31 12:00:00", "unknown time zone 'UTC+1'"},
      {"Europe/Berlin", "2024-01-31 12:00:00", "2024-01-31 11:00:00"},
      {"Europe/Berlin", "2024-07-31 12:00:00", "2024-07-31 10:00:00"},
      // The clock jumps from 02:00 to 03:00.
      {"Europe/Berlin", "2024-03-31 01:59:59", "2024-03-31 00:59:59"},
      {"Europe/Berlin", "2024-03-31 02:30:00", "2024-03-31 01:30:00"},
      {"Europe/Berlin", "2024-03-31 03:00:00", "2024-03-31 01:00:00"},
      // It shows 02:00 to 03:00 twice.
      {"Europe/Berlin", "2024-10-27 02:30:00", "2024-10-27 00:30:00"},
      {"Europe/Berlin", "2024-10-27 03:00:00", "2024-10-27 02:00:00"},
      {"America/New_York", "1969-12-31 19:00:00", "1970-01-01 00:00:00"},
      {"Mars/Olympus", "2024-01-31 12:00:00", "unknown time zone 'Mars/Olympus'"},
      {"", "2024-01-31 12:00:00", "unknown time zone ''"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(ToUtc(test.zone, test.local), test.expected) << test.zone << " " << test.local;
  }
}

}  // namespace
}  // namespace braid
