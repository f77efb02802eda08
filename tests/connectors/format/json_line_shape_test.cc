#include "engine/connectors/format/json_line_shape.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/connectors/format/decoding.h"

namespace braid {
namespace {

int ColumnOf(std::string_view name) { return name == "a" ? 0 : name == "b" ? 1 : -1; }

// With the bytes that may be read behind it.
bool Fits(const JsonLineShape& shape, const std::string& line,
          std::vector<JsonLineShape::Value>* values) {
  const std::string padded = line + std::string(JsonLineShape::kReadableBehind, '\n');
  return shape.Read(std::string_view(padded).substr(0, line.size()), values);
}

TEST(JsonLineShapeTest, LinesThatDifferInTheirNumbersAloneFit) {
  JsonLineShape shape({DataType::BigInt(), DataType::Double()});
  const std::string learnt = R"({"a": 1,"x":2e3, "b":3.5 }  )";
  shape.Learn(learnt, ColumnOf);
  ASSERT_TRUE(shape.is_known());
  std::vector<JsonLineShape::Value> values(2);
  ASSERT_TRUE(Fits(shape, R"({"a": -123456789012345678,"x":0, "b":-0.25 }  )", &values));
  int64_t a = 0;
  double b = 0;
  std::memcpy(&a, values[0].bytes, sizeof(a));
  std::memcpy(&b, values[1].bytes, sizeof(b));
  EXPECT_EQ(a, -123456789012345678);
  EXPECT_EQ(b, -0.25);
  for (const char* other :
       {"", "{", R"({"a": 1})", R"({"a": 1,"x":2, "b":3})", R"({"a": 1,"x":2, "b":3.5 } )",
        R"({"a": 1,"x":2, "b":3.5 }  x)", R"({"A": 1,"x":2, "b":3.5 }  )",
        R"({"a": 1,"x":2, "b":3. }  )", R"({"a": 1,"x":2, "b":.5 }  )",
        R"({"a": ,"x":2, "b":3.5 }  )", R"({"a": 01,"x":2, "b":3.5 }  )",
        R"({"a": 1.0,"x":2, "b":3.5 }  )", R"({"a": 1,"x":2, "b":null }  )"}) {
    EXPECT_FALSE(Fits(shape, other, &values)) << other;
  }
}

TEST(JsonLineShapeTest, SomeLinesHaveNoShape) {
  for (const char* line :
       {"{}", R"({"a":1})", R"({"a":1,"b":2,"a":3})", R"({"a":1,"b":null})", R"({"a":1,"b":"2"})",
        R"({"a":1,"b":2,"c":"3"})", R"({"a":1,"\u0062":2})", R"({"a":[1],"b":2})"}) {
    JsonLineShape shape({DataType::BigInt(), DataType::Double()});
    shape.Learn(line, ColumnOf);
    EXPECT_FALSE(shape.is_known()) << line;
  }
  JsonLineShape texts({DataType::BigInt(), DataType::String()});
  texts.Learn(R"({"a":1,"b":2})", ColumnOf);
  EXPECT_FALSE(texts.is_known());
}

TEST(JsonLineShapeTest, ALineReadsAsIfItStoodAlone) {
  const char* const values[] = {"0",
                                "-0",
                                "7",
                                "-128",
                                "128",
                                "40000",
                                "01",
                                "-",
                                "+1",
                                "1.",
                                ".5",
                                "1.5",
                                "-1.25",
                                "1e3",
                                "1E-2",
                                "1.0",
                                "1 ",
                                " 1",
                                "12345678",
                                "1x",
                                "\"5\"",
                                "true",
                                "null",
                                "",
                                "123456789012345678",
                                "1234567890123456789",
                                "9223372036854775807",
                                "-9223372036854775808",
                                "9223372036854775808",
                                "12345678901234567890123456789",
                                "0.1",
                                "83.26",
                                "0.000001",
                                "123456789.123456789",
                                "9007199254740993",
                                "1.23456789012345678",
                                "1e400",
                                "1,\"b\":2"};
  for (const char* type : {"TINYINT", "SMALLINT", "INT", "BIGINT", "DOUBLE", "FLOAT", "STRING"}) {
    const TableDescription table =
        TableOf(fmt::format("a {}, n BIGINT", type), {{"format", "json"}, {"bad-records", "null"}});
    for (const char* value : values) {
      const std::string line = fmt::format("{{\"a\":{},\"n\":3}}\n", value);
      const std::string before = "{\"a\":1,\"n\":2}\n";
      const Decoded alone = DecodeText(table, line);
      const Decoded behind = DecodeText(table, before + line + before);
      const size_t num_rows = alone.rows.size();
      ASSERT_EQ(behind.rows.size(), num_rows + 2) << type << " " << value;
      if (num_rows > 0) {
        EXPECT_EQ(behind.rows[1], alone.rows[0]) << type << " " << value;
      }
      EXPECT_EQ(behind.num_bad, alone.num_bad) << type << " " << value;
    }
  }
}

TEST(JsonLineShapeTest, DoublesAreReadExactly) {
  std::mt19937_64 random(5);
  JsonLineShape shape({DataType::BigInt(), DataType::Double()});
  shape.Learn(R"({"a":1,"b":2})", ColumnOf);
  std::vector<JsonLineShape::Value> values(2);
  int fitting = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string text = fmt::format("{}", random() >> (random() % 60));
    const size_t point = 1 + random() % text.size();
    if (text[0] == '0') text = "0";
    if (point < text.size()) text.insert(point, ".");
    if (!Fits(shape, fmt::format("{{\"a\":1,\"b\":{}}}", text), &values)) continue;
    ++fitting;
    double read = 0;
    std::memcpy(&read, values[1].bytes, sizeof(read));
    EXPECT_EQ(read, std::stod(text)) << text;
  }
  EXPECT_GT(fitting, 1'000);
}

TEST(JsonLineShapeTest, AKindThatIsANumberIsBad) {
  const TableDescription table = TableOf(
      "a BIGINT", {{"format", "json"}, {"changelog.column", "op"}, {"bad-records", "drop"}});
  const Decoded decoded = DecodeText(table, "{\"a\":1,\"op\":1}\n{\"a\":2,\"op\":1}\n");
  EXPECT_EQ(decoded.rows.size(), 0U);
  EXPECT_EQ(decoded.num_bad, 2);
}

}  // namespace
}  // namespace braid
