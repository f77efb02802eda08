#include "engine/expression/function_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FunctionRegistryTest, NamesAreInOrderAndUpperCase) {
  const auto rules = FunctionRules();
  EXPECT_TRUE(std::is_sorted(
      rules.begin(), rules.end(),
      [](const FunctionRule& left, const FunctionRule& right) { return left.name < right.name; }));
  for (const FunctionRule& rule : rules) {
    for (const char letter : rule.name) EXPECT_FALSE(letter >= 'a' && letter <= 'z') << rule.name;
    EXPECT_TRUE(rule.usage.starts_with(rule.name)) << rule.name;
  }
}

TEST(FunctionRegistryTest, Choices) {
  const TestTable table({{"x", DataType::Int(), {"1", "2", "NULL"}},
                         {"y", DataType::BigInt(), {"1", "NULL", "3"}},
                         {"s", DataType::String(), {"a", "NULL", "c"}}});
  ExpectValues(table,
               {
                   {"COALESCE(x, y)", {"1", "2", "3"}},
                   {"coalesce(y, x, 9)", {"1", "2", "3"}},
                   {"COALESCE(s, 'none')", {"a", "none", "c"}},
                   {"COALESCE(NULL, s)", {"a", "NULL", "c"}},
                   {"COALESCE(x)", {"1", "2", "NULL"}},
                   {"IFNULL(y, 0)", {"1", "0", "3"}},
                   {"NULLIF(x, y)", {"NULL", "2", "NULL"}},
                   {"NULLIF(s, 'c')", {"a", "NULL", "NULL"}},
                   {"IF(x = 1, 'one', 'other')", {"one", "other", "other"}},
                   {"CASE WHEN x = 1 THEN s WHEN y = 3 THEN 'three' END", {"a", "NULL", "three"}},
                   {"CASE WHEN x = 1 THEN 1.5 ELSE x END", {"1.5", "2.0", "NULL"}},
                   {"CASE WHEN TRUE THEN x END", {"1", "2", "NULL"}},
               });
}

TEST(FunctionRegistryTest, Texts) {
  const TestTable table({{"s",
                          DataType::String(),
                          {"aBc1", "\xc3\xa9\xc3\x89\xce\xb1\xd1\x8f", "", "NULL",
                           "\xe2\x82\xac\xf0\x9f\x98\x80", "a\xff"}}});
  ExpectValues(table, {
                          {"UPPER(s)",
                           {"ABC1", "\xc3\x89\xc3\x89\xce\x91\xd0\xaf", "", "NULL",
                            "\xe2\x82\xac\xf0\x9f\x98\x80", "A\xff"}},
                          {"LOWER(s)",
                           {"abc1", "\xc3\xa9\xc3\xa9\xce\xb1\xd1\x8f", "", "NULL",
                            "\xe2\x82\xac\xf0\x9f\x98\x80", "a\xff"}},
                          {"CHAR_LENGTH(s)", {"4", "4", "0", "NULL", "2", "2"}},
                          {"CHARACTER_LENGTH(s)", {"4", "4", "0", "NULL", "2", "2"}},
                          {"UPPER(NULL)", {"NULL", "NULL", "NULL", "NULL", "NULL", "NULL"}},
                      });
}

TEST(FunctionRegistryTest, TextsToTimes) {
  const TestTable table(
      {{"s",
        DataType::String(),
        {"2024-01-31 10:00:00.1234", "2024-01-31", "nonsense", "NULL", "2024-01-31T10:00:00"}},
       {"day",
        DataType::String(),
        {"31.01.2024 7:05", "1.1.2024 23:59", "31.02.2024 7:05", "NULL", "31.01.24 7:05"}},
       {"n", DataType::BigInt(), {"0", "1", "-1", "NULL", "9223372036854775807"}}});
  ExpectValues(
      table,
      {
          {"TO_TIMESTAMP(s)",
           {"2024-01-31 10:00:00.123", "2024-01-31 00:00:00.000", "NULL", "NULL",
            "2024-01-31 10:00:00.000"}},
          {"TO_TIMESTAMP(day, 'd.M.yyyy H:mm')",
           {"2024-01-31 07:05:00.000", "2024-01-01 23:59:00.000", "NULL", "NULL", "NULL"}},
          {"TO_TIMESTAMP(day, 'dd.MM.yyyy H:mm')",
           {"2024-01-31 07:05:00.000", "NULL", "NULL", "NULL", "NULL"}},
          {"TO_TIMESTAMP('20240131T100500.25', 'yyyyMMdd''T''HHmmss.SS')",
           {"2024-01-31 10:05:00.250", "2024-01-31 10:05:00.250", "2024-01-31 10:05:00.250",
            "2024-01-31 10:05:00.250", "2024-01-31 10:05:00.250"}},
          {"TO_TIMESTAMP(s, 'yyyy-QQ')",
           {"#'QQ' is no part of a time format; known are yyyy, MM, dd, HH, mm, ss, S to "
            "SSSSSSSSS, and text in single quotes"}},
          {"TO_TIMESTAMP(s, day)", {"#the format of TO_TIMESTAMP must be a literal text"}},
          {"TO_TIMESTAMP_LTZ(n, 3)",
           {"1970-01-01 00:00:00.000Z", "1970-01-01 00:00:00.001Z", "1969-12-31 23:59:59.999Z",
            "NULL", "!TO_TIMESTAMP_LTZ: 9223372036854775807 is out of range"}},
          {"TO_TIMESTAMP_LTZ(n, 0)",
           {"1970-01-01 00:00:00.000Z", "1970-01-01 00:00:01.000Z", "1969-12-31 23:59:59.000Z",
            "NULL", "!TO_TIMESTAMP_LTZ: 9223372036854775807 is out of range"}},
          {"TO_TIMESTAMP_LTZ(n, 6)",
           {"#the precision of TO_TIMESTAMP_LTZ is 0 (seconds) or 3 (milliseconds)"}},
          {"TO_TIMESTAMP_LTZ(s, 3)", {"#TO_TIMESTAMP_LTZ takes an integer, got STRING"}},
      });
}

TEST(FunctionRegistryTest, TimestampAddAndTimestampDiff) {
  const TestTable table(
      {{"ts", DataType::Timestamp(3), {"2024-01-31 10:00:00", "1970-01-01 00:00:00", "NULL"}},
       {"later",
        DataType::Timestamp(3),
        {"2024-03-01 09:59:59", "1969-12-31 23:59:59.5", "2024-01-01 00:00:00"}},
       {"day", DataType::Date(), {"2024-02-29", "1970-01-02", "NULL"}},
       {"n", DataType::Int(), {"2", "-3", "1"}}});
  ExpectValues(
      table,
      {
          {"TIMESTAMPADD(SECOND, -10, ts)",
           {"2024-01-31 09:59:50.000", "1969-12-31 23:59:50.000", "NULL"}},
          {"timestampadd(second, n, ts)",
           {"2024-01-31 10:00:02.000", "1969-12-31 23:59:57.000", "NULL"}},
          {"TIMESTAMPADD(MONTH, 1, ts)",
           {"2024-02-29 10:00:00.000", "1970-02-01 00:00:00.000", "NULL"}},
          {"TIMESTAMPADD(QUARTER, n, ts)",
           {"2024-07-31 10:00:00.000", "1969-04-01 00:00:00.000", "NULL"}},
          {"TIMESTAMPADD(WEEK, 1, day)", {"2024-03-07", "1970-01-09", "NULL"}},
          {"TIMESTAMPADD(HOUR, 1, day)", {"2024-02-29 01:00:00", "1970-01-02 01:00:00", "NULL"}},
          {"TIMESTAMPADD(DAY, NULL, ts)", {"NULL", "NULL", "NULL"}},
          {"TIMESTAMPDIFF(SECOND, ts, later)", {"2591999", "0", "NULL"}},
          {"TIMESTAMPDIFF(MILLISECOND, ts, later)", {"2591999000", "-500", "NULL"}},
          {"TIMESTAMPDIFF(DAY, ts, later)", {"29", "0", "NULL"}},
          {"TIMESTAMPDIFF(DAY, later, ts)", {"-29", "0", "NULL"}},
          {"TIMESTAMPDIFF(MONTH, ts, later)", {"1", "0", "NULL"}},
          {"TIMESTAMPDIFF(DAY, day, ts)", {"-28", "-1", "NULL"}},
          {"TIMESTAMPDIFF(YEAR, ts, TIMESTAMP '2034-01-31 10:00:00')", {"10", "64", "NULL"}},
          {"TIMESTAMPDIFF(SECOND, TIMESTAMP '0001-01-01 00:00:00', ts)",
           {"!INT overflow: TIMESTAMPDIFF gives 63842292000",
            "!INT overflow: TIMESTAMPDIFF gives 62135596800", "NULL"}},
          {"TIMESTAMPADD(FORTNIGHT, 1, ts)",
           {"#the first argument of TIMESTAMPADD is a unit: MICROSECOND, MILLISECOND, SECOND, "
            "MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR"}},
          {"TIMESTAMPADD(DAY, 1.5, ts)",
           {"#TIMESTAMPADD takes an integer as its second argument, got DECIMAL(2, 1)"}},
          {"TIMESTAMPDIFF(DAY, 1, ts)", {"#TIMESTAMPDIFF takes timestamps or dates, got INT"}},
      });
}

TEST(FunctionRegistryTest, TimestampAddOfAConstantIsASumWithAnIntervalLiteral) {
  const TestTable table({{"ts", DataType::Timestamp(3), {}}});
  for (const char* text : {"TIMESTAMPADD(SECOND, -10, ts)", "TIMESTAMPADD(SECOND, 5 - 15, ts)"}) {
    const Result<ExpressionPtr> sum = table.Parse(text);
    ASSERT_TRUE(sum);
    ASSERT_TRUE((*sum)->is_call(Operation::kAdd)) << text;
    EXPECT_EQ((*sum)->arguments[0]->kind, ExpressionKind::kColumn);
    ASSERT_EQ((*sum)->arguments[1]->kind, ExpressionKind::kLiteral);
    EXPECT_EQ((*sum)->arguments[1]->literal.integer(), -10'000'000);
    EXPECT_EQ((*sum)->type, DataType::Timestamp(3));
  }
}

TEST(FunctionRegistryTest, UnknownNamesNameTheNearest) {
  struct NameCase {
    const char* name;
    const char* message;
  };
  const NameCase cases[] = {
      {"COALSCE", "unknown function COALSCE; did you mean COALESCE?"},
      {"uper", "unknown function uper; did you mean UPPER?"},
      {"TO_TIMESTMAP", "unknown function TO_TIMESTMAP; did you mean TO_TIMESTAMP?"},
      {"char_lenght", "unknown function char_lenght; did you mean CHAR_LENGTH?"},
      {"TO_DOUBLE",
       "unknown function TO_DOUBLE; docs/sql.md lists the functions, and CAST(x AS type) changes "
       "types"},
  };
  for (const NameCase& c : cases) {
    const Result<ExpressionPtr> call = MakeFunction(c.name, {});
    ASSERT_FALSE(call) << c.name;
    EXPECT_EQ(call.error().message, c.message);
    EXPECT_EQ(call.error().code, ErrorCode::kInvalidQuery);
  }
}

TEST(FunctionRegistryTest, AggregatesAndWindowsAreRefusedByName) {
  for (const char* name : {"count", "SUM", "Min", "MAX", "AVG", "ROW_NUMBER", "RANK", "LAG", "LEAD",
                           "TUMBLE", "HOP", "SESSION", "LISTAGG"}) {
    const Result<ExpressionPtr> call = MakeFunction(name, {MakeColumn(0, DataType::Int())});
    ASSERT_FALSE(call) << name;
    EXPECT_THAT(call.error().message, HasSubstr("does not aggregate")) << name;
  }
}

TEST(FunctionRegistryTest, WrongNumbersOfArgumentsShowTheRightOnes) {
  const TestTable table({{"x", DataType::Int(), {}}});
  EXPECT_THAT(table.Evaluate("UPPER()"),
              ElementsAre("#UPPER is written UPPER(text), got 0 arguments"));
  EXPECT_THAT(table.Evaluate("NULLIF(x)"),
              ElementsAre("#NULLIF is written NULLIF(value, value), got 1 argument"));
  EXPECT_THAT(table.Evaluate("UPPER(x)"), ElementsAre("#UPPER takes STRING, got INT"));
  EXPECT_THAT(table.Evaluate("ABS(TRUE)"), ElementsAre("#ABS takes a number, got BOOLEAN"));
}

TEST(FunctionRegistryTest, InListsHaveThreeValues) {
  const TestTable table({{"x", DataType::Int(), {"1", "2", "NULL"}},
                         {"y", DataType::BigInt(), {"5", "2", "1"}},
                         {"s", DataType::String(), {"a", "b", "NULL"}}});
  ExpectValues(table, {
                          {"x IN (1, 3)", {"true", "false", "NULL"}},
                          {"x IN (1, NULL)", {"true", "NULL", "NULL"}},
                          {"x NOT IN (1, 3)", {"false", "true", "NULL"}},
                          {"x NOT IN (3, NULL)", {"NULL", "NULL", "NULL"}},
                          {"x IN (y, 7)", {"false", "true", "NULL"}},
                          {"x IN (2.0, 3.5)", {"false", "true", "NULL"}},
                          {"s IN ('a', 'x')", {"true", "false", "NULL"}},
                          {"s IN ('x')", {"false", "false", "NULL"}},
                          {"1 IN (x, y)", {"true", "false", "true"}},
                          {"1 IN (2, 1)", {"true", "true", "true"}},
                          {"NULL IN (1)", {"NULL", "NULL", "NULL"}},
                          {"x IN (9, 8, 7, 6, 5, 4, 3, 20, 30, 40, 2)", {"false", "true", "NULL"}},
                          {"s IN ('i', 'h', 'g', 'f', 'e', 'd', 'c', 'x', 'y', 'a', NULL)",
                           {"true", "NULL", "NULL"}},
                      });
}

}  // namespace
}  // namespace braid
