#include "engine/connectors/format/value_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "braid/value.h"
#include "engine/connectors/format/text_value.h"

namespace braid {
namespace {

// Each value as FormatValue prints it.
template <typename T>
void ExpectAsFormatValue(const DataType& type, const std::vector<T>& values) {
  ColumnBuilder builder(type);
  for (const T value : values) builder.Append<T>(value);
  const Column column = builder.Finish();
  ValueWriter writer(column, TimestampStyle::kAny);
  for (int64_t row = 0; row < column.length(); ++row) {
    char text[ValueWriter::kBytesMax];
    char* end = writer.Write(row, text);
    ASSERT_EQ(std::string(text, end), FormatValue(ValueAt(column, row))) << type.ToString();
  }
}

template <typename T>
std::vector<T> IntegersOfAllLengths() {
  std::mt19937_64 random(31);
  std::vector<T> values = {0, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  for (int count = 0; count < 2000; ++count) {
    values.push_back(static_cast<T>(static_cast<int64_t>(random()) >> (random() % 64)));
  }
  for (int64_t power = 1; power <= 100'000'000'000'000'000; power *= 10) {
    for (const int64_t value : {power - 1, power, power + 1, -power}) {
      values.push_back(static_cast<T>(value));
    }
  }
  return values;
}

TEST(ValueWriterTest, WritesIntegersAndDecimals) {
  ExpectAsFormatValue(DataType::TinyInt(), IntegersOfAllLengths<int8_t>());
  ExpectAsFormatValue(DataType::SmallInt(), IntegersOfAllLengths<int16_t>());
  ExpectAsFormatValue(DataType::Int(), IntegersOfAllLengths<int32_t>());
  ExpectAsFormatValue(DataType::BigInt(), IntegersOfAllLengths<int64_t>());
  for (const int scale : {0, 1, 2, 17, 18}) {
    ExpectAsFormatValue(DataType::Decimal(18, static_cast<uint8_t>(scale)),
                        IntegersOfAllLengths<int64_t>());
  }
}

TEST(ValueWriterTest, WritesTheShortestNumbersThatReadBackTheSame) {
  std::mt19937_64 random(32);
  std::vector<double> values = {0.0,
                                -0.0,
                                1e-3,
                                9.99e-4,
                                1e10,
                                1e11,
                                99999999999.9999,
                                1e15,
                                1e16,
                                1e17,
                                0.1,
                                0.3,
                                0.1 + 0.2,
                                5e-324,
                                1e308,
                                1.005,
                                2.675,
                                123456789.12345,
                                std::nextafter(0.5, 1)};
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  values.push_back(-std::numeric_limits<double>::infinity());
  for (int count = 0; count < 20000; ++count) {
    const double digits = static_cast<double>(static_cast<int64_t>(random()) >> (random() % 63));
    values.push_back(digits / std::pow(10, static_cast<double>(random() % 7)));
    values.push_back(std::nextafter(values.back(), 0));
  }
  ExpectAsFormatValue(DataType::Double(), values);
  std::vector<float> floats(values.begin(), values.end());
  ExpectAsFormatValue(DataType::Float(), floats);
}

TEST(ValueWriterTest, WritesTimesAndBooleans) {
  std::mt19937_64 random(33);
  std::vector<int64_t> micros = {0, -1, 999'999, 253'402'300'799'999'999};
  std::vector<int32_t> days = {0, -1, 19'782, -719'162};
  for (int count = 0; count < 5000; ++count) {
    micros.push_back(static_cast<int64_t>(random()) >> (10 + random() % 50));
    days.push_back(static_cast<int32_t>(random() % 2'000'000) - 700'000);
  }
  for (const int precision : {0, 1, 3, 6}) {
    const uint8_t digits = static_cast<uint8_t>(precision);
    ExpectAsFormatValue(DataType::Timestamp(digits), micros);
    ExpectAsFormatValue(DataType::TimestampLtz(digits), micros);
  }
  ExpectAsFormatValue(DataType::Date(), days);
  ExpectAsFormatValue(DataType::Boolean(), std::vector<uint8_t>{0, 1});
}

}  // namespace
}  // namespace braid
