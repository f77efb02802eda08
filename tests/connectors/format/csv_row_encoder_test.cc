#include "engine/connectors/format/csv_row_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/connectors/format/decoding.h"

namespace braid {
namespace {

using testing::HasSubstr;

using OptionList = std::vector<std::pair<const char*, const char*>>;

TableDescription With(TableDescription table, const OptionList& options) {
  table.options["format"] = {"csv", {}};
  for (const auto& [name, value] : options) table.options[name] = {value, {}};
  return table;
}

TEST(CsvRowEncoderTest, WritesEveryTypeAsFormatValueDoes) {
  const TableDescription table = With(
      TableOf("a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h "
              "DECIMAL(10;2), i STRING, j BYTES, k DATE, l TIMESTAMP(3), m TIMESTAMP_LTZ(3), n "
              "TIMESTAMP(0), o TIMESTAMP(6), p DECIMAL(4;4)",
              {}),
      {});
  const std::string text =
      "true,-128,-32768,-2147483648,-9223372036854775808,1.5,0.1,-0.05,abc,QUI=,2024-02-29,"
      "2024-01-01 10:00:00.050,1969-12-31 23:59:59.999Z,2024-01-01 10:00:00,"
      "2024-01-01 10:00:00.000001,0.0100\n"
      "false,0,0,0,0,NaN,Infinity,12345678.90,x y,QQ==,0001-01-01,9999-12-31 00:00:00.000,"
      "2024-01-02 00:00:00.000Z,2024-01-01 23:59:59,2024-01-03 10:00:00.100000,-0.9999\n"
      ",,,,,,,,\"\",\"\",,,,,,\n"
      ",,,,,1e+20,-1e-07,,\"\",\"\",,,,,,\n";
  EXPECT_EQ(EncodeRows(table, DecodeRows(table, text)), text);
}

TEST(CsvRowEncoderTest, QuotesOnlyWhereItMust) {
  const TableDescription base = TableOf("id BIGINT, name STRING, other STRING", {});
  const struct {
    OptionList options;
    std::string text;
  } cases[] = {
      {{}, "1,a b,\"\"\n,\"a,b\",\"a\"\"b\"\n2,\"a\nb\",\"a\rb\"\n3,#,'\n"},
      {{{"delimiter", ";"}}, "1;a,b;\"a;b\"\n"},
      {{{"quote", "'"}}, "1,\"a\",'a''b'\n"},
      {{{"escape", "\\"}}, "1,\"a\\\\b\",\"a\"\"\"\n"},
      {{{"null-literal", ""}}, ",,\"\"\n"},
      {{{"null-literal", "NA"}}, "NA,NA,\"NA\"\n1,NAN,\"\"\n"},
      {{{"null-literal", "7"}}, "7,7,\"7\"\n\"7\",77,a\n"},
      {{{"comment", "#"}}, "1,#,a\n"},
      {{{"comment", "1"}}, "\"1\",1,a\n2,1,a\n"},
      {{{"delimiter", "-"}}, "\"-1\"-a-b\n1-a-b\n"},
      {{{"csv.disable-quote-character", "true"}}, "1,a\"b,\n"},
      {{{"quote", ""}, {"escape", "\\"}}, "1,a\\,b,a\\nb\\\\\n"},
      {{{"header", "true"}}, "id,name,other\n1,a,b\n"},
  };
  for (const auto& test : cases) {
    const TableDescription table = With(base, test.options);
    EXPECT_EQ(EncodeRows(table, DecodeRows(table, test.text)), test.text) << test.text;
  }
}

TEST(CsvRowEncoderTest, ARecordOfOneNullIsNoBlankLine) {
  const TableDescription table = With(TableOf("id BIGINT", {}), {});
  const RowBatch rows = DecodeRows(table, "\"\"\n1\n");
  EXPECT_EQ(EncodeRows(table, rows), "\"\"\n1\n");
}

TEST(CsvRowEncoderTest, IsoTimestampsOnRequest) {
  const TableDescription table = With(TableOf("a TIMESTAMP(3), b TIMESTAMP_LTZ(3)", {}),
                                      {{"csv.timestamp-format", "ISO-8601"}});
  const std::string text = "2024-01-01T10:00:00.500,2024-01-01T10:00:00.500Z\n";
  EXPECT_EQ(EncodeRows(table, DecodeRows(table, text)), text);
}

TEST(CsvRowEncoderTest, WhatCannotBeWrittenIsAnError) {
  const TableDescription reading = With(TableOf("name STRING, other STRING", {}), {});
  const struct {
    OptionList options;
    const char* text;
  } cases[] = {
      {{{"quote", ""}}, "\"a,b\",\n"},
      {{{"quote", ""}}, "\"a\nb\",\n"},
      {{{"quote", ""}, {"null-literal", "NA"}}, "NA,\n"},
  };
  for (const auto& test : cases) {
    EXPECT_THAT(EncodeRows(With(reading, test.options), DecodeRows(reading, test.text)),
                HasSubstr("cannot be written without quotes"));
  }
}

}  // namespace
}  // namespace braid
