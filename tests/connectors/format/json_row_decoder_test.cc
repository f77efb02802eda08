#include "engine/connectors/format/json_row_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/connectors/format/decoding.h"
#include "tests/connectors/format/random_csv.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JsonRowDecoderTest, FindsColumnsByName) {
  const TableDescription table = TableOf("id BIGINT, name STRING", {{"format", "json"}});
  const struct {
    const char* name;
    const char* text;
    std::vector<std::string> rows;
  } cases[] = {
      {"any order", R"({"name":"a","id":1})", {"1|a"}},
      {"more fields", R"({"x":{"id":9},"id":1,"y":[1,2],"name":"a"})", {"1|a"}},
      {"missing", R"({"name":"a"})", {"NULL|a"}},
      {"null", R"({"id":null,"name":null})", {"NULL|NULL"}},
      {"empty object", "{}", {"NULL|NULL"}},
      {"other case", R"({"ID":1,"Name":"a"})", {"1|a"}},
      {"exact first", R"({"ID":2,"id":1,"Id":3,"name":"a"})", {"1|a"}},
      {"duplicate", R"({"id":1,"id":2,"name":"a","name":"b"})", {"2|b"}},
      {"escaped name", R"({"i\u0064":1,"na\u006de":"a"})", {"1|a"}},
      {"names at changing places",
       "{\"id\":1,\"name\":\"a\"}\n{\"name\":\"b\",\"id\":2}\n{\"idx\":0,\"id\":3}\n{\"i\":0}",
       {"1|a", "2|b", "3|NULL", "NULL|NULL"}},
      {"blanks",
       " { \"id\" : 1 , \"name\" : \"a\" } \r\n \n\n\t\r\n{\"id\":2}\n",
       {"1|a", "2|NULL"}},
      {"byte order mark", "\xEF\xBB\xBF{\"id\":1}\n", {"1|NULL"}},
      {"array", R"([{"id":1},{"id":2,"name":"b"}])", {"1|NULL", "2|b"}},
      {"empty array", "[]", {}},
      {"no text", "", {}},
  };
  for (const auto& test : cases) {
    for (const size_t bytes_a_call : {0, 1, 9}) {
      const Decoded decoded = DecodeText(table, test.text, {bytes_a_call, false, {}, nullptr});
      EXPECT_THAT(decoded.rows, ElementsAreArray(test.rows)) << test.name;
      EXPECT_EQ(decoded.error, "") << test.name;
    }
  }
}

// Inner values are skipped or kept as text, without recursion.
TEST(JsonRowDecoderTest, NestingHasNoLimit) {
  const TableDescription table = TableOf("id BIGINT, name STRING", {{"format", "json"}});
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Decoded decoded =
      DecodeText(table, "{\"other\":" + deep + ",\"id\":1}\n{\"id\":2,\"name\":" + deep + "}\n");
  EXPECT_EQ(decoded.error, "");
  EXPECT_THAT(decoded.rows, ElementsAre("1|NULL", "2|" + deep));
}

TEST(JsonRowDecoderTest, ReadsEveryTypeFromEveryKindOfValue) {
  const struct {
    const char* type;
    const char* value;
    const char* expected;
  } cases[] = {
      {"BIGINT", "9223372036854775807", "9223372036854775807"},
      {"BIGINT", "-9223372036854775808", "-9223372036854775808"},
      {"BIGINT", "9223372036854775808", "bad"},
      {"BIGINT", "1.0", "1"},
      {"BIGINT", "1e3", "1000"},
      {"BIGINT", "1.5", "bad"},
      {"BIGINT", "9007199254740993.0", "bad"},
      {"BIGINT", "\"42\"", "42"},
      {"BIGINT", "\" 42 \"", "42"},
      {"BIGINT", "\"\"", "bad"},
      {"BIGINT", "true", "bad"},
      {"BIGINT", "[1]", "bad"},
      {"TINYINT", "127", "127"},
      {"TINYINT", "128", "bad"},
      {"SMALLINT", "-5", "-5"},
      {"INT", "2147483648", "bad"},
      {"INT", "7.0", "7"},
      {"DOUBLE", "1.5", "1.5"},
      {"DOUBLE", "1", "1.0"},
      {"DOUBLE", "\"NaN\"", "NaN"},
      {"DOUBLE", "\"-Infinity\"", "-Infinity"},
      {"DOUBLE", "1e400", "bad"},
      {"FLOAT", "0.1", "0.1"},
      {"DECIMAL(10;2)", "12345678.90", "12345678.90"},
      {"DECIMAL(18;0)", "123456789012345678", "123456789012345678"},
      {"DECIMAL(10;2)", "0.125", "0.13"},
      {"DECIMAL(10;2)", "1e8", "bad"},
      {"DECIMAL(10;2)", "\"1.5\"", "1.50"},
      {"BOOLEAN", "true", "true"},
      {"BOOLEAN", "\"FALSE\"", "false"},
      {"BOOLEAN", "1", "bad"},
      {"STRING", "\"a\\u00e9\\n\\ud83d\\ude00\\\"\"", "a\xC3\xA9\n\xF0\x9F\x98\x80\""},
      {"STRING", "12.50", "12.50"},
      {"STRING", "123456789012345678901234567890", "123456789012345678901234567890"},
      {"STRING", "true", "true"},
      {"STRING", "{\"a\": [1, \"x\"]}", "{\"a\": [1, \"x\"]}"},
      {"STRING", "[1, {}] ", "[1, {}]"},
      {"BYTES", "\"QUI=\"", "AB"},
      {"BYTES", "\"?\"", "bad"},
      {"BYTES", "1", "bad"},
      {"DATE", "\"2024-02-29\"", "2024-02-29"},
      {"DATE", "20240229", "bad"},
      {"TIMESTAMP(3)", "\"2024-01-31 10:00:00.5\"", "2024-01-31 10:00:00.500"},
      {"TIMESTAMP(3)", "\"2024-01-31T10:00:00\"", "2024-01-31 10:00:00.000"},
      {"TIMESTAMP(3)", "1706695200000", "bad"},
      {"TIMESTAMP_LTZ(3)", "\"2024-01-31 10:00:00Z\"", "2024-01-31 10:00:00.000Z"},
  };
  for (const auto& test : cases) {
    const TableDescription table =
        TableOf(std::string("v ") + test.type, {{"format", "json"}, {"bad-records", "drop"}});
    const std::string text = std::string("{\"u\":0,\"v\":") + test.value + ",\"w\":0}";
    const Decoded decoded = DecodeText(table, text);
    EXPECT_EQ(decoded.rows.empty() ? "bad" : decoded.rows[0], test.expected)
        << test.type << " " << test.value;
    EXPECT_EQ(decoded.num_bad, decoded.rows.empty() ? 1 : 0);
  }
}

constexpr const char* kBadText =
    "{\"id\":1,\"name\":\"a\"}\n"
    "{\"id\":\"x\",\"name\":\"b\"}\n"
    "{\"id\":2,\"name\":\"c\"\n"
    "\n"
    "no json\n"
    "{\"id\":3}}\n"
    "7\n"
    "[{\"id\":4},5]\n"
    "{\"id\":5,\"name\":[1}\n"
    "{\"id\":6,\"name\":\"\xff\"}\n"
    "{\"id\":7,\"price\":1}\n"
    "{\"id\":08}\n"
    "{\"id\":9,\"name\":\"z\"}";

TEST(JsonRowDecoderTest, BadRecordsFailAreDroppedOrBecomeNull) {
  TableDescription table = TableOf("id BIGINT, name STRING", {{"format", "json"}});
  EXPECT_EQ(DecodeText(table, kBadText).error,
            "2: bad record: column id: 'x' is not a BIGINT ('bad-records' = 'drop' leaves such "
            "records out)");
  for (const size_t bytes_a_call : {0, 1}) {
    for (const bool is_null : {false, true}) {
      table.options["bad-records"] = {is_null ? "null" : "drop", {}};
      const Decoded decoded = DecodeText(table, kBadText, {bytes_a_call, false, {}, nullptr});
      std::vector<std::string> rows = {"1|a", "4|NULL", "7|NULL", "9|z"};
      if (is_null) rows.insert(rows.begin() + 1, "NULL|b");
      EXPECT_THAT(decoded.rows, ElementsAreArray(rows));
      EXPECT_THAT(
          decoded.bad,
          ElementsAre(
              HasSubstr("2: column id: 'x' is not a BIGINT: {"), HasSubstr("3: not valid JSON:"),
              "5: neither an object nor an array of objects: no json",
              HasSubstr("6: not valid JSON:"), "7: neither an object nor an array of objects: 7",
              HasSubstr("8: an element of the array is no object"), HasSubstr("9: not valid JSON:"),
              HasSubstr("10: not valid JSON:"), HasSubstr("12: not valid JSON:")));
    }
  }
}

TEST(JsonRowDecoderTest, MissingAndNullFieldsCanBeBad) {
  const char* text = "{\"id\":1}\n{\"id\":null,\"name\":\"b\"}\n{\"name\":\"c\"}\n";
  EXPECT_THAT(DecodeText(TableOf("id BIGINT NOT NULL, name STRING",
                                 {{"format", "json"}, {"bad-records", "null"}}),
                         text)
                  .rows,
              ElementsAre("1|NULL"));
  const Decoded missing = DecodeText(
      TableOf(
          "id BIGINT, name STRING",
          {{"format", "json"}, {"bad-records", "drop"}, {"json.fail-on-missing-field", "true"}}),
      text);
  EXPECT_THAT(missing.rows, ElementsAre("NULL|b"));
  EXPECT_THAT(missing.bad, ElementsAre("1: field name is missing: {\"id\":1}",
                                       "3: field id is missing: {\"name\":\"c\"}"));
}

TEST(JsonRowDecoderTest, ATimestampStyleCanBeFixed) {
  const TableDescription table =
      TableOf("t TIMESTAMP(0)", {{"format", "json"},
                                 {"bad-records", "drop"},
                                 {"json.timestamp-format.standard", "ISO-8601"}});
  EXPECT_THAT(
      DecodeText(table, "{\"t\":\"2024-01-31 10:00:00\"}\n{\"t\":\"2024-01-31T10:00:00\"}\n").rows,
      ElementsAre("2024-01-31 10:00:00"));
}

TEST(JsonRowDecoderTest, UnknownOptionsAreRefused) {
  EXPECT_THAT(OptionErrorOf(TableOf("id BIGINT", {{"format", "json"}, {"csv.header", "true"}})),
              HasSubstr("unknown option 'csv.header'"));
  EXPECT_THAT(
      OptionErrorOf(TableOf("id BIGINT", {{"format", "json"},
                                          {"json.ignore-parse-errors", "true"},
                                          {"json.map-null-key.mode", "DROP"},
                                          {"json.encode.decimal-as-plain-number", "true"}})),
      IsEmpty());
}

TEST(JsonRowDecoderTest, AFileGoesOnWhereItWasLeft) {
  const TableDescription table =
      TableOf("id BIGINT", {{"format", "json"}, {"bad-records", "drop"}});
  const std::unique_ptr<RowDecoder> decoder = DecoderOf(table, {0});
  EXPECT_FALSE(decoder->has_header());
  ASSERT_TRUE(decoder->ResumeFile("", 7));
  DecodeResult result;
  ASSERT_TRUE(decoder->Decode("{\"id\":1}\nx\n", true, &result));
  ASSERT_EQ(result.bad_records.size(), 1U);
  EXPECT_EQ(result.bad_records[0].line, 8);
  EXPECT_EQ(decoder->line(), 9);
}

TEST(JsonRowDecoderTest, AnyBytesAreReadOrReported) {
  RandomCsv random(21);
  TableDescription table = TableOf("id BIGINT, name STRING, price DOUBLE",
                                   {{"format", "json"}, {"bad-records", "null"}});
  const std::string sound = "{\"id\":1,\"name\":\"a\\u00e9\",\"price\":1.5}\n";
  for (int round = 0; round < 1000; ++round) {
    std::string text = sound + sound + sound;
    for (size_t changes = random.Below(4); changes > 0; --changes) {
      static constexpr std::string_view kLetters = "{}[]\",:\\u0-1.e\n ntf\xff";
      text[random.Below(text.size())] = kLetters[random.Below(kLetters.size())];
    }
    text.resize(text.size() - random.Below(40));
    const Decoded whole = DecodeText(table, text);
    const Decoded pieces =
        DecodeText(table, text, {1 + random.Below(50), random.OneIn(2), {}, nullptr});
    ASSERT_EQ(whole.rows, pieces.rows) << text;
    ASSERT_EQ(whole.bad, pieces.bad) << text;
    ASSERT_GE(whole.rows.size() + whole.bad.size(), 1U) << text;
  }
}

}  // namespace
}  // namespace braid
