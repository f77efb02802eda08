#include "engine/expression/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "state/rows/time_zone.h"
#include "tests/expression/expression_text.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EvaluatorTest, LogicHasThreeValues) {
  const TestTable table(
      {{"p",
        DataType::Boolean(),
        {"true", "true", "true", "false", "false", "false", "NULL", "NULL", "NULL"}},
       {"q",
        DataType::Boolean(),
        {"true", "false", "NULL", "true", "false", "NULL", "true", "false", "NULL"}}});
  const std::string t = "true";
  const std::string f = "false";
  const std::string n = "NULL";
  ExpectValues(table, {
                          {"p AND q", {t, f, n, f, f, f, n, f, n}},
                          {"p OR q", {t, t, t, t, f, n, t, n, n}},
                          {"NOT p", {f, f, f, t, t, t, n, n, n}},
                          {"NOT (p AND q)", {f, t, n, t, t, t, n, t, n}},
                          {"NOT (p OR q)", {f, f, f, f, t, n, f, n, n}},
                          {"NOT NOT p", {t, t, t, f, f, f, n, n, n}},
                          {"p IS NULL", {f, f, f, f, f, f, t, t, t}},
                          {"p IS NOT NULL", {t, t, t, t, t, t, f, f, f}},
                          {"p IS TRUE", {t, t, t, f, f, f, f, f, f}},
                          {"p IS NOT TRUE", {f, f, f, t, t, t, t, t, t}},
                          {"p IS FALSE", {f, f, f, t, t, t, f, f, f}},
                          {"p IS NOT FALSE", {t, t, t, f, f, f, t, t, t}},
                          {"NOT (p IS TRUE)", {f, f, f, t, t, t, t, t, t}},
                          {"NOT (p IS NULL)", {t, t, t, t, t, t, f, f, f}},
                          {"p AND NULL", {n, n, n, f, f, f, n, n, n}},
                          {"p OR NULL", {t, t, t, n, n, n, n, n, n}},
                          {"p = q", {t, f, n, f, t, n, n, n, n}},
                          {"p < q", {f, f, n, t, f, n, n, n, n}},
                          {"p AND q AND TRUE", {t, f, n, f, f, f, n, f, n}},
                          {"NULL AND FALSE", {f, f, f, f, f, f, f, f, f}},
                          {"p IS DISTINCT FROM q", {f, t, t, t, f, t, t, t, f}},
                          {"p IS NOT DISTINCT FROM q", {t, f, f, f, t, f, f, f, t}},
                      });
}

TEST(EvaluatorTest, ComparisonsOfEveryType) {
  struct Pair {
    DataType type;
    const char* small;
    const char* large;
  };
  const Pair pairs[] = {
      {DataType::Boolean(), "false", "true"},
      {DataType::TinyInt(), "-128", "127"},
      {DataType::SmallInt(), "-32768", "32767"},
      {DataType::Int(), "-2147483648", "2147483647"},
      {DataType::BigInt(), "-9223372036854775808", "9223372036854775807"},
      {DataType::Float(), "-1.5", "NaN"},
      {DataType::Double(), "Infinity", "NaN"},
      {DataType::Double(), "-Infinity", "-1.5"},
      {DataType::Decimal(10, 2), "-0.01", "0.01"},
      {DataType::String(), "", "a"},
      {DataType::String(), "a", "ab"},
      {DataType::String(), "z", "\xc3\xa9"},
      {DataType::Bytes(), "\x01", "\xff"},
      {DataType::Date(), "0001-01-01", "9999-12-31"},
      {DataType::Timestamp(3), "1969-12-31 23:59:59.999", "1970-01-01 00:00:00"},
      {DataType::TimestampLtz(6), "1970-01-01 00:00:00Z", "1970-01-01 00:00:00.000001Z"},
      {DataType::IntervalDay(), "-1", "0"},
      {DataType::IntervalMonth(), "11", "12"},
  };
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.type.ToString() + " " + pair.small + " " + pair.large);
    const TestTable table(
        {{"x", pair.type, {pair.small, pair.small, pair.large, pair.large, "NULL", pair.small}},
         {"y", pair.type, {pair.small, pair.large, pair.small, pair.large, pair.small, "NULL"}}});
    ExpectValues(table,
                 {
                     {"x = y", {"true", "false", "false", "true", "NULL", "NULL"}},
                     {"x <> y", {"false", "true", "true", "false", "NULL", "NULL"}},
                     {"x < y", {"false", "true", "false", "false", "NULL", "NULL"}},
                     {"x <= y", {"true", "true", "false", "true", "NULL", "NULL"}},
                     {"x > y", {"false", "false", "true", "false", "NULL", "NULL"}},
                     {"x >= y", {"true", "false", "true", "true", "NULL", "NULL"}},
                     {"x IS DISTINCT FROM y", {"false", "true", "true", "false", "true", "true"}},
                     {"NOT (x < y)", {"true", "false", "true", "true", "NULL", "NULL"}},
                 });
    EXPECT_THAT(table.Filter("x = y"), ElementsAre(0, 3));
    EXPECT_THAT(table.Filter("x <> y"), ElementsAre(1, 2));
    EXPECT_THAT(table.Filter("x < y"), ElementsAre(1));
    EXPECT_THAT(table.Filter("x <= y"), ElementsAre(0, 1, 3));
    EXPECT_THAT(table.Filter("x > y"), ElementsAre(2));
    EXPECT_THAT(table.Filter("x >= y"), ElementsAre(0, 2, 3));
    EXPECT_THAT(table.Filter("x IS NOT DISTINCT FROM y"), ElementsAre(0, 3));
  }
}

TEST(EvaluatorTest, ZeroHasNoSignAndNanEqualsItself) {
  const TestTable table({{"d", DataType::Double(), {"0.0", "-0.0", "NaN", "1.0", "NULL"}},
                         {"f", DataType::Float(), {"-0.0", "0.0", "NaN", "NaN", "NaN"}}});
  ExpectValues(table, {
                          {"d = f", {"true", "true", "true", "false", "NULL"}},
                          {"d < f", {"false", "false", "false", "true", "NULL"}},
                          {"d = 0e0", {"true", "true", "false", "false", "NULL"}},
                          {"d > 0", {"false", "false", "true", "true", "NULL"}},
                          {"d IN (0, 1)", {"true", "true", "false", "true", "NULL"}},
                      });
  EXPECT_THAT(table.Filter("d > 5"), ElementsAre(2));
  EXPECT_THAT(table.Filter("5 < d"), ElementsAre(2));
}

TEST(EvaluatorTest, ComparesNumbersOfDifferentTypes) {
  const TestTable table({{"i", DataType::Int(), {"1", "2", "NULL"}},
                         {"l", DataType::BigInt(), {"1", "3000000000", "1"}},
                         {"m", DataType::Decimal(6, 2), {"1.00", "2.01", "1.00"}},
                         {"d", DataType::Double(), {"1.0", "2.01", "1.0"}},
                         {"t", DataType::TinyInt(), {"1", "2", "3"}}});
  ExpectValues(table, {
                          {"i = l", {"true", "false", "NULL"}},
                          {"i < m", {"false", "true", "NULL"}},
                          {"m = d", {"true", "true", "true"}},
                          {"l > 2.5", {"false", "true", "false"}},
                          {"i = t", {"true", "true", "NULL"}},
                          {"t < 300", {"true", "true", "true"}},
                          {"i = '1'", {"true", "false", "NULL"}},
                          {"m = '1.0'", {"true", "false", "true"}},
                      });
}

TEST(EvaluatorTest, ComparesTimesWithTextAndWithEachOther) {
  const TestTable table(
      {{"ts", DataType::Timestamp(3), {"2024-01-01 00:00:00", "2024-01-01 12:30:00.5", "NULL"}},
       {"fine",
        DataType::Timestamp(6),
        {"2024-01-01 00:00:00.000001", "2024-01-01 12:30:00.5", "2024-01-01 00:00:00"}},
       {"day", DataType::Date(), {"2024-01-01", "2024-01-01", "2024-01-02"}},
       {"text", DataType::String(), {"2024-01-01", "2024-01-02", "nonsense"}}});
  ExpectValues(table, {
                          {"ts >= '2024-01-01 12:00:00'", {"false", "true", "NULL"}},
                          {"'2024-01-01 00:00:00.0005' > ts", {"true", "false", "NULL"}},
                          {"ts = fine", {"false", "true", "NULL"}},
                          {"ts = day", {"true", "false", "NULL"}},
                          {"day = '2024-01-01'", {"true", "true", "false"}},
                          {"day = text", {"true", "false", "!cannot cast 'nonsense' to DATE"}},
                          {"ts > 'nonsense'", {"#cannot cast 'nonsense' to TIMESTAMP(6)"}},
                          {"ts > '2024-02-30 00:00:00'",
                           {"#cannot cast '2024-02-30 00:00:00' to TIMESTAMP(6)"}},
                          {"ts > 5", {"#> cannot compare TIMESTAMP(3) with INT; write a CAST"}},
                      });
  EXPECT_THAT(table.Filter("ts >= '2024-01-01 12:00:00'"), ElementsAre(1));
}

TEST(EvaluatorTest, ArgumentsThatAreNotNeededAreNotEvaluated) {
  const TestTable table({{"x", DataType::Int(), {"0", "1", "NULL", "2"}},
                         {"s", DataType::String(), {"a", "1", "2", "b"}}});
  ExpectValues(table,
               {
                   {"CASE WHEN x <> 0 THEN 10 / x END", {"NULL", "10", "NULL", "5"}},
                   {"CASE WHEN x = 0 THEN 0 ELSE 10 / x END", {"0", "10", "NULL", "5"}},
                   {"x <> 0 AND 10 / x > 5", {"false", "true", "NULL", "false"}},
                   {"x = 0 OR 10 / x > 5", {"true", "true", "NULL", "false"}},
                   {"COALESCE(x, 1 / 0)", {"0", "1", "!division by zero", "2"}},
                   {"10 / x > 5", {"!division by zero", "true", "NULL", "false"}},
                   {"CASE WHEN x = 1 THEN CAST(s AS INT) ELSE -1 END", {"-1", "1", "-1", "-1"}},
                   {"x IN (0, 10 / x)", {"true", "false", "NULL", "false"}},
                   {"IF(x = 0, 0, 10 / x)", {"0", "10", "NULL", "5"}},
               });
  EXPECT_THAT(table.Filter("x <> 0 AND 10 / x > 5"), ElementsAre(1));
  EXPECT_THAT(table.Filter("x = 0 OR 10 / x > 5"), ElementsAre(0, 1));
}

TEST(EvaluatorTest, ARowHasOneErrorHoweverOftenItFails) {
  const TestTable table({{"x", DataType::Int(), {"0", "1", "0"}}});
  ExpectValues(table,
               {
                   {"1 / x + 2 / x", {"!division by zero", "3", "!division by zero"}},
                   {"1 / 0", {"!division by zero", "!division by zero", "!division by zero"}},
                   {"x + 1 / 0", {"!division by zero", "!division by zero", "!division by zero"}},
               });
}

TEST(EvaluatorTest, ErrorsHaveTheirPlaceAndTheRowOfTheInput) {
  Place place;
  place.line = 3;
  place.column = 14;
  const ExpressionPtr x = MakeColumn(0, DataType::Int());
  const Result<ExpressionPtr> quotient =
      MakeCall(Operation::kDivide, {MakeLiteral({DataType::Int(), int64_t{1}}), x}, place);
  ASSERT_TRUE(quotient);
  const Result<Evaluator> evaluator = Evaluator::Create(*quotient);
  ASSERT_TRUE(evaluator);
  const std::vector<Column> columns = {ColumnFromText(DataType::Int(), {"1", "0", "5", "0"})};
  EvaluationContext context;
  const std::vector<int32_t> rows = {3, 2, 0, 1};
  const Column values = evaluator->EvaluateRows(columns, rows, &context);
  EXPECT_THAT(FormatColumn(values), ElementsAre("NULL", "0", "1", "NULL"));
  ASSERT_EQ(context.row_errors.size(), 2U);
  EXPECT_EQ(context.row_errors[0].row, 1);
  EXPECT_EQ(context.row_errors[1].row, 3);
  EXPECT_EQ(context.row_errors[1].place.line, 3);
  EXPECT_EQ(context.row_errors[1].place.column, 14);
}

TEST(EvaluatorTest, APlainColumnIsNotCopied) {
  const TestTable table(
      {{"x", DataType::BigInt(), {"1", "2"}}, {"s", DataType::String(), {"a", "b"}}});
  for (const char* name : {"x", "s"}) {
    const Result<Evaluator> evaluator = Evaluator::Create(*table.Parse(name));
    ASSERT_TRUE(evaluator);
    EvaluationContext context;
    const Column column = evaluator->Evaluate(table.columns(), 2, &context);
    const size_t index = name[0] == 'x' ? 0 : 1;
    EXPECT_EQ(column.raw_values(), table.columns()[index].raw_values());
  }
}

TEST(EvaluatorTest, NoRowsGiveNoValuesAndNoErrors) {
  const TestTable table({{"x", DataType::Int(), {}}, {"s", DataType::String(), {}}});
  for (const char* text : {"x", "s", "x + 1", "1 / 0", "UPPER(s)", "CASE WHEN x = 1 THEN s END",
                           "COALESCE(s, 'a')", "x IN (1, 2)", "s LIKE 'a%'", "x = 1 AND x = 2",
                           "CAST(x AS STRING)", "CAST(s AS INT)", "5", "NULL"}) {
    EXPECT_THAT(table.Evaluate(text), IsEmpty()) << text;
    const Result<Evaluator> evaluator = Evaluator::Create(*table.Parse(text));
    ASSERT_TRUE(evaluator);
    EvaluationContext context;
    EXPECT_EQ(evaluator->EvaluateRows(table.columns(), {}, &context).length(), 0) << text;
    EXPECT_THAT(context.row_errors, IsEmpty());
  }
}

TEST(EvaluatorTest, FiltersKeepTheOrderOfTheRows) {
  const TestTable table({{"x", DataType::Int(), {"5", "1", "NULL", "7", "3"}},
                         {"y", DataType::BigInt(), {"1", "2", "3", "4", "NULL"}},
                         {"s", DataType::String(), {"a", "b", "c", "NULL", "a"}}});
  const std::vector<int32_t> order = {4, 2, 0, 3, 1};
  struct FilterCase {
    const char* expression;
    std::vector<int32_t> rows;
  };
  const FilterCase cases[] = {
      {"x > 2", {4, 0, 3}},
      {"2 < x", {4, 0, 3}},
      {"x > y", {0, 3}},
      {"x + 1 > y", {0, 3}},
      {"x IS NULL", {2}},
      {"x IS NOT NULL", {4, 0, 3, 1}},
      {"s IS NULL", {3}},
      {"y IS NULL OR x > 5", {4, 3}},
      {"s = 'a' AND x > 3", {0}},
      {"s = 'a' OR s = 'b'", {4, 0, 1}},
      {"NOT (s = 'a' OR s = 'b')", {2}},
      {"s IN ('a', 'c')", {4, 2, 0}},
      {"s LIKE 'a%'", {4, 0}},
      {"x > NULL", {}},
      {"TRUE", {4, 2, 0, 3, 1}},
      {"FALSE", {}},
      {"NULL = 1", {}},
      {"1 < 2", {4, 2, 0, 3, 1}},
      {"(x > 2) IS NOT TRUE", {2, 1}},
      {"(x > 2) IS TRUE", {4, 0, 3}},
      {"CASE WHEN x > 2 THEN TRUE END", {4, 0, 3}},
  };
  for (const FilterCase& c : cases) {
    const Result<Evaluator> evaluator = Evaluator::Create(*table.Parse(c.expression));
    ASSERT_TRUE(evaluator) << c.expression;
    EvaluationContext context;
    std::vector<int32_t> rows = order;
    evaluator->Filter(table.columns(), &context, &rows);
    EXPECT_EQ(rows, c.rows) << c.expression;
  }
}

TEST(EvaluatorTest, ProcessingTimeIsTheTriggersAndInMilliseconds) {
  const TestTable table({{"x", DataType::Int(), {"1", "2"}}});
  EvaluationContext context;
  context.processing_time = {1'999'999};
  EXPECT_THAT(table.Evaluate("PROCTIME()", context),
              ElementsAre("1970-01-01 00:00:01.999Z", "1970-01-01 00:00:01.999Z"));
}

TEST(EvaluatorTest, ConstantsAreEvaluatedWithoutRows) {
  const TestTable table({{"x", DataType::Int(), {"1"}}});
  const Result<Value> value =
      EvaluateConstant(*table.Parse("INTERVAL '1' HOUR * 2 + -INTERVAL '1' SECOND"));
  ASSERT_TRUE(value);
  EXPECT_EQ(value->integer(), 7'199'000'000);
  const Result<Value> failing = EvaluateConstant(*table.Parse("1 / 0"));
  ASSERT_FALSE(failing);
  EXPECT_EQ(failing.error().code, ErrorCode::kInvalidQuery);
  EXPECT_EQ(failing.error().message, "division by zero");
  EXPECT_FALSE(EvaluateConstant(*table.Parse("x")));
  EXPECT_FALSE(EvaluateConstant(*table.Parse("PROCTIME() - PROCTIME()")));
  const auto zone = TimeZone::Find("+02:00");
  const ExpressionPtr moment = *table.Parse("CAST('1970-01-01 02:00:00' AS TIMESTAMP_LTZ(0))");
  EXPECT_EQ(EvaluateConstant(moment, zone->get())->integer(), 0);
  EXPECT_EQ(EvaluateConstant(moment)->integer(), 7'200'000'000);
}

}  // namespace
}  // namespace braid
