#include "braid/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "braid/column_builder.h"

namespace braid {
namespace {

constexpr int64_t kMicrosADay = 86'400'000'000;

TEST(ValueTest, FormatsEveryTypeAsTheCsvFormatPrintsIt) {
  const double infinity = std::numeric_limits<double>::infinity();
  struct Case {
    Value value;
    const char* text;
  };
  const Case cases[] = {
      {Value::Null(DataType::Int()), "NULL"},
      {Value::Boolean(true), "true"},
      {Value::Boolean(false), "false"},
      {{DataType::TinyInt(), int64_t{-128}}, "-128"},
      {Value::BigInt(std::numeric_limits<int64_t>::min()), "-9223372036854775808"},
      {{DataType::Decimal(10, 2), int64_t{1250}}, "12.50"},
      {{DataType::Decimal(10, 2), int64_t{-5}}, "-0.05"},
      {{DataType::Decimal(5, 0), int64_t{-50}}, "-50"},
      {{DataType::Decimal(18, 18), int64_t{1}}, "0.000000000000000001"},
      {{DataType::Double(), 1.0}, "1.0"},
      {{DataType::Double(), -0.0}, "-0.0"},
      {{DataType::Double(), 0.1}, "0.1"},
      {{DataType::Double(), 1e300}, "1e+300"},
      {{DataType::Double(), std::nan("")}, "NaN"},
      {{DataType::Double(), infinity}, "Infinity"},
      {{DataType::Double(), -infinity}, "-Infinity"},
      {{DataType::Float(), double{0.1F}}, "0.1"},
      {Value::String("a, b"), "a, b"},
      {Value::String(""), ""},
      {{DataType::Date(), int64_t{0}}, "1970-01-01"},
      {{DataType::Date(), int64_t{-1}}, "1969-12-31"},
      {{DataType::Timestamp(0), int64_t{1'999'999}}, "1970-01-01 00:00:01"},
      {{DataType::Timestamp(3), int64_t{1'500'000}}, "1970-01-01 00:00:01.500"},
      {{DataType::Timestamp(6), int64_t{-1}}, "1969-12-31 23:59:59.999999"},
      {{DataType::Timestamp(3), 19'723 * kMicrosADay}, "2024-01-01 00:00:00.000"},
      {{DataType::TimestampLtz(3), int64_t{7'000}}, "1970-01-01 00:00:00.007Z"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(FormatValue(c.value), c.text) << c.value.type.ToString();
  }
}

TEST(ValueTest, AColumnGivesBackTheValuesItWasBuiltFrom) {
  const Value values[] = {
      Value::Boolean(true),
      {DataType::TinyInt(), int64_t{-7}},
      {DataType::SmallInt(), int64_t{-300}},
      {DataType::Int(), int64_t{-70'000}},
      Value::BigInt(int64_t{1} << 40),
      {DataType::Float(), 0.5},
      {DataType::Double(), -2.25},
      {DataType::Decimal(6, 2), int64_t{-199}},
      Value::String("näher"),
      {DataType::Bytes(), std::string("\0\xff", 2)},
      {DataType::Date(), int64_t{-3}},
      {DataType::Timestamp(6), int64_t{-1'000'001}},
      {DataType::TimestampLtz(3), int64_t{5'000}},
      {DataType::IntervalDay(), int64_t{-60'000'000}},
      {DataType::IntervalMonth(), int64_t{14}},
  };
  for (const Value& value : values) {
    SCOPED_TRACE(value.type.ToString());
    const Column column = ConstantColumn(value, 3);
    ASSERT_EQ(column.length(), 3);
    EXPECT_EQ(column.null_count(), 0);
    EXPECT_EQ(ValueAt(column, 2), value);
    const Column nulls = ConstantColumn(Value::Null(value.type), 3);
    EXPECT_EQ(nulls.null_count(), 3);
    EXPECT_EQ(ValueAt(nulls, 2), Value::Null(value.type));
  }
}

TEST(ValueTest, TypesPrintAsSqlWritesThem) {
  EXPECT_EQ(DataType::Decimal(10, 2).ToString(), "DECIMAL(10, 2)");
  EXPECT_EQ(DataType::TimestampLtz(6).ToString(), "TIMESTAMP_LTZ(6)");
  DataType limited = DataType::String();
  limited.length = 8;
  EXPECT_EQ(limited.ToString(), "VARCHAR(8)");
  EXPECT_EQ(limited, DataType::String()) << "a length limit is no part of a type's identity";
}

TEST(ValueTest, SchemaFindsTheFirstColumnOfExactlyThatName) {
  const Schema schema{
      {{"id", DataType::BigInt()}, {"ts", DataType::Timestamp()}, {"id", DataType::Int()}}};
  EXPECT_EQ(schema.IndexOf("id"), 0);
  EXPECT_EQ(schema.IndexOf("ID"), std::nullopt);
  EXPECT_EQ(schema.ToString(), "id BIGINT, ts TIMESTAMP(3), id INT");
}

}  // namespace
}  // namespace braid
