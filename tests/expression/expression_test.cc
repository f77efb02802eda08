#include "engine/expression/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TestTable Table() {
  return TestTable({{"a", DataType::Int(), {}},
                    {"b", DataType::Int(), {}},
                    {"c", DataType::BigInt(), {}},
                    {"s", DataType::String(), {}},
                    {"p", DataType::Boolean(), {}},
                    {"ts", DataType::Timestamp(3), {}},
                    {"ltz", DataType::TimestampLtz(3), {}}});
}

TEST(ExpressionTest, ConjunctsAreSplitAndJoined) {
  const TestTable table = Table();
  const ExpressionPtr all = *table.Parse("a = 1 AND (b = 2 AND (p OR a = 3)) AND NOT p");
  const std::vector<ExpressionPtr> conjuncts = SplitConjuncts(all);
  ASSERT_EQ(conjuncts.size(), 4U);
  const auto name = [&table](int column) { return table.name(column); };
  EXPECT_EQ(FormatExpression(*conjuncts[2], name), "p OR a = 3");
  EXPECT_EQ(FormatExpression(*JoinConjuncts(conjuncts), name),
            "a = 1 AND b = 2 AND (p OR a = 3) AND NOT p");
  EXPECT_EQ(JoinConjuncts({}), nullptr);
  EXPECT_EQ(JoinConjuncts({conjuncts[1]}), conjuncts[1]);
  EXPECT_THAT(SplitConjuncts(nullptr), IsEmpty());
  EXPECT_EQ(JoinConjuncts(conjuncts)->type, DataType::Boolean());
}

TEST(ExpressionTest, ColumnsAreListedAndReplaced) {
  const TestTable table = Table();
  const ExpressionPtr expression = *table.Parse("c + a > 5 AND a = c");
  EXPECT_THAT(ReferencedColumns(*expression), ElementsAre(0, 2));
  EXPECT_FALSE(IsConstant(*expression));
  EXPECT_TRUE(IsConstant(**table.Parse("1 + 2 > 3")));
  const ExpressionPtr moved = RemapColumns(expression, [](int column) { return column + 10; });
  EXPECT_THAT(ReferencedColumns(*moved), ElementsAre(10, 12));
  EXPECT_EQ(RemapColumns(expression, [](int column) { return column; }), expression)
      << "what does not change is shared";
  const ExpressionPtr replaced =
      SubstituteColumns(expression, {*table.Parse("b * 2"), nullptr, *table.Parse("c")});
  EXPECT_EQ(FormatExpression(*replaced, [&table](int column) { return table.name(column); }),
            "c + b * 2 > 5 AND b * 2 = c");
}

TEST(ExpressionTest, PrintsAsReadableSql) {
  struct FormatCase {
    const char* expression;
    const char* printed;  // Null: the same.
  };
  const FormatCase cases[] = {
      {"a + b * 2", nullptr},
      {"(a + b) * 2", nullptr},
      {"a - (b - 1)", nullptr},
      {"(a - b) - 1", "a - b - 1"},
      {"a / (b * 2)", nullptr},
      {"-a", nullptr},
      {"-(a + b)", nullptr},
      {"-(-a)", nullptr},
      {"a - -5", nullptr},
      {"(a = 1 AND b = 2) OR p", "a = 1 AND b = 2 OR p"},
      {"a = 1 AND (b = 2 OR p)", nullptr},
      {"NOT (a = 1)", "NOT a = 1"},
      {"NOT (a = 1 AND p)", nullptr},
      {"NOT p AND p", nullptr},
      {"(a = 1) = p", nullptr},
      {"(a = 1) IS NOT TRUE", nullptr},
      {"a + 1 IS NULL", nullptr},
      {"a IS DISTINCT FROM b", nullptr},
      {"a = c", nullptr},
      {"c = 5", nullptr},
      {"s = 'it''s'", nullptr},
      {"s LIKE 'a%' ESCAPE '!'", nullptr},
      {"a IN (1, 2, b + 1)", nullptr},
      {"CASE WHEN a = 1 THEN 'x' WHEN p THEN s END", nullptr},
      {"CASE WHEN p THEN 1 ELSE a + 1 END", nullptr},
      {"CAST(a AS STRING)", nullptr},
      {"TRY_CAST(s AS DECIMAL(10, 2))", nullptr},
      {"COALESCE(a, b, 0)", nullptr},
      {"UPPER(s)", nullptr},
      {"PROCTIME()", nullptr},
      {"TO_TIMESTAMP(s, 'yyyy')", nullptr},
      {"ts >= '2024-01-01 00:00:00.5'", "ts >= TIMESTAMP '2024-01-01 00:00:00.5'"},
      {"ts - INTERVAL '5' SECOND", nullptr},
      {"ts + INTERVAL '60' SECOND", "ts + INTERVAL '1' MINUTE"},
      {"ts + INTERVAL '90' MINUTE", nullptr},
      {"ts + INTERVAL '48' HOUR", "ts + INTERVAL '2' DAY"},
      {"ts + INTERVAL '1.5' SECOND", nullptr},
      {"ts + INTERVAL '-0.000001' SECOND", "ts + INTERVAL '-0.000001' SECOND"},
      {"ts + INTERVAL '0' DAY", "ts + INTERVAL '0' SECOND"},
      {"ts + INTERVAL '14' MONTH", nullptr},
      {"ts + INTERVAL '24' MONTH", "ts + INTERVAL '2' YEAR"},
      {"ts - ts <= INTERVAL '5' SECOND", nullptr},
      {"TIMESTAMPADD(SECOND, -10, ts) < ts", "ts + INTERVAL '-10' SECOND < ts"},
      {"TIMESTAMPDIFF(DAY, ts, ts)", nullptr},
      {"DATE '2024-01-31' < ts", "TIMESTAMP '2024-01-31 00:00:00.000' < ts"},
      {"p = TRUE OR p = NULL", nullptr},
      {"a = 1.5", nullptr},
      {"a < 2e0", "a < 2.0"},
      {"NULLIF(a, b)", "CASE WHEN a = b THEN NULL ELSE a END"},
  };
  const TestTable table = Table();
  for (const FormatCase& c : cases) {
    EXPECT_EQ(table.Format(c.expression), c.printed == nullptr ? c.expression : c.printed);
  }
}

TEST(ExpressionTest, WhatIsPrintedReadsBackAsTheSame) {
  const TestTable table = Table();
  for (const char* text :
       {"a - (b - (c - 1)) * -(a + 2)", "NOT (a = 1 OR NOT (p AND b = 2)) = p",
        "CASE WHEN a = 1 OR p THEN a + 1 ELSE -b END * 2", "(a IN (1, 2)) IS NOT FALSE",
        "COALESCE(s, 'x') LIKE '%a''b%' AND (a = 1) IS NOT DISTINCT FROM p"}) {
    const std::string once = table.Format(text);
    EXPECT_EQ(table.Format(once), once) << text;
  }
}

TEST(ExpressionTest, ErrorsHaveThePlaceOfTheCall) {
  Place place;
  place.file = "job.sql";
  place.line = 3;
  place.column = 14;
  const Result<ExpressionPtr> sum = MakeCall(
      Operation::kAdd, {MakeColumn(0, DataType::Boolean()), MakeColumn(1, DataType::Int())}, place);
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().place.line, 3);
  EXPECT_EQ(sum.error().place.column, 14);
  const Result<ExpressionPtr> count =
      MakeCall(Operation::kCase, {MakeLiteral(Value::Boolean(true))}, place);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().message, "CASE takes at least 3 arguments, got 1");
}

}  // namespace
}  // namespace braid
