#include "engine/expression/arithmetic.h"

#include <gtest/gtest.h>

#include "engine/expression/decimal_digits.h"
#include "tests/expression/expression_text.h"

namespace braid {
namespace {

TEST(ArithmeticTest, IntegersOverflowAsErrors) {
  struct Limits {
    DataType type;
    std::string least;
    std::string most;
  };
  const Limits all[] = {
      {DataType::TinyInt(), "-128", "127"},
      {DataType::SmallInt(), "-32768", "32767"},
      {DataType::Int(), "-2147483648", "2147483647"},
      {DataType::BigInt(), "-9223372036854775808", "9223372036854775807"},
  };
  for (const Limits& limits : all) {
    const std::string name = limits.type.ToString();
    SCOPED_TRACE(name);
    const TestTable table({{"x", limits.type, {limits.most, limits.least, "NULL", "7"}},
                           {"one", limits.type, {"1", "1", "1", "1"}},
                           {"minus", limits.type, {"-1", "-1", "-1", "-1"}},
                           {"two", limits.type, {"2", "2", "2", "2"}}});
    const std::string overflow = "!" + name + " overflow: ";
    const std::vector<std::string> sums = {overflow + limits.most + " + 1", "", "NULL", "8"};
    EXPECT_EQ(table.Evaluate("x + one")[0], overflow + limits.most + " + 1");
    EXPECT_EQ(table.Evaluate("x + one")[2], "NULL");
    EXPECT_EQ(table.Evaluate("x + one")[3], "8");
    EXPECT_EQ(table.Evaluate("x - one")[1], overflow + limits.least + " - 1");
    EXPECT_EQ(table.Evaluate("x * two")[0], overflow + limits.most + " * 2");
    EXPECT_EQ(table.Evaluate("x / minus")[1], overflow + limits.least + " / -1");
    EXPECT_EQ(table.Evaluate("x % minus")[1], "0");
    EXPECT_EQ(table.Evaluate("-x")[1], overflow + "-" + limits.least);
    EXPECT_EQ(table.Evaluate("ABS(x)")[1], overflow + "absolute value of " + limits.least);
    EXPECT_EQ(table.Evaluate("ABS(x)")[0], limits.most);
    EXPECT_EQ(table.Evaluate("x + minus")[0], table.Evaluate("x - one")[0]);
  }
}

TEST(ArithmeticTest, IntegerDivisionIsCutTowardsZero) {
  const TestTable table({{"x", DataType::Int(), {"7", "-7", "7", "-7", "1", "NULL", "0"}},
                         {"y", DataType::Int(), {"2", "2", "-2", "-2", "0", "0", "NULL"}}});
  const std::string zero = "!division by zero";
  ExpectValues(table, {
                          {"x / y", {"3", "-3", "-3", "3", zero, "NULL", "NULL"}},
                          {"x % y", {"1", "-1", "1", "-1", zero, "NULL", "NULL"}},
                          {"MOD(x, y)", {"1", "-1", "1", "-1", zero, "NULL", "NULL"}},
                      });
}

TEST(ArithmeticTest, FloatingPointNumbersFollowIeeeButForDivisionByZero) {
  const TestTable table({{"x", DataType::Double(), {"1.5", "1e308", "NaN", "1.0", "NULL"}},
                         {"y", DataType::Double(), {"0.5", "10.0", "1.0", "0.0", "0.0"}},
                         {"f", DataType::Float(), {"0.1", "0.2", "0.5", "2.0", "NULL"}}});
  const std::string zero = "!division by zero";
  ExpectValues(table, {
                          {"x + y", {"2.0", "1e+308", "NaN", "1.0", "NULL"}},
                          {"x * y", {"0.75", "Infinity", "NaN", "0.0", "NULL"}},
                          {"x / y", {"3.0", "1e+307", "NaN", zero, "NULL"}},
                          {"x % y", {"0.0", "6.0", "NaN", zero, "NULL"}},
                          {"-x", {"-1.5", "-1e+308", "NaN", "-1.0", "NULL"}},
                          {"ABS(-f)", {"0.1", "0.2", "0.5", "2.0", "NULL"}},
                          {"f + f", {"0.2", "0.4", "1.0", "4.0", "NULL"}},
                          {"f * 3", {"0.3", "0.6", "1.5", "6.0", "NULL"}},
                      });
}

TEST(ArithmeticTest, DecimalsAreExactAndRoundHalfUp) {
  const TestTable table({{"a", DataType::Decimal(10, 2), {"1.05", "-1.05", "99999999.99", "NULL"}},
                         {"b", DataType::Decimal(6, 3), {"0.100", "0.100", "0.001", "1.000"}},
                         {"i", DataType::Int(), {"3", "3", "3", "0"}}});
  ExpectValues(
      table,
      {
          {"a + b", {"1.150", "-0.950", "99999999.991", "NULL"}},
          {"a - b", {"0.950", "-1.150", "99999999.989", "NULL"}},
          {"a * b", {"0.10500", "-0.10500", "99999.99999", "NULL"}},
          {"a / i", {"0.3500000000", "-0.3500000000", "33333333.3300000000", "NULL"}},
          {"a % 1", {"0.05", "-0.05", "0.99", "NULL"}},
          {"2.5 / 2", {"1.250000000000", "1.250000000000", "1.250000000000", "1.250000000000"}},
          {"2.0 / 3", {"0.666666666667", "0.666666666667", "0.666666666667", "0.666666666667"}},
          {"-2.0 / 3",
           {"-0.666666666667", "-0.666666666667", "-0.666666666667", "-0.666666666667"}},
          {"b / i",
           {"0.03333333333333", "0.03333333333333", "0.00033333333333", "!division by zero"}},
          {"a * 1e0", {"1.05", "-1.05", "99999999.99", "NULL"}},
          {"a + 1", {"2.05", "-0.05", "100000000.99", "NULL"}},
      });
}

TEST(ArithmeticTest, DecimalsThatNeedMoreThanEighteenDigitsAreErrors) {
  const TestTable table(
      {{"w", DataType::Decimal(18, 2), {"9999999999999999.99", "0.01", "-9999999999999999.99"}}});
  ExpectValues(
      table, {
                 {"w + w",
                  {"!DECIMAL(18, 2) overflow: 9999999999999999.99 + 9999999999999999.99", "0.02",
                   "!DECIMAL(18, 2) overflow: -9999999999999999.99 + -9999999999999999.99"}},
                 {"w * 10",
                  {"!DECIMAL(18, 2) overflow: 9999999999999999.99 * 10", "0.10",
                   "!DECIMAL(18, 2) overflow: -9999999999999999.99 * 10"}},
                 {"w * w",
                  {"!DECIMAL(18, 4) overflow: 9999999999999999.99 * 9999999999999999.99", "0.0001",
                   "!DECIMAL(18, 4) overflow: -9999999999999999.99 * "
                   "-9999999999999999.99"}},
                 {"w / w", {"1.000000", "1.000000", "1.000000"}},
                 {"w - w", {"0.00", "0.00", "0.00"}},
                 {"ABS(w)", {"9999999999999999.99", "0.01", "9999999999999999.99"}},
             });
}

TEST(ArithmeticTest, DivisionsBeyond128BitsGoOnDigitByDigit) {
  const TestTable table(
      {{"x", DataType::Decimal(18, 0), {"999999999999999999", "1", "-2"}},
       {"y",
        DataType::Decimal(18, 18),
        {"0.999999999999999999", "0.000000000000000003", "0.000000000000000003"}}});
  ExpectValues(
      table,
      {
          {"y / x", {"0.000000000000000001", "0.000000000000000003", "-0.000000000000000002"}},
          {"x / x", {"1.000000", "1.000000", "1.000000"}},
          {"x / y",
           {"!DECIMAL(18, 6) overflow: 999999999999999999 / 0.999999999999999999",
            "!DECIMAL(18, 6) overflow: 1 / 0.000000000000000003",
            "!DECIMAL(18, 6) overflow: -2 / 0.000000000000000003"}},
      });
}

TEST(ArithmeticTest, RoundingIsHalfUpAwayFromZero) {
  EXPECT_EQ(static_cast<int64_t>(DivideRounded(5, 10)), 1);
  EXPECT_EQ(static_cast<int64_t>(DivideRounded(4, 10)), 0);
  EXPECT_EQ(static_cast<int64_t>(DivideRounded(-5, 10)), -1);
  EXPECT_EQ(static_cast<int64_t>(DivideRounded(-4, 10)), 0);
  EXPECT_EQ(static_cast<int64_t>(DivideRounded(7, -2)), -4);
  EXPECT_EQ(static_cast<int64_t>(DivideRounded(1, 3)), 0);
  EXPECT_EQ(static_cast<int64_t>(DivideRounded(2, 3)), 1);
}

TEST(ArithmeticTest, WhatStandsUnderANullNeverFails) {
  // The value under a cleared validity bit is unspecified: here it is the one that would overflow.
  const std::vector<int32_t> values = {2147483647, 1};
  const uint8_t validity = 0b10;
  const std::vector<Column> columns = {
      Column(DataType::Int(), 2, 1, &validity, values.data(), nullptr, nullptr)};
  const TestTable table({{"x", DataType::Int(), {}}});
  for (const char* text : {"x + 1", "x * 2", "1 / (x - 2147483647)", "-(x + 1)"}) {
    const Result<Evaluator> evaluator = Evaluator::Create(*table.Parse(text));
    ASSERT_TRUE(evaluator);
    EvaluationContext context;
    const Column result = evaluator->Evaluate(columns, 2, &context);
    EXPECT_TRUE(result.IsNull(0)) << text;
    EXPECT_TRUE(result.IsValid(1)) << text;
    EXPECT_TRUE(context.row_errors.empty()) << text;
  }
}

}  // namespace
}  // namespace braid
