#include "state/rows/time_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace braid {
namespace {

constexpr int64_t kDay = 86'400'000'000;
constexpr int64_t kSecond = 1'000'000;

TEST(TimeTextTest, ReadsSqlAndIsoTimes) {
  struct Case {
    const char* text;
    int64_t micros;
    std::optional<int32_t> offset_seconds;
  };
  constexpr int64_t kTen = 19'753 * kDay + 36'000 * kSecond;  // 2024-01-31 10:00:00
  const Case cases[] = {
      {"1970-01-01 00:00:00", 0, {}},
      {"1970-01-01", 0, {}},
      {"1969-12-31 23:59:59.999999", -1, {}},
      {"2024-01-31 10:00:00", kTen, {}},
      {"2024-01-31T10:00:00", kTen, {}},
      {"2024-01-31 10:00", kTen, {}},
      {"2024-01-31", 19'753 * kDay, {}},
      {"2024-1-31 10:00:00", kTen, {}},
      {"2024-01-31 9:59:59", kTen - kSecond, {}},
      {"2024-01-31 10:00:00.5", kTen + 500'000, {}},
      {"2024-01-31 10:00:00.123", kTen + 123'000, {}},
      {"2024-01-31 10:00:00.123456", kTen + 123'456, {}},
      {"2024-01-31 10:00:00.123456789", kTen + 123'456, {}},
      {"2024-01-31T10:00:00Z", kTen, 0},
      {"2024-01-31T10:00Z", kTen, 0},
      {"2024-01-31 10:00:00 UTC", kTen, 0},
      {"2024-01-31T10:00:00.25+02:00", kTen + 250'000, 7200},
      {"2024-01-31T10:00:00-0330", kTen, -12'600},
      {"2024-01-31 10:00:00 +05", kTen, 18'000},
      {"2024-01-31T10:00:00-18:00", kTen, -64'800},
      {"0001-01-01 00:00:00", -719'162 * kDay, {}},
      {"9999-12-31 23:59:59.999999", 2'932'897 * kDay - 1, {}},
      {"2024-02-29 00:00:00", 19'782 * kDay, {}},
  };
  for (const Case& c : cases) {
    int64_t micros = 7;
    std::optional<int32_t> offset = 7;
    ASSERT_TRUE(ParseTimestamp(c.text, &micros, &offset)) << c.text;
    EXPECT_EQ(micros, c.micros) << c.text;
    EXPECT_EQ(offset, c.offset_seconds) << c.text;
  }
}

TEST(TimeTextTest, RefusesWhatIsNoTimeAndLeavesTheResultAlone) {
  const char* texts[] = {
      "",
      " ",
      "now",
      "2024",
      "2024-01",
      "2024-01-",
      "2024-01-32",
      "2024-13-01",
      "2024-00-01",
      "2024-01-00",
      "2023-02-29",
      "1900-02-29 00:00:00",
      "0000-01-01",
      "10000-01-01",
      "24-01-01",
      "2024/01/01",
      "2024-01-01 ",
      " 2024-01-01",
      "2024-01-01x",
      "2024-01-01 10",
      "2024-01-01 10:",
      "2024-01-01 10:0",
      "2024-01-01 24:00:00",
      "2024-01-01 10:60:00",
      "2024-01-01 10:00:60",
      "2024-01-01 10:00:0",
      "2024-01-01 10:00:00.",
      "2024-01-01 10:00:00.1234567890",
      "2024-01-01 10:00:00,5",
      "2024-01-01 10:00:00x",
      "2024-01-01x10:00:00",
      "2024-01-01  10:00:00",
      "2024-01-01 10:00:00+",
      "2024-01-01 10:00:00+2",
      "2024-01-01 10:00:00+02:",
      "2024-01-01 10:00:00+02:6",
      "2024-01-01 10:00:00+02:60",
      "2024-01-01 10:00:00+18:01",
      "2024-01-01 10:00:00+02:00x",
      "2024-01-01 10:00:00ZZ",
      "2024-01-01Z",
      "2024-01-01 1a:00:00",
      "2024-01-01 10:0::00",
      "202a-01-01 10:00:00",
      "2024-01-0: 10:00:00",
      "2024-01-01 10:00:0\xb0",
      "\xb0\xb0\xb0\xb0-01-01 10:00:00",
      "-024-01-01 10:00:00",
      "2024-01-01 -1:00:00",
  };
  for (const char* text : texts) {
    int64_t micros = 7;
    std::optional<int32_t> offset = 8;
    EXPECT_FALSE(ParseTimestamp(text, &micros, &offset)) << text;
    EXPECT_EQ(micros, 7);
    EXPECT_EQ(offset, 8);
  }
}

TEST(TimeTextTest, ADateIsADateAlone) {
  int32_t days = 7;
  EXPECT_TRUE(ParseDate("2024-01-31", &days));
  EXPECT_EQ(days, 19'753);
  EXPECT_TRUE(ParseDate("2024-1-1", &days));
  EXPECT_EQ(days, 19'723);
  EXPECT_TRUE(ParseDate("1969-12-31", &days));
  EXPECT_EQ(days, -1);
  for (const char* text : {"", "2024-01-31 ", "2024-01-31 00:00:00", "2024-02-30", "2024-1-111",
                           "2024-01-3x", "2024.01.31", "0000-01-01", "x024-01-31"}) {
    EXPECT_FALSE(ParseDate(text, &days)) << text;
    EXPECT_EQ(days, -1);
  }
}

TEST(TimeTextTest, EveryDayReadsBackAsItWasWritten) {
  constexpr int32_t kFirst = -719'162;  // 0001-01-01
  constexpr int32_t kLast = 2'932'896;  // 9999-12-31
  for (int32_t day = kFirst; day <= kLast; day += day < -1000 || day > 40'000 ? 97 : 1) {
    char text[kTimeTextBytesMax];
    const std::string written(text, WriteDate(day, text));
    int32_t days = kLast + 1;
    ASSERT_TRUE(ParseDate(written, &days)) << written;
    ASSERT_EQ(days, day) << written;
  }
}

TEST(TimeTextTest, WritesAsManyDigitsAsThePrecisionSays) {
  constexpr int64_t kMoment = 19'753 * kDay + 36'001 * kSecond + 234'567;
  const std::string whole = "2024-01-31 10:00:01.234567";
  for (int precision = 0; precision <= 6; ++precision) {
    char text[kTimeTextBytesMax];
    const std::string written(text, WriteTimestamp(kMoment, precision, text));
    EXPECT_EQ(written, whole.substr(0, precision == 0 ? 19 : 20 + static_cast<size_t>(precision)));
  }
}

TEST(TimeTextTest, TheEndsOfInt64AreWrittenWithTheirTrueYears) {
  char text[kTimeTextBytesMax];
  EXPECT_EQ(std::string(text, WriteTimestamp(std::numeric_limits<int64_t>::max(), 6, text)),
            "294247-01-10 04:00:54.775807");
  EXPECT_EQ(std::string(text, WriteTimestamp(std::numeric_limits<int64_t>::min(), 6, text)),
            "-290308-12-21 19:59:05.224192");
}

}  // namespace
}  // namespace braid
