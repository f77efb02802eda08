#include "engine/expression/type_rules.h"

#include <gtest/gtest.h>

#include "tests/expression/expression_text.h"

namespace braid {
namespace {

// One column of each type, without rows.
TestTable AllTypes() {
  return TestTable({{"p", DataType::Boolean(), {}},
                    {"i8", DataType::TinyInt(), {}},
                    {"i16", DataType::SmallInt(), {}},
                    {"i32", DataType::Int(), {}},
                    {"i64", DataType::BigInt(), {}},
                    {"f32", DataType::Float(), {}},
                    {"f64", DataType::Double(), {}},
                    {"m", DataType::Decimal(10, 2), {}},
                    {"wide", DataType::Decimal(18, 6), {}},
                    {"s", DataType::String(), {}},
                    {"y", DataType::Bytes(), {}},
                    {"day", DataType::Date(), {}},
                    {"ts0", DataType::Timestamp(0), {}},
                    {"ts", DataType::Timestamp(3), {}},
                    {"ts6", DataType::Timestamp(6), {}},
                    {"ltz", DataType::TimestampLtz(3), {}},
                    {"span", DataType::IntervalDay(), {}},
                    {"months", DataType::IntervalMonth(), {}}});
}

struct TypeCase {
  const char* expression;
  const char* type;  // Or the error.
};

void ExpectTypes(const std::vector<TypeCase>& cases) {
  const TestTable table = AllTypes();
  for (const TypeCase& c : cases) {
    const Result<ExpressionPtr> expression = table.Parse(c.expression);
    if (expression) {
      EXPECT_EQ((*expression)->type.ToString(), c.type) << c.expression;
    } else {
      EXPECT_EQ(expression.error().message, c.type) << c.expression;
      EXPECT_EQ(expression.error().code, ErrorCode::kInvalidQuery);
    }
  }
}

TEST(TypeRulesTest, NumbersWidenAsInFlink) {
  ExpectTypes({
      {"i8 + i8", "TINYINT"},
      {"i8 + i16", "SMALLINT"},
      {"i32 + i64", "BIGINT"},
      {"i32 / i32", "INT"},
      {"i64 % i8", "BIGINT"},
      {"i32 + f32", "FLOAT"},
      {"f32 * f64", "DOUBLE"},
      {"m + f32", "DOUBLE"},
      {"i64 + f64", "DOUBLE"},
      {"-i8", "TINYINT"},
      {"-m", "DECIMAL(10, 2)"},
      {"i32 + NULL", "INT"},
      {"NULL * m", "DECIMAL(18, 4)"},
      {"NULL + NULL", "INT"},
      {"-NULL", "INT"},
  });
}

TEST(TypeRulesTest, DecimalsFollowFlinksRulesCappedAtEighteenDigits) {
  ExpectTypes({
      {"m + m", "DECIMAL(11, 2)"},
      {"m - 1", "DECIMAL(13, 2)"},
      {"m + i8", "DECIMAL(11, 2)"},
      {"m * m", "DECIMAL(18, 4)"},
      {"1.5 * 1.5", "DECIMAL(5, 2)"},
      {"1.5 / 2.5", "DECIMAL(8, 6)"},
      {"m / i8", "DECIMAL(14, 6)"},
      {"m % 1.5", "DECIMAL(3, 2)"},
      {"i64 + m", "DECIMAL(18, 2)"},
      {"i64 * 1.5", "DECIMAL(18, 1)"},
      {"wide * wide", "DECIMAL(18, 6)"},
      {"wide + wide", "DECIMAL(18, 6)"},
      {"m / wide", "DECIMAL(18, 6)"},
  });
}

TEST(TypeRulesTest, TimesAndIntervals) {
  ExpectTypes({
      {"ts + INTERVAL '5' SECOND", "TIMESTAMP(3)"},
      {"INTERVAL '5' SECOND + ts", "TIMESTAMP(3)"},
      {"ts - INTERVAL '0.0005' SECOND", "TIMESTAMP(4)"},
      {"ts0 + INTERVAL '1.5' SECOND", "TIMESTAMP(1)"},
      {"ts0 + INTERVAL '1' DAY * 3", "TIMESTAMP(0)"},
      {"ts0 + (INTERVAL '1' DAY - INTERVAL '0.25' SECOND)", "TIMESTAMP(2)"},
      {"ts0 + INTERVAL '1' SECOND * m", "TIMESTAMP(6)"},
      {"ts0 + (ts - ts)", "TIMESTAMP(3)"},
      {"ts + span", "TIMESTAMP(6)"},
      {"ts + NULL", "TIMESTAMP(3)"},
      {"ltz + INTERVAL '1' MONTH", "TIMESTAMP_LTZ(3)"},
      {"ts - INTERVAL '2' YEAR", "TIMESTAMP(3)"},
      {"day + INTERVAL '3' DAY", "DATE"},
      {"day + INTERVAL '1' DAY * i32", "DATE"},
      {"day - INTERVAL '1' MONTH", "DATE"},
      {"day + INTERVAL '1' HOUR", "TIMESTAMP(0)"},
      {"day + INTERVAL '0.5' SECOND", "TIMESTAMP(1)"},
      {"ts - ts6", "INTERVAL DAY TO SECOND"},
      {"day - day", "INTERVAL DAY TO SECOND"},
      {"ts - day", "INTERVAL DAY TO SECOND"},
      {"ltz - ts", "INTERVAL DAY TO SECOND"},
      {"span * 2", "INTERVAL DAY TO SECOND"},
      {"1.5 * span", "INTERVAL DAY TO SECOND"},
      {"span / 2", "INTERVAL DAY TO SECOND"},
      {"-span", "INTERVAL DAY TO SECOND"},
      {"months + months", "INTERVAL YEAR TO MONTH"},
      {"-months * 3", "INTERVAL YEAR TO MONTH"},
      {"span + NULL", "INTERVAL DAY TO SECOND"},
      {"span < INTERVAL '1' DAY", "BOOLEAN"},
      {"ts - ts <= INTERVAL '5' SECOND", "BOOLEAN"},
  });
}

TEST(TypeRulesTest, BranchesMeetInTheirCommonType) {
  ExpectTypes({
      {"COALESCE(i8, i64)", "BIGINT"},
      {"COALESCE(i32, m)", "DECIMAL(12, 2)"},
      {"COALESCE(i64, m)", "DECIMAL(18, 2)"},
      {"COALESCE(i16, f32)", "FLOAT"},
      {"COALESCE(i32, f32)", "DOUBLE"},
      {"COALESCE(m, f32)", "DOUBLE"},
      {"COALESCE(NULL, i8)", "TINYINT"},
      {"COALESCE(ts, ts6)", "TIMESTAMP(6)"},
      {"COALESCE(day, ts)", "TIMESTAMP(3)"},
      {"COALESCE(ltz, ts)", "TIMESTAMP(3)"},
      {"COALESCE(ts, '2024-01-01 00:00:00')", "TIMESTAMP(3)"},
      {"COALESCE(m, wide)", "DECIMAL(18, 6)"},
      {"CASE WHEN p THEN 1 END", "INT"},
      {"CASE WHEN p THEN 1 ELSE 2.5 END", "DECIMAL(11, 1)"},
      {"CASE WHEN p THEN NULL END", "NULL"},
      {"NULLIF(i8, 5)", "TINYINT"},
      {"NULLIF(s, 'a')", "STRING"},
  });
}

TEST(TypeRulesTest, WhatDoesNotFitIsRefusedWithWhatFits) {
  constexpr const char* kArithmetic =
      "{} is not defined; what fits: numbers; a time and an interval; two intervals; an interval "
      "and a number";
  const auto arithmetic = [kArithmetic](const std::string& what) {
    return what + std::string(kArithmetic).substr(2);
  };
  const std::string string_and_int = arithmetic("STRING + INT");
  const std::string int_and_time = arithmetic("TIMESTAMP(3) + INT");
  const std::string times = arithmetic("TIMESTAMP(3) + TIMESTAMP(3)");
  const std::string interval_minus_time = arithmetic("INTERVAL DAY TO SECOND - TIMESTAMP(3)");
  const std::string mixed = arithmetic("INTERVAL DAY TO SECOND + INTERVAL YEAR TO MONTH");
  ExpectTypes({
      {"s + 1", string_and_int.c_str()},
      {"1 + ts", int_and_time.c_str()},
      {"ts + ts", times.c_str()},
      {"span - ts", interval_minus_time.c_str()},
      {"span + months", mixed.c_str()},
      {"span * f64",
       "INTERVAL DAY TO SECOND * DOUBLE would not be exact; cast the number to BIGINT or DECIMAL"},
      {"ts = p", "= cannot compare TIMESTAMP(3) with BOOLEAN; write a CAST"},
      {"span < months",
       "< cannot compare INTERVAL DAY TO SECOND with INTERVAL YEAR TO MONTH; write a CAST"},
      {"y = i32", "= cannot compare BYTES with INT; write a CAST"},
      {"i32 AND p", "AND takes BOOLEAN, got INT"},
      {"NOT s", "NOT takes BOOLEAN, got STRING"},
      {"-p", "- takes a number or an interval, got BOOLEAN"},
      {"i32 LIKE 'a'", "LIKE takes STRING, got INT"},
      {"CASE WHEN i32 THEN 1 END", "WHEN takes BOOLEAN, got INT"},
      {"COALESCE(i32, s)", "COALESCE has values of INT and STRING; write a CAST"},
      {"i32 IN (1, ts)", "IN cannot compare INT with TIMESTAMP(3); write a CAST"},
      {"CAST(ts AS INT)", "cannot cast TIMESTAMP(3) to INT"},
      {"CAST(y AS DATE)", "cannot cast BYTES to DATE"},
      {"CAST(span AS BIGINT)", "cannot cast INTERVAL DAY TO SECOND to BIGINT"},
  });
}

TEST(TypeRulesTest, LiteralsTakeTheTypeTheyAreComparedWith) {
  const TestTable table = AllTypes();
  struct LiteralCase {
    const char* expression;
    size_t argument;
    const char* type;
  };
  const LiteralCase cases[] = {
      {"i64 = 5", 1, "BIGINT"},
      {"i8 = 5", 1, "INT"},
      {"f64 > 1", 1, "DOUBLE"},
      {"ts >= '2024-01-01 00:00:00'", 1, "TIMESTAMP(0)"},
      {"ts >= '2024-01-01 00:00:00.250'", 1, "TIMESTAMP(2)"},
      {"day = '2024-01-01'", 1, "DATE"},
      {"m = NULL", 1, "DECIMAL(10, 2)"},
      {"i32 = '7'", 1, "INT"},
  };
  for (const LiteralCase& c : cases) {
    const Result<ExpressionPtr> expression = table.Parse(c.expression);
    ASSERT_TRUE(expression) << c.expression;
    const Expression& argument = *(*expression)->arguments[c.argument];
    EXPECT_EQ(argument.kind, ExpressionKind::kLiteral) << c.expression;
    EXPECT_EQ(argument.type.ToString(), c.type) << c.expression;
  }
  // What such a text means is only known with the session zone.
  for (const char* text : {"ltz = '2024-01-01 00:00:00'", "ts = '2024-01-01 00:00:00Z'"}) {
    const Result<ExpressionPtr> expression = table.Parse(text);
    ASSERT_TRUE(expression);
    EXPECT_EQ((*expression)->arguments[1]->kind, ExpressionKind::kCall) << text;
  }
}

TEST(TypeRulesTest, TimestampsOfOneKindAreComparedAsTheyAre) {
  const TestTable table = AllTypes();
  for (const char* text : {"ts = ts6", "ts0 < ts", "ts6 IN (ts, ts0)"}) {
    const Result<ExpressionPtr> expression = table.Parse(text);
    ASSERT_TRUE(expression);
    for (const ExpressionPtr& argument : (*expression)->arguments) {
      EXPECT_EQ(argument->kind, ExpressionKind::kColumn) << text;
    }
  }
}

}  // namespace
}  // namespace braid
