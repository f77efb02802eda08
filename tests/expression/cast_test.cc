#include "engine/expression/cast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/expression/number_text.h"
#include "engine/expression/type_rules.h"
#include "state/rows/time_zone.h"
#include "tests/expression/expression_text.h"

namespace braid {
namespace {

using testing::ElementsAre;

struct CastCase {
  const char* from_type;
  std::string from;  // As text: read for texts, else built by ColumnFromText.
  const char* to_type;
  std::string to;  // "!" = cannot be cast.
};

// CAST and TRY_CAST of one value and of NULL.
void ExpectCasts(const std::vector<CastCase>& cases) {
  for (const CastCase& c : cases) {
    const std::string what = c.from + " (" + c.from_type + ") to " + c.to_type;
    const DataType from = TypeFromText(c.from_type);
    const TestTable table({{"x", from, {c.from, "NULL"}}});
    const std::string type = c.to_type;
    const std::vector<std::string> cast = table.Evaluate("CAST(x AS " + type + ")");
    const std::vector<std::string> tried = table.Evaluate("TRY_CAST(x AS " + type + ")");
    ASSERT_EQ(cast.size(), 2U) << what << ": " << cast[0];
    EXPECT_EQ(cast[1], "NULL") << what;
    EXPECT_EQ(tried[1], "NULL") << what;
    if (c.to == "!") {
      const std::string quote = from.is_variable_width() ? "'" : "";
      const std::string shown = table.Evaluate("x")[0];
      EXPECT_EQ(cast[0], "!cannot cast " + quote + shown + quote + " to " +
                             TypeFromText(c.to_type).ToString());
      EXPECT_EQ(tried[0], "NULL") << what;
    } else {
      EXPECT_EQ(cast[0], c.to) << what;
      EXPECT_EQ(tried[0], c.to) << what;
    }
  }
}

TEST(CastTest, BetweenIntegers) {
  ExpectCasts({
      {"INT", "127", "TINYINT", "127"},
      {"INT", "128", "TINYINT", "!"},
      {"INT", "-128", "TINYINT", "-128"},
      {"INT", "-129", "TINYINT", "!"},
      {"BIGINT", "32768", "SMALLINT", "!"},
      {"BIGINT", "2147483647", "INT", "2147483647"},
      {"BIGINT", "2147483648", "INT", "!"},
      {"BIGINT", "-9223372036854775808", "INT", "!"},
      {"TINYINT", "-1", "BIGINT", "-1"},
      {"BOOLEAN", "true", "INT", "1"},
      {"INT", "0", "BOOLEAN", "false"},
      {"INT", "-7", "BOOLEAN", "true"},
  });
}

TEST(CastTest, BetweenIntegersAndFloatingPoint) {
  ExpectCasts({
      {"DOUBLE", "1.9", "INT", "1"},
      {"DOUBLE", "-1.9", "INT", "-1"},
      {"DOUBLE", "127.9", "TINYINT", "127"},
      {"DOUBLE", "128.0", "TINYINT", "!"},
      {"DOUBLE", "-128.9", "TINYINT", "-128"},
      {"DOUBLE", "9223372036854774784", "BIGINT", "9223372036854774784"},
      {"DOUBLE", "9223372036854775808", "BIGINT", "!"},
      {"DOUBLE", "-9223372036854775808", "BIGINT", "-9223372036854775808"},
      {"DOUBLE", "NaN", "INT", "!"},
      {"DOUBLE", "Infinity", "BIGINT", "!"},
      {"FLOAT", "2147483648", "INT", "!"},
      {"BIGINT", "9007199254740993", "DOUBLE", "9007199254740992.0"},
      {"INT", "-3", "FLOAT", "-3.0"},
      {"DOUBLE", "0.1", "FLOAT", "0.1"},
      {"DOUBLE", "1e300", "FLOAT", "Infinity"},
      {"FLOAT", "0.5", "DOUBLE", "0.5"},
      {"DOUBLE", "0.0", "BOOLEAN", "false"},
      {"BOOLEAN", "true", "DOUBLE", "1.0"},
  });
}

TEST(CastTest, DecimalsRoundHalfUpAndMustFit) {
  ExpectCasts({
      {"INT", "5", "DECIMAL(3, 2)", "5.00"},
      {"INT", "10", "DECIMAL(3, 2)", "!"},
      {"BIGINT", "-9223372036854775808", "DECIMAL(18, 0)", "!"},
      {"DECIMAL(10, 3)", "1.005", "DECIMAL(10, 2)", "1.01"},
      {"DECIMAL(10, 3)", "-1.005", "DECIMAL(10, 2)", "-1.01"},
      {"DECIMAL(10, 3)", "1.004", "DECIMAL(10, 2)", "1.00"},
      {"DECIMAL(10, 3)", "9.995", "DECIMAL(3, 2)", "!"},
      {"DECIMAL(3, 2)", "9.99", "DECIMAL(18, 17)", "9.99000000000000000"},
      {"DECIMAL(3, 2)", "9.99", "DECIMAL(18, 18)", "!"},
      {"DECIMAL(10, 2)", "1.99", "INT", "1"},
      {"DECIMAL(10, 2)", "-1.99", "INT", "-1"},
      {"DECIMAL(10, 2)", "300.00", "TINYINT", "!"},
      {"DECIMAL(10, 2)", "0.01", "BOOLEAN", "true"},
      {"DECIMAL(10, 2)", "1.10", "DOUBLE", "1.1"},
      {"DECIMAL(18, 1)", "90071992547409930.1", "DOUBLE", "9.007199254740994e+16"},
      {"DOUBLE", "1.005", "DECIMAL(10, 2)", "1.01"},
      {"DOUBLE", "1e17", "DECIMAL(18, 0)", "100000000000000000"},
      {"DOUBLE", "1e18", "DECIMAL(18, 0)", "!"},
      {"DOUBLE", "NaN", "DECIMAL(18, 0)", "!"},
      {"FLOAT", "0.1", "DECIMAL(18, 17)", "0.10000000000000000"},
      {"BOOLEAN", "true", "DECIMAL(3, 1)", "1.0"},
  });
}

TEST(CastTest, TextToNumbersAndBooleans) {
  ExpectCasts({
      {"STRING", "42", "INT", "42"},
      {"STRING", " \t-42\n", "INT", "-42"},
      {"STRING", "+42", "BIGINT", "42"},
      {"STRING", "abc", "INT", "!"},
      {"STRING", "", "INT", "!"},
      {"STRING", "1.5", "INT", "!"},
      {"STRING", "1 2", "INT", "!"},
      {"STRING", "+-1", "INT", "!"},
      {"STRING", "128", "TINYINT", "!"},
      {"STRING", "9223372036854775808", "BIGINT", "!"},
      {"STRING", "-9223372036854775808", "BIGINT", "-9223372036854775808"},
      {"STRING", "1.5", "DOUBLE", "1.5"},
      {"STRING", "-1e-3", "DOUBLE", "-0.001"},
      {"STRING", "NaN", "DOUBLE", "NaN"},
      {"STRING", "-Infinity", "DOUBLE", "-Infinity"},
      {"STRING", "1e999", "DOUBLE", "!"},
      {"STRING", "1e-999", "DOUBLE", "0.0"},
      {"STRING", "1e39", "FLOAT", "!"},
      {"STRING", "0x10", "DOUBLE", "!"},
      {"STRING", "+-1", "DOUBLE", "!"},
      {"STRING", "12.345", "DECIMAL(5, 2)", "12.35"},
      {"STRING", "-12.345", "DECIMAL(5, 2)", "-12.35"},
      {"STRING", "1e2", "DECIMAL(5, 2)", "100.00"},
      {"STRING", "1000", "DECIMAL(5, 2)", "!"},
      {"STRING", ".5", "DECIMAL(5, 2)", "0.50"},
      {"STRING", "5.", "DECIMAL(5, 2)", "5.00"},
      {"STRING", ".", "DECIMAL(5, 2)", "!"},
      {"STRING", "1.2.3", "DECIMAL(5, 2)", "!"},
      {"STRING", "1e", "DECIMAL(5, 2)", "!"},
      {"STRING", "0.00000000000000000000000000000000000000000001", "DECIMAL(5, 2)", "0.00"},
      {"STRING", "99999999999999999999999999999999999999999999", "DECIMAL(18, 2)", "!"},
      {"STRING", "1e99999999999", "DECIMAL(18, 2)", "!"},
      {"STRING", "0e99999", "DECIMAL(18, 2)", "0.00"},
      {"STRING", "0.4999999999999999999999999999999999999999999", "DECIMAL(5, 0)", "0"},
      {"STRING", "100000000000000000000000000000e-28", "DECIMAL(5, 1)", "10.0"},
      {"STRING", "true", "BOOLEAN", "true"},
      {"STRING", " F ", "BOOLEAN", "false"},
      {"STRING", "1", "BOOLEAN", "true"},
      {"STRING", "No", "BOOLEAN", "false"},
      {"STRING", "truely", "BOOLEAN", "!"},
      {"STRING", "2", "BOOLEAN", "!"},
  });
}

TEST(CastTest, EverythingPrints) {
  ExpectCasts({
      {"BOOLEAN", "true", "STRING", "TRUE"},
      {"TINYINT", "-128", "STRING", "-128"},
      {"SMALLINT", "300", "STRING", "300"},
      {"INT", "70000", "STRING", "70000"},
      {"BIGINT", "-9223372036854775808", "STRING", "-9223372036854775808"},
      {"FLOAT", "0.1", "STRING", "0.1"},
      {"DOUBLE", "1.0", "STRING", "1.0"},
      {"DECIMAL(10, 2)", "-0.05", "STRING", "-0.05"},
      {"DATE", "2024-01-31", "STRING", "2024-01-31"},
      {"TIMESTAMP(3)", "2024-01-31 10:00:00.5", "STRING", "2024-01-31 10:00:00.500"},
      {"TIMESTAMP(0)", "1969-12-31 23:59:59", "STRING", "1969-12-31 23:59:59"},
      {"TIMESTAMP_LTZ(3)", "2024-01-31 10:00:00Z", "STRING", "2024-01-31 10:00:00.000Z"},
      {"STRING", "abc", "BYTES", "abc"},
      {"BYTES", "abc", "STRING", "abc"},
  });
}

TEST(CastTest, TextIsCutToTheLengthOfItsType) {
  ExpectCasts({
      {"STRING", "abcdef", "VARCHAR(3)", "abc"},
      {"STRING", "ab", "VARCHAR(3)", "ab"},
      {"STRING", "h\xc3\xa9llo", "VARCHAR(2)", "h\xc3\xa9"},
      {"INT", "12345", "VARCHAR(3)", "123"},
      {"DATE", "2024-01-31", "VARCHAR(7)", "2024-01"},
      {"BYTES", "abcdef", "VARBINARY(3)", "abc"},
      {"VARCHAR(5)", "abcdef", "VARCHAR(3)", "abc"},
  });
  const TestTable table({{"s", TypeFromText("VARCHAR(3)"), {"abc"}}});
  const Result<ExpressionPtr> wider = table.Parse("CAST(s AS VARCHAR(5))");
  ASSERT_TRUE(wider);
  EXPECT_EQ((*wider)->kind, ExpressionKind::kColumn) << "nothing to cut";
}

TEST(CastTest, BytesThatAreNotTextAreErrors) {
  const TestTable table({{"y", DataType::Bytes(), {"ok", "\xff", "\xc3", "\xed\xa0\x80"}}});
  const std::string error = "!cannot cast BYTES that are not UTF-8 to STRING";
  EXPECT_THAT(table.Evaluate("CAST(y AS STRING)"), ElementsAre("ok", error, error, error));
  EXPECT_THAT(table.Evaluate("TRY_CAST(y AS STRING)"), ElementsAre("ok", "NULL", "NULL", "NULL"));
}

TEST(CastTest, TextToTimes) {
  ExpectCasts({
      {"STRING", "2024-01-31 10:00:00.123456", "TIMESTAMP(3)", "2024-01-31 10:00:00.123"},
      {"STRING", " 2024-01-31T10:00 ", "TIMESTAMP(0)", "2024-01-31 10:00:00"},
      {"STRING", "2024-01-31", "TIMESTAMP(0)", "2024-01-31 00:00:00"},
      {"STRING", "2024-01-31 10:00:00+02:00", "TIMESTAMP(0)", "2024-01-31 08:00:00"},
      {"STRING", "2024-02-30 10:00:00", "TIMESTAMP(0)", "!"},
      {"STRING", "soon", "TIMESTAMP(0)", "!"},
      {"STRING", "2024-01-31 10:00:00", "TIMESTAMP_LTZ(0)", "2024-01-31 10:00:00Z"},
      {"STRING", "2024-01-31 10:00:00+02:00", "TIMESTAMP_LTZ(0)", "2024-01-31 08:00:00Z"},
      {"STRING", "1969-12-31 23:59:59.9999", "TIMESTAMP(3)", "1969-12-31 23:59:59.999"},
      {"STRING", "2024-01-31", "DATE", "2024-01-31"},
      {"STRING", "2024-01-31 23:59:59", "DATE", "2024-01-31"},
      {"STRING", "2024-01-32", "DATE", "!"},
      {"STRING", "20240131", "DATE", "!"},
  });
}

TEST(CastTest, BetweenTimes) {
  ExpectCasts({
      {"TIMESTAMP(6)", "2024-01-31 10:00:00.999999", "TIMESTAMP(3)", "2024-01-31 10:00:00.999"},
      {"TIMESTAMP(6)", "1969-12-31 23:59:59.999999", "TIMESTAMP(0)", "1969-12-31 23:59:59"},
      {"TIMESTAMP(3)", "2024-01-31 10:00:00.5", "TIMESTAMP(6)", "2024-01-31 10:00:00.500000"},
      {"TIMESTAMP(3)", "2024-01-31 10:00:00.5", "DATE", "2024-01-31"},
      {"TIMESTAMP(3)", "1969-12-31 10:00:00", "DATE", "1969-12-31"},
      {"DATE", "2024-01-31", "TIMESTAMP(3)", "2024-01-31 00:00:00.000"},
      {"DATE", "2024-01-31", "TIMESTAMP_LTZ(0)", "2024-01-31 00:00:00Z"},
      {"TIMESTAMP(3)", "2024-01-31 10:00:00.5", "TIMESTAMP_LTZ(0)", "2024-01-31 10:00:00Z"},
      {"TIMESTAMP_LTZ(3)", "2024-01-31 10:00:00.5Z", "TIMESTAMP(3)", "2024-01-31 10:00:00.500"},
  });
}

TEST(CastTest, LocalTimesGoThroughTheSessionZone) {
  const auto berlin = TimeZone::Find("Europe/Berlin");
  ASSERT_TRUE(berlin);
  EvaluationContext context;
  context.zone = berlin->get();
  const TestTable table({{"ltz", DataType::TimestampLtz(0), {"2024-07-01 22:30:00Z"}},
                         {"ts", DataType::Timestamp(0), {"2024-03-31 02:30:00"}},
                         {"day", DataType::Date(), {"2024-07-01"}},
                         {"s", DataType::String(), {"2024-07-01 00:00:00"}},
                         {"z", DataType::String(), {"2024-07-01 00:00:00Z"}}});
  struct ZoneCase {
    const char* expression;
    const char* value;
  };
  const ZoneCase cases[] = {
      {"CAST(ltz AS TIMESTAMP(0))", "2024-07-02 00:30:00"},
      {"CAST(ltz AS DATE)", "2024-07-02"},
      {"CAST(ts AS TIMESTAMP_LTZ(0))", "2024-03-31 01:30:00Z"},
      {"CAST(day AS TIMESTAMP_LTZ(0))", "2024-06-30 22:00:00Z"},
      {"CAST(s AS TIMESTAMP_LTZ(0))", "2024-06-30 22:00:00Z"},
      {"CAST(z AS TIMESTAMP_LTZ(0))", "2024-07-01 00:00:00Z"},
      {"CAST(s AS TIMESTAMP(0))", "2024-07-01 00:00:00"},
      {"CAST(z AS TIMESTAMP(0))", "2024-07-01 02:00:00"},
      {"CAST('2024-07-01 00:00:00' AS TIMESTAMP_LTZ(0))", "2024-06-30 22:00:00Z"},
      {"ltz > '2024-07-02 00:00:00'", "true"},
      {"ltz > '2024-07-01 22:31:00Z'", "false"},
      {"ts >= '2024-03-31 00:30:00Z'", "true"},
      {"ltz = ts", "false"},
      {"CAST(ltz AS STRING)", "2024-07-01 22:30:00Z"},
      {"TO_TIMESTAMP('2024-07-01 00:00:00')", "2024-07-01 00:00:00.000"},
      {"TO_TIMESTAMP('2024-07-01T00:00:00Z')", "2024-07-01 02:00:00.000"},
  };
  for (const ZoneCase& c : cases) {
    EXPECT_THAT(table.Evaluate(c.expression, context), ElementsAre(c.value)) << c.expression;
  }
}

TEST(CastTest, AnUntypedNullBecomesANullOfAnyType) {
  const TestTable table({{"x", DataType::Int(), {"1"}}});
  for (const char* type : {"BOOLEAN", "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE",
                           "DECIMAL(5, 2)", "STRING", "BYTES", "DATE", "TIMESTAMP(3)"}) {
    EXPECT_THAT(table.Evaluate(std::string("CAST(NULL AS ") + type + ")"), ElementsAre("NULL"))
        << type;
  }
}

TEST(CastTest, EveryPairOfTypesThatMayBeCastHasAKernel) {
  const DataType types[] = {
      DataType::Null(),         DataType::Boolean(),     DataType::TinyInt(),
      DataType::SmallInt(),     DataType::Int(),         DataType::BigInt(),
      DataType::Float(),        DataType::Double(),      DataType::Decimal(12, 3),
      DataType::Decimal(18, 6), DataType::String(),      DataType::Bytes(),
      DataType::Date(),         DataType::Timestamp(0),  DataType::Timestamp(6),
      DataType::TimestampLtz(), DataType::IntervalDay(), DataType::IntervalMonth(),
  };
  int pairs = 0;
  for (const DataType& from : types) {
    for (const DataType& to : types) {
      const ExpressionPtr column = MakeColumn(0, from);
      const Result<ExpressionPtr> cast = MakeCast(column, to);
      EXPECT_EQ(cast.has_value(), CanCast(from, to));
      if (!cast) continue;
      ++pairs;
      const Result<Evaluator> evaluator = Evaluator::Create(*cast);
      ASSERT_TRUE(evaluator);
      const std::vector<Column> columns = {ColumnFromText(from, {"NULL", "NULL"})};
      EvaluationContext context;
      const Column result = evaluator->Evaluate(columns, 2, &context);
      EXPECT_EQ(result.type(), to) << from.ToString() << " to " << to.ToString();
      EXPECT_EQ(result.null_count(), 2) << from.ToString() << " to " << to.ToString();
      EXPECT_TRUE(context.row_errors.empty());
    }
  }
  EXPECT_GT(pairs, 140);
}

}  // namespace
}  // namespace braid
