#include "engine/sql/expression_binder.h"

#include "tests/sql/bound_text.h"

namespace braid {
namespace {

struct Case {
  std::string text;
  std::string bound;
};

void ExpectBound(const std::vector<Case>& cases) {
  for (const Case& each : cases) EXPECT_EQ(BoundExpression(each.text), each.bound) << each.text;
}

DataType TypeOf(const std::string& text) {
  const Result<Script> script = BindBehindTables("SELECT " + text + " AS x FROM l");
  EXPECT_TRUE(script.has_value()) << text << ": " << script.error().ToString();
  return script ? script->query->root->columns[0].type : DataType::Null();
}

TEST(ExpressionBinderTest, LiteralsHaveFlinksTypes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1", "INT"},
      {"2147483647", "INT"},
      {"2147483648", "BIGINT"},
      {"-2147483648", "INT"},
      {"-2147483649", "BIGINT"},
      {"9223372036854775807", "BIGINT"},
      {"-9223372036854775808", "BIGINT"},
      {"1.5", "DECIMAL(2, 1)"},
      {"0.05", "DECIMAL(3, 2)"},
      {".5", "DECIMAL(1, 1)"},
      {"1.", "DECIMAL(1, 0)"},
      {"-12.50", "DECIMAL(4, 2)"},
      {"0000000000000000000001.5", "DECIMAL(18, 1)"},
      {"1e3", "DOUBLE"},
      {"1.5E-3", "DOUBLE"},
      {"'a'", "STRING"},
      {"TRUE", "BOOLEAN"},
      {"X'00ff'", "BYTES"},
      {"DATE '2024-01-31'", "DATE"},
      {"TIMESTAMP '2024-01-31 10:00:00'", "TIMESTAMP(0)"},
      {"TIMESTAMP '2024-01-31 10:00:00.123'", "TIMESTAMP(3)"},
      {"TIMESTAMP '2024-01-31 10:00:00.123456'", "TIMESTAMP(6)"},
      {"TIMESTAMP '2024-01-31T10:00'", "TIMESTAMP(0)"},
      {"CAST(NULL AS INT)", "INT"},
  };
  for (const auto& [text, type] : cases) EXPECT_EQ(TypeOf(text).ToString(), type) << text;
}

TEST(ExpressionBinderTest, LiteralsKeepTheirValue) {
  ExpectBound({
      {"'it''s', '', 'ä€'", "'it''s', '', 'ä€'"},
      {"-5, - 5, +5, -(5)", "-5, -5, 5, -5"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"0.5, -.25", "0.5, -0.25"},
      {"x'0aFF', X''", "X'0AFF', X''"},
      {"true, False", "TRUE, FALSE"},
      {"DATE '1969-12-31'", "DATE '1969-12-31'"},
  });
}

TEST(ExpressionBinderTest, OperatorsBindByPrecedence) {
  ExpectBound({
      {"v + 1 * 2 - 3", "v + 1 * 2 - 3"},
      {"(v + 1) * 2", "(v + 1) * 2"},
      {"v - 1 - 2, v - (1 - 2)", "v - 1 - 2, v - (1 - 2)"},
      {"-v * 2", "-v * 2"},
      {"v = 1 OR v = 2 AND v = 3", "v = 1 OR v = 2 AND v = 3"},
      {"(v = 1 OR v = 2) AND v = 3", "(v = 1 OR v = 2) AND v = 3"},
      {"NOT v = 1 AND v = 2", "NOT v = 1 AND v = 2"},
      {"NOT (v = 1 AND v = 2)", "NOT (v = 1 AND v = 2)"},
      {"NOT NOT v = 1", "NOT NOT v = 1"},
      {"v > 1 IS NULL", "(v > 1) IS NULL"},
      {"NOT v IS NULL", "NOT v IS NULL"},
      {"v + 1 < id % 2", "v + 1 < id % 2"},
      {"v = 1 = TRUE", "(v = 1) = TRUE"},
      {"v BETWEEN 1 AND 2 AND id = 3", "v >= 1 AND v <= 2 AND id = 3"},
      {"v = 1 AND id = 2 AND v = 3", "v = 1 AND id = 2 AND v = 3"},
  });
}

TEST(ExpressionBinderTest, Predicates) {
  ExpectBound({
      {"v <> 1, v != 1, v <=> 1", "v <> 1, v <> 1, v IS NOT DISTINCT FROM 1"},
      {"v IS NULL, v IS NOT NULL", "v IS NULL, v IS NOT NULL"},
      {"(v > 1) IS TRUE, (v > 1) IS NOT FALSE", "(v > 1) IS TRUE, (v > 1) IS NOT FALSE"},
      {"v > 1 IS UNKNOWN, v > 1 IS NOT UNKNOWN", "(v > 1) IS NULL, (v > 1) IS NOT NULL"},
      {"v IS DISTINCT FROM id, v IS NOT DISTINCT FROM id",
       "v IS DISTINCT FROM id, v IS NOT DISTINCT FROM id"},
      {"v NOT BETWEEN 1 AND 2", "NOT (v >= 1 AND v <= 2)"},
      {"v IN (1, 2, NULL), v NOT IN (1)", "v IN (1, 2, NULL), NOT v IN (1)"},
      {"name LIKE 'a%', name NOT LIKE 'a!%' ESCAPE '!'",
       "name LIKE 'a%', NOT name LIKE 'a!%' ESCAPE '!'"},
  });
}

TEST(ExpressionBinderTest, BetweenSharesItsOperand) {
  const Result<Script> script = BindBehindTables("SELECT v + 1 BETWEEN 1 AND 2 AS b FROM l");
  ASSERT_TRUE(script.has_value());
  const Expression& both = *script->query->root->projections[0];
  ASSERT_TRUE(both.is_call(Operation::kAnd));
  EXPECT_EQ(both.arguments[0]->arguments[0], both.arguments[1]->arguments[0]);
}

TEST(ExpressionBinderTest, Choices) {
  ExpectBound({
      {"CASE WHEN v > 1 THEN 'a' WHEN v > 0 THEN 'b' ELSE 'c' END",
       "CASE WHEN v > 1 THEN 'a' WHEN v > 0 THEN 'b' ELSE 'c' END"},
      {"CASE WHEN v > 1 THEN 1 END", "CASE WHEN v > 1 THEN 1 END"},
      {"CASE v WHEN 1 THEN 'a' ELSE 'b' END", "CASE WHEN v = 1 THEN 'a' ELSE 'b' END"},
      {"CASE v + 1 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END",
       "CASE WHEN v + 1 = 1 THEN 'a' WHEN v + 1 = 2 THEN 'b' END"},
      {"COALESCE(v, 1, 2)", "COALESCE(v, 1, 2)"},
      {"NULLIF(v, 0)", "CASE WHEN v = 0 THEN NULL ELSE v END"},
  });
}

TEST(ExpressionBinderTest, CastsAndFunctions) {
  ExpectBound({
      {"CAST(v AS STRING), try_cast(name AS INT)", "CAST(v AS STRING), TRY_CAST(name AS INT)"},
      {"CAST(v AS DECIMAL(10, 2))", "CAST(v AS DECIMAL(10, 2))"},
      {"CAST(v AS BIGINT)", "v"},
      {"upper(name), `lower`(name)", "UPPER(name), LOWER(name)"},
      {"TO_TIMESTAMP(name), TO_TIMESTAMP_LTZ(v, 3)", "TO_TIMESTAMP(name), TO_TIMESTAMP_LTZ(v, 3)"},
      {"PROCTIME()", "PROCTIME()"},
      {"TIMESTAMPDIFF(MINUTE, ts, ts), TIMESTAMPDIFF(second, ts, ts)",
       "TIMESTAMPDIFF(MINUTE, ts, ts), TIMESTAMPDIFF(SECOND, ts, ts)"},
  });
}

TEST(ExpressionBinderTest, FunctionsWithASyntaxOfTheirOwn) {
  ExpectBound({
      {"name || '-' || name", "CONCAT(name, '-', name)"},
      {"'a' || 'b' = name AND TRUE", "CONCAT('a', 'b') = name AND TRUE"},
      {"EXTRACT(YEAR FROM ts), extract(dow FROM ts)",
       "EXTRACT(YEAR FROM ts), EXTRACT(DOW FROM ts)"},
      {"EXTRACT(HOUR FROM ts + INTERVAL '1' HOUR)", "EXTRACT(HOUR FROM ts + INTERVAL '1' HOUR)"},
      {"FLOOR(ts TO DAY), CEIL(ts TO hour), ceiling(v)",
       "FLOOR(ts TO DAY), CEIL(ts TO HOUR), CEIL(v)"},
      {"FLOOR((ts + INTERVAL '1' HOUR) TO DAY)", "FLOOR((ts + INTERVAL '1' HOUR) TO DAY)"},
      {"POSITION('a' IN name), position('a' || 'b' IN UPPER(name))",
       "POSITION('a' IN name), POSITION(CONCAT('a', 'b') IN UPPER(name))"},
      {"TRIM(name), TRIM('x' FROM name), TRIM(name, 'x')",
       "TRIM(name), TRIM(name, 'x'), TRIM(name, 'x')"},
      {"TRIM(BOTH FROM name), TRIM(LEADING FROM name), trim(trailing from name)",
       "TRIM(name), LTRIM(name), RTRIM(name)"},
      {"TRIM(BOTH 'x' FROM name), TRIM(LEADING name FROM name), TRIM(TRAILING ('a' || 'b') FROM "
       "'x')",
       "TRIM(name, 'x'), LTRIM(name, name), RTRIM('x', CONCAT('a', 'b'))"},
      {"REPLACE(name, 'a', 'b'), replace(name, 'a', '')",
       "REPLACE(name, 'a', 'b'), REPLACE(name, 'a', '')"},
      {"CURRENT_TIMESTAMP, current_date, LOCALTIMESTAMP, NOW()",
       "CURRENT_TIMESTAMP, CURRENT_DATE, LOCALTIMESTAMP, CURRENT_TIMESTAMP"},
  });
}

TEST(ExpressionBinderTest, CurrentTimestampIsNoProcessingTimeAttribute) {
  for (const char* text : {"CURRENT_TIMESTAMP", "NOW()", "LOCALTIMESTAMP"}) {
    const Result<Script> script = BindBehindTables(std::string("SELECT ") + text + " AS x FROM l");
    ASSERT_TRUE(script.has_value()) << script.error().ToString();
    EXPECT_FALSE(script->query->root->columns[0].is_processing_time) << text;
  }
}

TEST(ExpressionBinderTest, TheWordsOfThatSyntaxAreNamesElsewhere) {
  const std::string tables =
      "CREATE TABLE position (trim STRING, both STRING, leading STRING, trailing STRING, "
      "extract INT, position INT);\n";
  const Result<Script> script = BindBehindTables(
      tables +
      "SELECT TRIM(both), TRIM(both || trim), TRIM(BOTH both FROM leading), TRIM(trim FROM both), "
      "POSITION(trim IN trailing), position, extract AS leading, trim both "
      "FROM position position WHERE position.trim IN (both, leading)");
  EXPECT_TRUE(script.has_value()) << script.error().ToString();
}

TEST(ExpressionBinderTest, TimeArithmetic) {
  ExpectBound({
      {"ts + INTERVAL '5' SECOND, INTERVAL '5' SECOND + ts",
       "ts + INTERVAL '5' SECOND, ts + INTERVAL '5' SECOND"},
      {"ts - INTERVAL '5' SECOND * 2", "ts - INTERVAL '5' SECOND * 2"},
      {"ts + 2 * INTERVAL '1' DAY", "ts + INTERVAL '1' DAY * 2"},
      {"ts - ts < - INTERVAL '5' SECOND", "ts - ts < INTERVAL '-5' SECOND"},
      {"ts > TIMESTAMP '2024-01-01 00:00:00'", "ts > TIMESTAMP '2024-01-01 00:00:00'"},
  });
  EXPECT_EQ(TypeOf("ts + INTERVAL '0.0005' SECOND"), DataType::Timestamp(4));
  EXPECT_EQ(TypeOf("TIMESTAMPADD(SECOND, -10, ts)"), DataType::Timestamp(3));
}

TEST(ExpressionBinderTest, ErrorsSayWhatIsWrongAndWhere) {
  const std::vector<Case> cases = {
      {"9223372036854775808", "1: 9223372036854775808 does not fit into BIGINT"},
      {"-9223372036854775809", "2: -9223372036854775809 does not fit into BIGINT"},
      {"1.2345678901234567890",
       "1: 1.2345678901234567890 has more than the 18 digits of a DECIMAL"},
      {"1e999", "1: 1e999 is beyond the range of DOUBLE"},
      {"DATE 'x'", "1: 'x' is not a date; it is written DATE '2024-01-31'"},
      {"TIMESTAMP '2024-02-30 00:00:00'",
       "1: '2024-02-30 00:00:00' is not a time; it is written TIMESTAMP '2024-01-31 10:00:00.000'"},
      {"TIMESTAMP '2024-01-01 00:00:00Z'",
       "1: TIMESTAMP '2024-01-01 00:00:00Z' names a zone, but TIMESTAMP has none; CAST('…' AS "
       "TIMESTAMP_LTZ(3)) takes one"},
      {"TIMESTAMP '2024-01-01 00:00:00.1234567'",
       "1: TIMESTAMP '2024-01-01 00:00:00.1234567' has more than 6 digits of a second"},
      {"v > 1 AND name IS UNKNOWN", "11: IS UNKNOWN takes a condition (BOOLEAN), not STRING"},
      {"COUNT(*)", "1: COUNT(*) is not supported: Braid joins streams, it does not aggregate them"},
      {"UPPER(*)", "1: UPPER does not take *"},
      {"EXISTS (SELECT 1 FROM r)",
       "1: EXISTS is possible as a condition of WHERE, alone or joined by AND; it becomes a semi "
       "join, NOT EXISTS an anti join"},
      {"v IN (SELECT id FROM r)",
       "3: IN (SELECT …) is possible as a condition of WHERE, alone or joined by AND; it becomes a "
       "semi join"},
      {"v = ANY (SELECT id FROM r)", "5: ANY does not take a subquery"},
      {"v = (SELECT id FROM r)", "5: a subquery as a value is not supported; join it in FROM"},
      {"(id, v)", "1: a row (a, b) is possible only left of IN (SELECT …)"},
      {"CAST(v)", "1: CAST is written CAST(value AS type)"},
      {"UPPER(name TO DAY)", "1: UPPER does not take TO; CEIL and FLOOR do"},
      {"UPPER(v AS INT)", "1: UPPER does not take AS; CAST and TRY_CAST do"},
  };
  ExpectBound(cases);
}

// The wording of these is engine/expression's; that they are found, and where, is the binder's.
TEST(ExpressionBinderTest, TypeErrorsHaveThePlaceOfTheOperator) {
  const std::vector<std::pair<std::string, int>> cases = {
      {"v + name", 3},
      {"id, v > 1 AND v + name > 2", 17},
      {"v AND TRUE", 1},
      {"NOT v", 5},
      {"v LIKE 'a'", 3},
      {"ts BETWEEN 1 AND 2", 4},
      {"SUM(v)", 1},
      {"1 + nope_function(v)", 5},
      {"CURRENT_TIME", 1},
      {"1 + FLOOR(ts TO DAY) || 1", 3},
      {"EXTRACT(FOO FROM ts)", 9},
      {"v || name", 3},
      {"TIMESTAMPADD(FOO, 1, ts)", 14},
      {"CAST(v AS DATE)", 1},
      {"CASE WHEN v THEN 1 END", 1},
  };
  for (const auto& [text, column] : cases) {
    const Result<Script> script = BindBehindTables("SELECT " + text + " FROM l");
    ASSERT_FALSE(script.has_value()) << text;
    EXPECT_EQ(script.error().code, ErrorCode::kInvalidQuery);
    EXPECT_EQ(script.error().place.column - 7, column) << text << ": " << script.error().message;
  }
}

TEST(ExpressionBinderTest, ExpressionsKnowTheirPlace) {
  const Result<Script> script = ParseScript(
      "CREATE TABLE t (a INT);\nSELECT a,\n  a / 0 AS b FROM t", FileOptions("job.sql"));
  ASSERT_TRUE(script.has_value()) << script.error().ToString();
  const Place& place = script->query->root->projections[1]->place;
  EXPECT_EQ(place.file, "job.sql");
  EXPECT_EQ(place.line, 3);
  EXPECT_EQ(place.column, 5);
}

}  // namespace
}  // namespace braid
