#include "engine/expression/time_arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/expression/calendar.h"
#include "state/rows/time_zone.h"
#include "tests/expression/expression_text.h"

namespace braid {
namespace {

using testing::ElementsAre;

TEST(TimeArithmeticTest, TimesMoveByIntervals) {
  const TestTable table(
      {{"ts", DataType::Timestamp(3), {"2024-01-31 10:00:00", "1969-12-31 23:59:59.999", "NULL"}},
       {"day", DataType::Date(), {"2024-02-29", "1970-01-01", "NULL"}},
       {"n", DataType::Int(), {"2", "-1", "1"}}});
  ExpectValues(
      table,
      {
          {"ts + INTERVAL '5' SECOND",
           {"2024-01-31 10:00:05.000", "1970-01-01 00:00:04.999", "NULL"}},
          {"ts - INTERVAL '0.001' SECOND",
           {"2024-01-31 09:59:59.999", "1969-12-31 23:59:59.998", "NULL"}},
          {"INTERVAL '1' DAY + ts", {"2024-02-01 10:00:00.000", "1970-01-01 23:59:59.999", "NULL"}},
          {"ts + INTERVAL '1' MONTH",
           {"2024-02-29 10:00:00.000", "1970-01-31 23:59:59.999", "NULL"}},
          {"ts - INTERVAL '11' MONTH",
           {"2023-02-28 10:00:00.000", "1969-01-31 23:59:59.999", "NULL"}},
          {"ts + INTERVAL '1' HOUR * n",
           {"2024-01-31 12:00:00.000", "1969-12-31 22:59:59.999", "NULL"}},
          {"ts + INTERVAL '1' SECOND * 0.5",
           {"2024-01-31 10:00:00.500000", "1970-01-01 00:00:00.499000", "NULL"}},
          {"day + INTERVAL '1' DAY", {"2024-03-01", "1970-01-02", "NULL"}},
          {"day - INTERVAL '1' DAY * n", {"2024-02-27", "1970-01-02", "NULL"}},
          {"day + INTERVAL '1' YEAR", {"2025-02-28", "1971-01-01", "NULL"}},
          {"day - INTERVAL '1' SECOND", {"2024-02-28 23:59:59", "1969-12-31 23:59:59", "NULL"}},
      });
}

TEST(TimeArithmeticTest, DifferencesAndIntervals) {
  const TestTable table(
      {{"a", DataType::Timestamp(3), {"2024-01-01 00:00:10", "2024-01-01 00:00:00", "NULL"}},
       {"b",
        DataType::Timestamp(6),
        {"2024-01-01 00:00:00", "2024-01-01 00:00:00.000001", "2024-01-01 00:00:00"}},
       {"day", DataType::Date(), {"2024-01-01", "2023-12-31", "2024-01-01"}}});
  ExpectValues(table,
               {
                   {"a - b", {"10000000", "-1", "NULL"}},
                   {"a - day", {"10000000", "86400000000", "NULL"}},
                   {"day - DATE '2023-12-30'", {"172800000000", "86400000000", "172800000000"}},
                   {"a - b <= INTERVAL '5' SECOND", {"false", "true", "NULL"}},
                   {"-(a - b)", {"-10000000", "1", "NULL"}},
                   {"(a - b) * 3", {"30000000", "-3", "NULL"}},
                   {"(a - b) * 0.25", {"2500000", "0", "NULL"}},
                   {"0.5 * (a - b)", {"5000000", "-1", "NULL"}},
                   {"(a - b) / 4", {"2500000", "0", "NULL"}},
                   {"(a - b) / 0.5", {"20000000", "-2", "NULL"}},
                   {"(a - b) / 0", {"!division by zero", "!division by zero", "NULL"}},
                   {"INTERVAL '1' MONTH * 3 + INTERVAL '1' YEAR", {"15", "15", "15"}},
               });
}

TEST(TimeArithmeticTest, EverythingSaturatesAtTheEndsOfInt64) {
  const std::string most = std::to_string(std::numeric_limits<int64_t>::max());
  const std::string least = std::to_string(std::numeric_limits<int64_t>::min());
  const TestTable table(
      {{"span", DataType::IntervalDay(), {most, least}},
       {"ts", DataType::Timestamp(0), {"9999-12-31 00:00:00", "0001-01-01 00:00:00"}}});
  ExpectValues(table, {
                          {"span + span", {most, least}},
                          {"span * 2", {most, least}},
                          {"span * -2", {least, most}},
                          {"span * 1.5", {most, least}},
                          {"-span", {"-" + most, most}},
                          {"span - INTERVAL '1' DAY", {"9223371950454775807", least}},
                          {"ts + span = ts + span + INTERVAL '1' SECOND", {"true", "false"}},
                      });
}

TEST(TimeArithmeticTest, MonthsOfLocalTimesAreCountedInTheSessionZone) {
  const TestTable table({{"t", DataType::TimestampLtz(0), {"2024-02-29 23:30:00Z"}}});
  const auto berlin = TimeZone::Find("Europe/Berlin");
  ASSERT_TRUE(berlin);
  EvaluationContext context;
  context.zone = berlin->get();
  // In Berlin it is the 1st of March, 00:30; in summer the clock is two hours ahead.
  EXPECT_THAT(table.Evaluate("t + INTERVAL '1' MONTH", context),
              ElementsAre("2024-03-31 22:30:00Z"));
  EXPECT_THAT(table.Evaluate("t + INTERVAL '1' MONTH"), ElementsAre("2024-03-29 23:30:00Z"));
  EXPECT_THAT(table.Evaluate("t + INTERVAL '31' DAY", context),
              ElementsAre("2024-03-31 23:30:00Z"));
}

TEST(TimeArithmeticTest, WholeMonthsBetweenTimes) {
  struct MonthCase {
    const char* from;
    const char* to;
    const char* months;
  };
  const MonthCase cases[] = {
      {"2024-01-01 00:00:00", "2024-02-01 00:00:00", "1"},
      {"2024-01-01 00:00:01", "2024-02-01 00:00:00", "0"},
      {"2024-01-31 00:00:00", "2024-02-29 00:00:00", "1"},
      {"2024-02-29 00:00:00", "2025-02-28 00:00:00", "12"},
      {"2024-02-01 00:00:00", "2024-01-01 00:00:00", "-1"},
      {"2024-02-01 00:00:00", "2024-01-01 00:00:01", "0"},
      {"2024-02-29 00:00:00", "2024-01-31 00:00:00", "-1"},
      {"2024-02-29 13:45:58", "2023-01-31 10:00:00", "-13"},
      {"2025-02-28 00:00:00", "2024-02-29 00:00:00", "-12"},
      {"1969-12-31 00:00:00", "1970-01-31 00:00:00", "1"},
      {"0001-01-01 00:00:00", "9999-12-31 00:00:00", "119987"},
  };
  for (const MonthCase& c : cases) {
    const TestTable table(
        {{"a", DataType::Timestamp(0), {c.from}}, {"b", DataType::Timestamp(0), {c.to}}});
    EXPECT_THAT(table.Evaluate("TIMESTAMPDIFF(MONTH, a, b)"), ElementsAre(c.months))
        << c.from << " " << c.to;
  }
}

TEST(TimeArithmeticTest, MonthsFarOutsideOfTheCalendarDoNotOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  for (const int64_t micros : {kLeast, int64_t{-1}, int64_t{0}, kMost}) {
    EXPECT_GT(AddMonthsToMicros(micros, kMost), int64_t{7'000'000'000'000'000'000});
    EXPECT_LT(AddMonthsToMicros(micros, kLeast), int64_t{-7'000'000'000'000'000'000});
  }
  EXPECT_EQ(AddMonthsToMicros(kMicrosPerDay - 1, 1), 32 * kMicrosPerDay - 1);
}

}  // namespace
}  // namespace braid
