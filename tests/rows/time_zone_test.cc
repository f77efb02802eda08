#include "state/rows/time_zone.h"

#include <gtest/gtest.h>

#include <optional>

#include "state/rows/time_text.h"

namespace braid {
namespace {

int64_t Micros(const std::string& text) {
  int64_t micros = 0;
  std::optional<int32_t> offset;
  EXPECT_TRUE(ParseTimestamp(text, &micros, &offset)) << text;
  return micros;
}

std::string Text(int64_t micros) {
  char text[kTimeTextBytesMax];
  return {text, WriteTimestamp(micros, 0, text)};
}

struct ZoneCase {
  const char* zone;
  const char* utc;
  const char* local;
};

TEST(TimeZoneTest, MomentsAndClockTimes) {
  const ZoneCase cases[] = {
      {"UTC", "2024-07-01 12:00:00", "2024-07-01 12:00:00"},
      {"Z", "2024-07-01 12:00:00", "2024-07-01 12:00:00"},
      {"+02:00", "2024-07-01 12:00:00", "2024-07-01 14:00:00"},
      {"GMT-08:00", "2024-07-01 12:00:00", "2024-07-01 04:00:00"},
      {"UTC+5", "2024-07-01 12:00:00", "2024-07-01 17:00:00"},
      {"Europe/Berlin", "2024-07-01 12:00:00", "2024-07-01 14:00:00"},
      {"Europe/Berlin", "2024-01-01 12:00:00", "2024-01-01 13:00:00"},
      {"America/New_York", "1969-12-31 23:59:59", "1969-12-31 18:59:59"},
      {"Asia/Kathmandu", "2024-01-01 00:00:00", "2024-01-01 05:45:00"},
      // Beyond the system's table the rules go on.
      {"Europe/Berlin", "2060-07-01 12:00:00", "2060-07-01 14:00:00"},
      {"Europe/Berlin", "2060-12-01 12:00:00", "2060-12-01 13:00:00"},
      {"America/New_York", "2101-07-04 12:00:00", "2101-07-04 08:00:00"},
      {"Europe/Berlin", "9999-07-01 12:00:00", "9999-07-01 14:00:00"},
  };
  for (const ZoneCase& c : cases) {
    const auto zone = TimeZone::Find(c.zone);
    ASSERT_TRUE(zone) << c.zone;
    int64_t micros = Micros(c.utc);
    (*zone)->ToLocal(&micros, 1);
    EXPECT_EQ(Text(micros), c.local) << c.zone << " " << c.utc;
    (*zone)->ToUtc(&micros, 1);
    EXPECT_EQ(Text(micros), c.utc) << c.zone << " " << c.local;
  }
}

TEST(TimeZoneTest, AGapMovesForwardAndATimeThatExistsTwiceIsTheFirst) {
  const auto berlin = TimeZone::Find("Europe/Berlin");
  ASSERT_TRUE(berlin);
  struct LocalCase {
    const char* local;
    const char* utc;
  };
  const LocalCase cases[] = {
      {"2024-03-31 01:59:59", "2024-03-31 00:59:59"},
      {"2024-03-31 02:30:00", "2024-03-31 01:30:00"},  // Shown as 03:30.
      {"2024-03-31 03:00:00", "2024-03-31 01:00:00"},
      {"2024-10-27 01:59:59", "2024-10-26 23:59:59"},
      {"2024-10-27 02:30:00", "2024-10-27 00:30:00"},
      {"2024-10-27 03:00:00", "2024-10-27 02:00:00"},
  };
  for (const LocalCase& c : cases) {
    int64_t micros = Micros(c.local);
    (*berlin)->ToUtc(&micros, 1);
    EXPECT_EQ(Text(micros), c.utc) << c.local;
  }
}

TEST(TimeZoneTest, ManyTimesAtOnceGiveWhatEachGivesAlone) {
  const auto zone = TimeZone::Find("America/New_York");
  ASSERT_TRUE(zone);
  // Every 37 hours over 120 years, in an order that jumps.
  std::vector<int64_t> moments;
  for (int64_t i = 0; i < 28'000; ++i) {
    moments.push_back((i * 7919 % 28'000) * 133'200'000'000 - 1'500'000'000'000'000);
  }
  std::vector<int64_t> local = moments;
  (*zone)->ToLocal(local.data(), static_cast<int64_t>(local.size()));
  std::vector<int64_t> utc = local;
  (*zone)->ToUtc(utc.data(), static_cast<int64_t>(utc.size()));
  for (size_t i = 0; i < moments.size(); ++i) {
    int64_t alone = moments[i];
    (*zone)->ToLocal(&alone, 1);
    ASSERT_EQ(local[i], alone) << Text(moments[i]);
    (*zone)->ToUtc(&alone, 1);
    ASSERT_EQ(utc[i], alone) << Text(moments[i]);
  }
}

TEST(TimeZoneTest, UnknownZonesAreRefused) {
  for (const char* name : {"", "Mars/Olympus", "+", "+25:00", "+2:3:4", "UTC+", "GMT+1:75", "02:00",
                           "+02:00x", "../etc/passwd"}) {
    const auto zone = TimeZone::Find(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_EQ(zone.error().code, ErrorCode::kInvalidOption);
  }
}

}  // namespace
}  // namespace braid
