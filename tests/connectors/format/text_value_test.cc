#include "engine/connectors/format/text_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "braid/value.h"

namespace braid {
namespace {

std::string ReadAs(const DataType& type, std::string_view text,
                   TimestampStyle style = TimestampStyle::kAny, const char* zone = "UTC") {
  const TextReader reader(type, style, TimeZone::Find(zone).value());
  ColumnBuilder builder(type);
  if (!reader.Append(text, &builder)) {
    EXPECT_EQ(builder.length(), 0);
    return "bad";
  }
  return FormatValue(ValueAt(builder.Finish(), 0));
}

TEST(TextValueTest, ReadsWhatATypeCanHoldAndRefusesTheRest) {
  const struct {
    DataType type;
    const char* text;
    const char* expected;
  } cases[] = {
      {DataType::TinyInt(), "-128", "-128"},
      {DataType::TinyInt(), "128", "bad"},
      {DataType::SmallInt(), "32767", "32767"},
      {DataType::SmallInt(), "-32769", "bad"},
      {DataType::Int(), "2147483647", "2147483647"},
      {DataType::Int(), "2147483648", "bad"},
      {DataType::BigInt(), "9223372036854775807", "9223372036854775807"},
      {DataType::BigInt(), "-9223372036854775808", "-9223372036854775808"},
      {DataType::BigInt(), "9223372036854775808", "bad"},
      {DataType::BigInt(), "+7", "7"},
      {DataType::BigInt(), "+-7", "bad"},
      {DataType::BigInt(), " 7 ", "7"},
      {DataType::BigInt(), "7 8", "bad"},
      {DataType::BigInt(), "", "bad"},
      {DataType::BigInt(), "-", "bad"},
      {DataType::BigInt(), "1.0", "bad"},
      {DataType::BigInt(), "0x10", "bad"},
      {DataType::BigInt(), "007", "7"},
      {DataType::Double(), "1.5", "1.5"},
      {DataType::Double(), "-1e3", "-1000.0"},
      {DataType::Double(), " +.5 ", "0.5"},
      {DataType::Double(), "5.", "5.0"},
      {DataType::Double(), "9007199254740993", "9007199254740992.0"},
      {DataType::Double(), "0.1e-400", "0.0"},
      {DataType::Double(), "1e400", "bad"},
      {DataType::Double(), "NaN", "NaN"},
      {DataType::Double(), "Infinity", "Infinity"},
      {DataType::Double(), "-Infinity", "-Infinity"},
      {DataType::Double(), "-inf", "-Infinity"},
      {DataType::Double(), "1.5x", "bad"},
      {DataType::Double(), ".", "bad"},
      {DataType::Double(), "", "bad"},
      {DataType::Float(), "16777217", "16777216.0"},
      {DataType::Float(), "1e39", "bad"},
      {DataType::Decimal(5, 2), "123.45", "123.45"},
      {DataType::Decimal(5, 2), "-123.455", "-123.46"},
      {DataType::Decimal(5, 2), "123.4549", "123.45"},
      {DataType::Decimal(5, 2), "999.995", "bad"},
      {DataType::Decimal(5, 2), "1000", "bad"},
      {DataType::Decimal(5, 2), "1.2e2", "120.00"},
      {DataType::Decimal(5, 2), "5e-3", "0.01"},
      {DataType::Decimal(5, 2), "4e-3", "0.00"},
      {DataType::Decimal(5, 2), "9e-4", "0.00"},
      {DataType::Decimal(5, 2), "0000000000000000000000123.4", "123.40"},
      {DataType::Decimal(5, 2), "0e999999999", "0.00"},
      {DataType::Decimal(5, 2), "1e999999999", "bad"},
      {DataType::Decimal(5, 2), "1e-999999999", "0.00"},
      {DataType::Decimal(5, 2), "1e", "bad"},
      {DataType::Decimal(5, 2), ".", "bad"},
      {DataType::Decimal(5, 2), "1,5", "bad"},
      {DataType::Decimal(18, 0), "999999999999999999", "999999999999999999"},
      {DataType::Decimal(18, 0), "1000000000000000000", "bad"},
      {DataType::Decimal(18, 0), "99999999999999999999999", "bad"},
      {DataType::Decimal(4, 4), "0.12345", "0.1235"},
      {DataType::Decimal(4, 4), "0.99995", "bad"},
      {DataType::Boolean(), "true", "true"},
      {DataType::Boolean(), " FALSE ", "false"},
      {DataType::Boolean(), "yes", "bad"},
      {DataType::Boolean(), "1", "bad"},
      {DataType::Date(), "2024-02-29", "2024-02-29"},
      {DataType::Date(), "2023-02-29", "bad"},
      {DataType::Date(), "2024-01-01 00:00:00", "bad"},
      {DataType::Timestamp(3), "2024-01-31 12:34:56.789", "2024-01-31 12:34:56.789"},
      {DataType::Timestamp(3), "2024-01-31T12:34:56.7899", "2024-01-31 12:34:56.789"},
      {DataType::Timestamp(3), "1969-12-31 23:59:59.9999", "1969-12-31 23:59:59.999"},
      {DataType::Timestamp(6), "2024-01-31 12:34:56.123456789", "2024-01-31 12:34:56.123456"},
      {DataType::Timestamp(0), "2024-01-31 12:34:56.9", "2024-01-31 12:34:56"},
      {DataType::Timestamp(3), "2024-01-31", "2024-01-31 00:00:00.000"},
      {DataType::Timestamp(3), "2024-01-31T12:00:00Z", "2024-01-31 12:00:00.000"},
      {DataType::Timestamp(3), "2024-01-31T12:00:00+02:00", "2024-01-31 10:00:00.000"},
      {DataType::Timestamp(3), "2024-01-31 24:00:00", "bad"},
      {DataType::Timestamp(3), "31.01.2024", "bad"},
      {DataType::TimestampLtz(3), "2024-01-31 12:00:00-01:30", "2024-01-31 13:30:00.000Z"},
      {DataType::String(), " as it is ", " as it is "},
      {DataType::Bytes(), "", ""},
      {DataType::Bytes(), "QUI=", "AB"},
      {DataType::Bytes(), "QUJD", "ABC"},
      {DataType::Bytes(), "QQ==", "A"},
      {DataType::Bytes(), "QQ=", "bad"},
      {DataType::Bytes(), "Q===", "bad"},
      {DataType::Bytes(), "QU!D", "bad"},
      {DataType::Bytes(), "QQ==QQ==", "bad"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(ReadAs(test.type, test.text), test.expected)
        << test.type.ToString() << " '" << test.text << "'";
  }
}

TEST(TextValueTest, AStyleAdmitsOnlyItsOwnSeparator) {
  const DataType type = DataType::Timestamp(0);
  const char* sql = "2024-01-31 12:00:00";
  const char* iso = "2024-01-31T12:00:00";
  EXPECT_EQ(ReadAs(type, sql, TimestampStyle::kSql), sql);
  EXPECT_EQ(ReadAs(type, iso, TimestampStyle::kSql), "bad");
  EXPECT_EQ(ReadAs(type, sql, TimestampStyle::kIso8601), "bad");
  EXPECT_EQ(ReadAs(type, iso, TimestampStyle::kIso8601), sql);
}

TEST(TextValueTest, OnlyLocalTimesOfAnLtzColumnAreOfTheSession) {
  const char* text = "2024-07-01 12:00:00";
  const char* zone = "Europe/Berlin";
  EXPECT_EQ(ReadAs(DataType::TimestampLtz(0), text, TimestampStyle::kAny, zone),
            "2024-07-01 10:00:00Z");
  EXPECT_EQ(ReadAs(DataType::TimestampLtz(0), "2024-07-01 12:00:00Z", TimestampStyle::kAny, zone),
            "2024-07-01 12:00:00Z");
  EXPECT_EQ(ReadAs(DataType::Timestamp(0), text, TimestampStyle::kAny, zone),
            "2024-07-01 12:00:00");
  // Beyond the system's tables, which end in 2037.
  EXPECT_EQ(ReadAs(DataType::TimestampLtz(0), "2060-07-01 12:00:00", TimestampStyle::kAny, zone),
            "2060-07-01 10:00:00Z");
}

}  // namespace
}  // namespace braid
