#include "engine/connectors/format/json_row_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/connectors/format/decoding.h"

namespace braid {
namespace {

TEST(JsonRowEncoderTest, WritesWhatTheDecoderReads) {
  const TableDescription table = TableOf(
      "a BOOLEAN, b TINYINT, c BIGINT, d FLOAT, e DOUBLE, f DECIMAL(10;2), g STRING, h BYTES, i "
      "DATE, j TIMESTAMP(3), k TIMESTAMP_LTZ(3)",
      {{"format", "json"}});
  const std::string text =
      R"({"a":true,"b":-1,"c":9223372036854775807,"d":0.1,"e":1e+20,"f":-0.05,"g":"x","h":"QUI=",)"
      R"("i":"2024-02-29","j":"2024-01-31 10:00:00.500","k":"2024-01-31 10:00:00.500Z"})"
      "\n"
      R"({"a":null,"b":null,"c":null,"d":null,"e":null,"f":null,"g":null,"h":null,"i":null,)"
      R"("j":null,"k":null})"
      "\n"
      R"({"a":false,"b":0,"c":0,"d":"NaN","e":"-Infinity","f":0.00,"g":"\"\\\b\f\n\r\t\u0001é",)"
      R"("h":"","i":"1969-12-31","j":"1969-12-31 23:59:59.999","k":"1970-01-01 00:00:00.000Z"})"
      "\n";
  EXPECT_EQ(EncodeRows(table, DecodeRows(table, text)), text);
}

TEST(JsonRowEncoderTest, NullFieldsCanBeLeftOut) {
  const TableDescription table = TableOf(
      "a BIGINT, b STRING", {{"format", "json"}, {"json.encode.ignore-null-fields", "true"}});
  const std::string text = "{\"a\":1}\n{\"b\":\"x\"}\n{}\n{\"a\":1,\"b\":\"\"}\n";
  EXPECT_EQ(EncodeRows(table, DecodeRows(table, text)), text);
}

TEST(JsonRowEncoderTest, IsoTimestampsOnRequest) {
  const TableDescription table =
      TableOf("a TIMESTAMP(3), b TIMESTAMP_LTZ(0)",
              {{"format", "json"}, {"json.timestamp-format.standard", "ISO-8601"}});
  const std::string text = "{\"a\":\"2024-01-31T10:00:00.500\",\"b\":\"2024-01-31T10:00:00Z\"}\n";
  EXPECT_EQ(EncodeRows(table, DecodeRows(table, text)), text);
}

TEST(JsonRowEncoderTest, NamesAreEscapedAndInvalidBytesReplaced) {
  const TableDescription csv = TableOf("a\"b STRING", {{"format", "csv"}});
  const RowBatch rows = DecodeRows(csv, "x\xC3\xA9\xFFy\xE2\x82\n\xF0\x9F\x98\x80\n");
  const TableDescription json = TableOf("a\"b STRING", {{"format", "json"}});
  EXPECT_EQ(EncodeRows(json, rows),
            "{\"a\\\"b\":\"x\xC3\xA9\xEF\xBF\xBDy\xEF\xBF\xBD\xEF\xBF\xBD\"}\n"
            "{\"a\\\"b\":\"\xF0\x9F\x98\x80\"}\n");
}

}  // namespace
}  // namespace braid
