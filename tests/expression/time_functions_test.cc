#include "engine/expression/time_functions.h"

#include <gmock/gmock.h>

#include "state/rows/time_zone.h"
#include "tests/expression/expression_text.h"

namespace braid {
namespace {

TestTable Times() {
  return TestTable({
      {"t",
       DataType::Timestamp(6),
       {"2024-02-29 13:05:09.123456", "1969-12-31 23:59:59.999999", "NULL", "2023-01-01 00:00:00"}},
      {"day", DataType::Date(), {"2024-12-30", "1969-12-31", "NULL", "2000-01-01"}},
  });
}

TEST(TimeFunctionsTest, Extract) {
  ExpectValues(
      Times(),
      {
          {"EXTRACT(YEAR, t)", {"2024", "1969", "NULL", "2023"}},
          {"EXTRACT(QUARTER, t)", {"1", "4", "NULL", "1"}},
          {"EXTRACT(MONTH, t)", {"2", "12", "NULL", "1"}},
          {"EXTRACT(WEEK, t)", {"9", "1", "NULL", "52"}},
          {"EXTRACT(ISOYEAR, t)", {"2024", "1970", "NULL", "2022"}},
          {"EXTRACT(DAY, t)", {"29", "31", "NULL", "1"}},
          {"EXTRACT(DOY, t)", {"60", "365", "NULL", "1"}},
          {"EXTRACT(DOW, t)", {"5", "4", "NULL", "1"}},
          {"EXTRACT(ISODOW, t)", {"4", "3", "NULL", "7"}},
          {"EXTRACT(HOUR, t)", {"13", "23", "NULL", "0"}},
          {"EXTRACT(MINUTE, t)", {"5", "59", "NULL", "0"}},
          {"EXTRACT(SECOND, t)", {"9", "59", "NULL", "0"}},
          {"EXTRACT(MILLISECOND, t)", {"123", "999", "NULL", "0"}},
          {"EXTRACT(MICROSECOND, t)", {"123456", "999999", "NULL", "0"}},
          {"EXTRACT(EPOCH, t)", {"1709211909", "-1", "NULL", "1672531200"}},
          {"EXTRACT(DECADE, t)", {"202", "196", "NULL", "202"}},
          {"EXTRACT(CENTURY, day)", {"21", "20", "NULL", "20"}},
          {"EXTRACT(MILLENNIUM, day)", {"3", "2", "NULL", "2"}},
          {"EXTRACT(WEEK, day)", {"1", "1", "NULL", "52"}},
          {"EXTRACT(HOUR, day)", {"0", "0", "NULL", "0"}},
          {"EXTRACT(YEAR, NULL)", {"NULL", "NULL", "NULL", "NULL"}},
          {"EXTRACT(YEAR, 'x')", {"#EXTRACT takes a timestamp or a date, got STRING"}},
          {"EXTRACT(EON, t)",
           {"#EXTRACT takes MILLENNIUM, CENTURY, DECADE, YEAR, ISOYEAR, QUARTER, MONTH, WEEK, DAY, "
            "DOY, DOW, ISODOW, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND or EPOCH FROM a "
            "time"}},
      });
  EXPECT_EQ((*Times().Parse("EXTRACT(DAY, t)"))->type, DataType::BigInt());
}

TEST(TimeFunctionsTest, FloorAndCeilToAUnit) {
  ExpectValues(
      Times(),
      {
          {"FLOOR(t, SECOND)",
           {"2024-02-29 13:05:09.000000", "1969-12-31 23:59:59.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"CEIL(t, MINUTE)",
           {"2024-02-29 13:06:00.000000", "1970-01-01 00:00:00.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"FLOOR(t, DAY)",
           {"2024-02-29 00:00:00.000000", "1969-12-31 00:00:00.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"FLOOR(t, WEEK)",
           {"2024-02-25 00:00:00.000000", "1969-12-28 00:00:00.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"CEIL(t, WEEK)",
           {"2024-03-03 00:00:00.000000", "1970-01-04 00:00:00.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"FLOOR(t, MONTH)",
           {"2024-02-01 00:00:00.000000", "1969-12-01 00:00:00.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"CEIL(t, MONTH)",
           {"2024-03-01 00:00:00.000000", "1970-01-01 00:00:00.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"FLOOR(t, QUARTER)",
           {"2024-01-01 00:00:00.000000", "1969-10-01 00:00:00.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"CEILING(t, YEAR)",
           {"2025-01-01 00:00:00.000000", "1970-01-01 00:00:00.000000", "NULL",
            "2023-01-01 00:00:00.000000"}},
          {"FLOOR(day, YEAR)", {"2024-01-01", "1969-01-01", "NULL", "2000-01-01"}},
          {"CEIL(day, MONTH)", {"2025-01-01", "1970-01-01", "NULL", "2000-01-01"}},
          {"FLOOR(day, HOUR)", {"2024-12-30", "1969-12-31", "NULL", "2000-01-01"}},
          {"FLOOR(t, EON)",
           {"#FLOOR goes TO MICROSECOND, MILLISECOND, SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, "
            "QUARTER or YEAR"}},
          {"FLOOR(1, DAY)", {"#FLOOR takes a timestamp or a date, got INT"}},
      });
}

TEST(TimeFunctionsTest, DateTruncHasWeeksFromMonday) {
  ExpectValues(Times(),
               {
                   {"DATE_TRUNC('week', t)",
                    {"2024-02-26 00:00:00.000000", "1969-12-29 00:00:00.000000", "NULL",
                     "2022-12-26 00:00:00.000000"}},
                   {"DATE_TRUNC('HOUR', t)",
                    {"2024-02-29 13:00:00.000000", "1969-12-31 23:00:00.000000", "NULL",
                     "2023-01-01 00:00:00.000000"}},
                   {"DATE_TRUNC('MONTH', day)", {"2024-12-01", "1969-12-01", "NULL", "2000-01-01"}},
                   {"DATE_TRUNC('MONTH', NULL)", {"NULL", "NULL", "NULL", "NULL"}},
                   {"DATE_TRUNC('EON', t)",
                    {"#the first argument of DATE_TRUNC is a unit: MICROSECOND, "
                     "MILLISECOND, SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or "
                     "YEAR"}},
               });
}

TEST(TimeFunctionsTest, DateFormatHasJavasLetters) {
  ExpectValues(
      Times(),
      {
          {"DATE_FORMAT(t, 'yyyy-MM-dd HH:mm:ss.SSS')",
           {"2024-02-29 13:05:09.123", "1969-12-31 23:59:59.999", "NULL",
            "2023-01-01 00:00:00.000"}},
          {"DATE_FORMAT(t, 'd.M.yy h:m:s a')",
           {"29.2.24 1:5:9 PM", "31.12.69 11:59:59 PM", "NULL", "1.1.23 12:0:0 AM"}},
          {"DATE_FORMAT(t, 'EEE, EEEE MMM MMMM')",
           {"Thu, Thursday Feb February", "Wed, Wednesday Dec December", "NULL",
            "Sun, Sunday Jan January"}},
          {"DATE_FORMAT(t, 'DDD D QQ Q u hh H SSSSSSSSS')",
           {"060 60 01 1 2024 01 13 123456000", "365 365 04 4 1969 11 23 999999000", "NULL",
            "001 1 01 1 2023 12 0 000000000"}},
          {"DATE_FORMAT(day, 'yyyyMMdd''T''HH ''''')",
           {"20241230T00 '", "19691231T00 '", "NULL", "20000101T00 '"}},
          {"DATE_FORMAT('2024-01-31 10:00:00', 'HH')", {"10", "10", "10", "10"}},
          {"DATE_FORMAT('x', 'HH')", {"NULL", "NULL", "NULL", "NULL"}},
          {"DATE_FORMAT(t, '')", {"", "", "NULL", ""}},
          {"DATE_FORMAT(t, 'yyyy''')", {"#a quote is not closed in the time format 'yyyy''"}},
          {"DATE_FORMAT(t, 'X')",
           {"#'X' is no part of a time format; known are yyyy, yy, MM, MMM, MMMM, dd, DDD, QQ, E, "
            "EEEE, HH, hh, a, mm, ss, S to SSSSSSSSS, and text in single quotes"}},
          {"DATE_FORMAT(t, DATE_FORMAT(t, 'yyyy'))",
           {"#the format of DATE_FORMAT must be a literal text"}},
          {"DATE_FORMAT(1, 'yyyy')", {"#DATE_FORMAT takes a timestamp or a date, got INT"}},
      });
}

TEST(TimeFunctionsTest, MomentsAreTakenAsTheSessionsClockShowsThem) {
  const TestTable table({{"n",
                          DataType::BigInt(),
                          {
                              "1711846800",  // 2024-03-31 02:00 in Berlin + 1 h: 03:00, 01:00 UTC.
                              "1729990800",  // 2024-10-27 03:00+02:00 is 02:00+01:00, 01:00 UTC.
                              "1704063599",  // 2023-12-31 23:59:59 in Berlin.
                          }}});
  const auto berlin = *TimeZone::Find("Europe/Berlin");
  EvaluationContext context;
  context.zone = berlin.get();
  const auto evaluate = [&](const char* text) { return table.Evaluate(text, context); };
  using testing::ElementsAre;
  EXPECT_THAT(evaluate("EXTRACT(HOUR, TO_TIMESTAMP_LTZ(n, 0))"), ElementsAre("3", "2", "23"));
  EXPECT_THAT(evaluate("EXTRACT(EPOCH, TO_TIMESTAMP_LTZ(n, 0))"),
              ElementsAre("1711846800", "1729990800", "1704063599"));
  EXPECT_THAT(evaluate("DATE_FORMAT(TO_TIMESTAMP_LTZ(n, 0), 'yyyy-MM-dd HH:mm')"),
              ElementsAre("2024-03-31 03:00", "2024-10-27 02:00", "2023-12-31 23:59"));
  EXPECT_THAT(evaluate("EXTRACT(EPOCH, FLOOR(TO_TIMESTAMP_LTZ(n, 0), HOUR)) - n"),
              ElementsAre("0", "0", "-3599"));
  EXPECT_THAT(evaluate("DATE_FORMAT(FLOOR(TO_TIMESTAMP_LTZ(n, 0), DAY), 'yyyy-MM-dd HH:mm')"),
              ElementsAre("2024-03-31 00:00", "2024-10-27 00:00", "2023-12-31 00:00"));
  EXPECT_THAT(evaluate("DATE_FORMAT(CEIL(TO_TIMESTAMP_LTZ(n, 0), YEAR), 'yyyy-MM-dd HH:mm')"),
              ElementsAre("2025-01-01 00:00", "2025-01-01 00:00", "2024-01-01 00:00"));
  // A constant is not taken in UTC when the query is compiled.
  EXPECT_THAT(evaluate("EXTRACT(HOUR, TO_TIMESTAMP_LTZ(0, 0))"), ElementsAre("1", "1", "1"));
}

TEST(TimeFunctionsTest, TheTimeOfTheBatchIsTheSameForAllRows) {
  const TestTable table({{"n", DataType::Int(), {"1", "2"}}});
  const auto zone = *TimeZone::Find("+02:00");
  EvaluationContext context;
  context.processing_time = EventTime{1'704'063'599'123'456};  // 2023-12-31 22:59:59.123456 UTC.
  context.zone = zone.get();
  const auto evaluate = [&](const char* text) { return table.Evaluate(text, context); };
  using testing::ElementsAre;
  EXPECT_THAT(evaluate("CURRENT_TIMESTAMP()"),
              ElementsAre("2023-12-31 22:59:59.123Z", "2023-12-31 22:59:59.123Z"));
  EXPECT_THAT(evaluate("NOW()"),
              ElementsAre("2023-12-31 22:59:59.123Z", "2023-12-31 22:59:59.123Z"));
  EXPECT_THAT(evaluate("LOCALTIMESTAMP()"),
              ElementsAre("2024-01-01 00:59:59.123", "2024-01-01 00:59:59.123"));
  EXPECT_THAT(evaluate("CURRENT_DATE()"), ElementsAre("2024-01-01", "2024-01-01"));
  EXPECT_THAT(evaluate("TIMESTAMPADD(DAY, n, CURRENT_DATE())"),
              ElementsAre("2024-01-02", "2024-01-03"));
  const Result<Value> constant = EvaluateConstant(*table.Parse("CURRENT_TIMESTAMP()"));
  ASSERT_FALSE(constant);
  EXPECT_EQ(constant.error().message, "the time of the batch is known only when it runs");
}

TEST(TimeFunctionsTest, AreWrittenAsSqlHasThem) {
  const TestTable table = Times();
  EXPECT_EQ(table.Format("EXTRACT(DAY, t)"), "EXTRACT(DAY FROM t)");
  EXPECT_EQ(table.Format("FLOOR(day, MONTH)"), "FLOOR(day TO MONTH)");
  EXPECT_EQ(table.Format("POSITION('a', 'b')"), "POSITION('a' IN 'b')");
  EXPECT_EQ(table.Format("CURRENT_TIMESTAMP()"), "CURRENT_TIMESTAMP");
  EXPECT_EQ(table.Format("NOW()"), "CURRENT_TIMESTAMP");
  EXPECT_EQ(table.Format("LOCALTIMESTAMP()"), "LOCALTIMESTAMP");
}

}  // namespace
}  // namespace braid
