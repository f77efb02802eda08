#include "engine/connectors/format/csv_row_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/connectors/format/decoding.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

TEST(CsvRowDecoderTest, HeadersAndLineEndsNeverBecomeRows) {
  const struct {
    const char* name;
    const char* text;
    std::vector<std::string> rows;
    int64_t line;
  } cases[] = {
      {"plain", "id,name\n1,a\n2,b\n", {"1|a", "2|b"}, 4},
      {"empty file", "", {}, 1},
      {"header only", "id,name\n", {}, 2},
      {"header only, no line end", "id,name", {}, 1},
      {"byte order mark", "\xEF\xBB\xBFid,name\n1,a\n", {"1|a"}, 3},
      {"byte order mark only", "\xEF\xBB\xBF", {}, 1},
      {"carriage returns", "id,name\r\n1,a\r\n", {"1|a"}, 3},
      {"no final line end", "id,name\n1,a", {"1|a"}, 2},
      {"no final line end, carriage return", "id,name\r\n1,a\r", {"1|a"}, 2},
      {"blank lines", "\n\nid,name\n\n1,a\n\r\n\n2,b\n\n", {"1|a", "2|b"}, 10},
      {"order and more columns", "x,name,y,id\n-,a,-,1\n", {"1|a"}, 3},
      {"other case", "ID,Name\n1,a\n", {"1|a"}, 3},
      {"exact name first", "ID,id,NAME,name\n9,1,z,a\n", {"1|a"}, 3},
      {"quoted names", "\"id\",\"name\"\n1,a\n", {"1|a"}, 3},
  };
  const TableDescription table =
      TableOf("id BIGINT, name STRING", {{"format", "csv"}, {"csv.header", "true"}});
  for (const auto& test : cases) {
    for (const size_t bytes_a_call : {0, 1, 7}) {
      const Decoded decoded = DecodeText(table, test.text, {bytes_a_call, false, {}, nullptr});
      EXPECT_THAT(decoded.rows, ElementsAreArray(test.rows)) << test.name;
      EXPECT_EQ(decoded.error, "") << test.name;
      EXPECT_EQ(decoded.line, test.line) << test.name;
    }
  }
}

TEST(CsvRowDecoderTest, AHeaderThatDoesNotFitIsAnError) {
  const TableDescription table = TableOf(
      "id BIGINT, name STRING", {{"format", "csv"}, {"header", "true"}, {"bad-records", "drop"}});
  EXPECT_EQ(DecodeText(table, "\nid,nam\n1,a\n").error,
            "2: the header has no column 'name'; its columns are: id, nam");
  EXPECT_EQ(DecodeText(table, "id,Name,NAME\n1,a,b\n").error,
            "1: the header has more than one column 'name'; its columns are: id, Name, NAME");
  EXPECT_EQ(DecodeText(table, "id,\"name\n1,a\n").error, "1: the header: a quote is not closed");
}

TEST(CsvRowDecoderTest, WithoutAHeaderFieldsStandInTheOrderOfTheTable) {
  const TableDescription table =
      TableOf("id BIGINT, name STRING, price DOUBLE", {{"format", "csv"}});
  EXPECT_THAT(DecodeText(table, "1,a,1.5\n2,b,\n").rows, ElementsAre("1|a|1.5", "2|b|NULL"));
  EXPECT_THAT(DecodeText(table, "1,a,1.5\n", {0, false, {0, 2}, nullptr}).rows,
              ElementsAre("1|1.5"));
  EXPECT_THAT(DecodeText(table,
                         "\xEF\xBB\xBF"
                         "1,a,1.5\n")
                  .rows,
              ElementsAre("1|a|1.5"));
}

TEST(CsvRowDecoderTest, EveryTypeIsRead) {
  const TableDescription table = TableOf(
      "a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(10;2), i "
      "STRING, j BYTES, k DATE, l TIMESTAMP(3), m TIMESTAMP_LTZ(3)",
      {{"format", "csv"}});
  const Decoded decoded = DecodeText(
      table,
      "true,-1,2,3,4,1.5,2.5,12.345,text,QUI=,2024-02-29,2024-01-01 10:00:00.5,2024-01-01T10:00Z\n"
      ",,,,,,,,,,,,\n"
      "\"true\",\"-1\",\"2\",\"3\",\"4\",\"1.5\",\"2.5\",\"12.3\",\"text\",\"QUI=\",\"2024-02-29\","
      "\"2024-01-01T10:00:00\",\"2024-01-01 10:00:00Z\"\n");
  EXPECT_EQ(decoded.error, "");
  EXPECT_THAT(decoded.rows, ElementsAre("true|-1|2|3|4|1.5|2.5|12.35|text|AB|2024-02-29|2024-01-01 "
                                        "10:00:00.500|2024-01-01 10:00:00.000Z",
                                        "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|||NULL|NULL|NULL",
                                        "true|-1|2|3|4|1.5|2.5|12.30|text|AB|2024-02-29|2024-01-01 "
                                        "10:00:00.000|2024-01-01 10:00:00.000Z"));
}

TEST(CsvRowDecoderTest, ANullLiteralCountsOnlyUnquoted) {
  const char* columns = "id BIGINT, name STRING";
  const struct {
    const char* literal;
    const char* text;
    const char* row;
  } cases[] = {
      {nullptr, ",\n", "NULL|"},   {nullptr, "1,\"\"\n", "1|"},    {"", ",\n", "NULL|NULL"},
      {"", "1,\"\"\n", "1|"},      {"NA", "NA,NA\n", "NULL|NULL"}, {"NA", "1,\"NA\"\n", "1|NA"},
      {"NA", ",\n", "NULL|"},      {"NA", "1,NAN\n", "1|NAN"},     {"7", "7,7\n", "NULL|NULL"},
      {"7", "\"7\",77\n", "7|77"},
  };
  for (const auto& test : cases) {
    TableDescription table = TableOf(columns, {{"format", "csv"}});
    if (test.literal != nullptr) table.options["csv.null-literal"] = {test.literal, {}};
    const Decoded decoded = DecodeText(table, test.text);
    EXPECT_THAT(decoded.rows, ElementsAre(test.row)) << decoded.error;
  }
}

constexpr const char* kBadText =
    "1,a,10\n"
    "x,b,20\n"
    "3,c\n"
    "4,\"d\"e,40\n"
    "5,e,50,6\n"
    "\"6\n7\",f,z\n"
    "8,,80\n"
    ",g,90\n"
    "9,\"h";

const std::vector<std::string> kBadOfText = {
    "2: column id: 'x' is not a BIGINT: x,b,20",
    "3: 2 fields where 3 are expected: 3,c",
    "4: text after a closing quote: 4,\"d\"e,40",
    "5: 4 fields where 3 are expected: 5,e,50,6",
    "6: column id: '6\n7' is not a BIGINT: \"6\n7\",f,z",
    "9: column id is NOT NULL, but the value is NULL: ,g,90",
    "10: a quote is not closed: 9,\"h",
};

TEST(CsvRowDecoderTest, BadRecordsFailAreDroppedOrBecomeNull) {
  TableDescription table =
      TableOf("id BIGINT NOT NULL, name STRING, price INT", {{"format", "csv"}});
  EXPECT_EQ(DecodeText(table, kBadText).error,
            "2: bad record: column id: 'x' is not a BIGINT ('bad-records' = 'drop' leaves such "
            "records out)");
  for (const size_t bytes_a_call : {0, 1, 5}) {
    for (const bool take_often : {false, true}) {
      table.options["bad-records"] = {"drop", {}};
      const Decoded dropped = DecodeText(table, kBadText, {bytes_a_call, take_often, {}, nullptr});
      EXPECT_THAT(dropped.rows, ElementsAre("1|a|10", "8||80"));
      EXPECT_THAT(dropped.bad, ElementsAreArray(kBadOfText));
      EXPECT_EQ(dropped.num_bad, 7);
      table.options["bad-records"] = {"null", {}};
      const Decoded kept = DecodeText(table, kBadText, {bytes_a_call, take_often, {}, nullptr});
      EXPECT_THAT(kept.rows, ElementsAre("1|a|10", "3|c|NULL", "4|NULL|NULL", "5|e|50", "8||80",
                                         "9|NULL|NULL"));
      EXPECT_THAT(kept.bad, ElementsAreArray(kBadOfText));
    }
  }
}

TEST(CsvRowDecoderTest, ColumnsThatAreNotReadAreCountedButNotConverted) {
  const TableDescription table =
      TableOf("id BIGINT, name STRING, price INT", {{"format", "csv"}, {"bad-records", "drop"}});
  const Decoded decoded = DecodeText(table, "1,a,x\n2,b\n", {0, false, {0}, nullptr});
  EXPECT_THAT(decoded.rows, ElementsAre("1"));
  EXPECT_THAT(decoded.bad, ElementsAre("2: 2 fields where 3 are expected: 2,b"));
  EXPECT_THAT(DecodeText(table, "1,a,1\n2,b,1\n", {0, false, {1}, nullptr}).rows,
              ElementsAre("a", "b"));
}

TEST(CsvRowDecoderTest, SparksAndFlinksSpellingsOfThePolicyAreUnderstood) {
  const std::pair<std::pair<const char*, const char*>, size_t> cases[] = {
      {{"mode", "PERMISSIVE"}, 2},
      {{"mode", "dropmalformed"}, 1},
      {{"mode", "FAILFAST"}, 0},
      {{"csv.ignore-parse-errors", "true"}, 2},
      {{"ignore-parse-errors", "false"}, 0},
  };
  for (const auto& [option, num_rows] : cases) {
    TableDescription table = TableOf("id BIGINT", {{"format", "csv"}});
    table.options[option.first] = {option.second, {}};
    const Decoded decoded = DecodeText(table, "1\nx\n");
    EXPECT_EQ(decoded.rows.size(), num_rows) << option.first;
    EXPECT_EQ(decoded.error.empty(), num_rows > 0) << option.first;
  }
}

TEST(CsvRowDecoderTest, OptionsHaveTheirEffectUnderAllSpellings) {
  const struct {
    std::vector<std::pair<const char*, const char*>> options;
    const char* text;
    const char* row;
  } cases[] = {
      {{{"csv.field-delimiter", ";"}}, "1;a\n", "1|a"},
      {{{"delimiter", "\\t"}}, "1\ta\n", "1|a"},
      {{{"sep", "\t"}}, "1\ta\n", "1|a"},
      {{{"csv.delimiter", "\\u0001"}},
       "1\x01"
       "a\n",
       "1|a"},
      {{{"field-delimiter", "|"}}, "1|a\n", "1|a"},
      {{{"csv.quote-character", "'"}}, "1,'a,b'\n", "1|a,b"},
      {{{"quote", "'"}}, "1,'a''b'\n", "1|a'b"},
      {{{"quote", ""}}, "1,\"a\"\n", "1|\"a\""},
      {{{"csv.disable-quote-character", "true"}}, "1,\"a\"\n", "1|\"a\""},
      {{{"csv.escape-character", "\\"}}, "1,a\\,b\n", "1|a,b"},
      {{{"escape", "\\\\"}}, "1,\"a\\\"b\"\n", "1|a\"b"},
      {{{"escape", "\""}}, "1,\"a\"\"b\"\n", "1|a\"b"},
      {{{"csv.allow-comments", "true"}}, "#x\n1,a#\n", "1|a#"},
      {{{"comment", ";"}}, ";x\n1,a\n", "1|a"},
      {{{"nullValue", "-"}}, "-,-\n", "NULL|NULL"},
      {{{"csv.null-literal", "\\N"}, {"escape", "\\"}}, "\\N,\\N\n", "NULL|NULL"},
      {{{"csv.ignore-first-line", "true"}}, "id,name\n1,a\n", "1|a"},
      {{{"multiLine", "true"}, {"encoding", "UTF-8"}}, "1,a\n", "1|a"},
  };
  for (const auto& test : cases) {
    TableDescription table = TableOf("id BIGINT, name STRING", {{"format", "csv"}});
    for (const auto& [name, value] : test.options) table.options[name] = {value, {}};
    const Decoded decoded = DecodeText(table, test.text);
    EXPECT_THAT(decoded.rows, ElementsAre(test.row))
        << test.options.front().first << " " << decoded.error;
  }
}

TEST(CsvRowDecoderTest, WrongOptionsAreRefusedByName) {
  const struct {
    std::vector<std::pair<const char*, const char*>> options;
    const char* error;
  } cases[] = {
      {{{"csv.field-delimiter", "ab"}}, "'csv.field-delimiter' needs one ASCII character"},
      {{{"csv.field-delimiter", "\n"}}, "'csv.field-delimiter' needs one ASCII character"},
      {{{"csv.field-delimiter", "\xC2\xA7"}}, "'csv.field-delimiter' needs one ASCII character"},
      {{{"csv.field-delimiter", "\""}}, "cannot be the same character"},
      {{{"quote", "'"}, {"csv.disable-quote-character", "true"}}, "contradict each other"},
      {{{"comment", ","}}, "cannot be the same character"},
      {{{"header", "yes"}}, "true, false"},
      {{{"bad-records", "ignore"}}, "fail, drop, null"},
      {{{"bad-records", "drop"}, {"mode", "FAILFAST"}}, "give one of them"},
      {{{"bad-records", "drop"}, {"csv.ignore-parse-errors", "true"}}, "give one of them"},
      {{{"encoding", "ISO-8859-1"}}, "can only be UTF-8"},
      {{{"csv.timestamp-format", "yyyy"}}, "SQL, ISO-8601"},
      {{{"csv.headr", "true"}}, "did you mean 'csv.header'?"},
      {{{"header", "true"}, {"csv.header", "true"}}, "mean the same"},
      {{{"format", "xml"}}, "unknown 'format' = 'xml'; it can be"},
  };
  for (const auto& test : cases) {
    TableDescription table = TableOf("id BIGINT, name STRING", {{"format", "csv"}});
    for (const auto& [name, value] : test.options) table.options[name] = {value, {}};
    EXPECT_THAT(OptionErrorOf(table), HasSubstr(test.error)) << test.options.front().first;
  }
  EXPECT_THAT(OptionErrorOf(TableOf("id BIGINT", {})), HasSubstr("'format' is missing"));
}

TEST(CsvRowDecoderTest, AFileGoesOnWhereItWasLeft) {
  const TableDescription table =
      TableOf("id BIGINT, name STRING",
              {{"format", "csv"}, {"csv.header", "true"}, {"bad-records", "drop"}});
  const std::string text = "name,id\na,1\n\"b\nb\",2\nc,x\n";
  auto first = DecoderOf(table, {0, 1});
  DecodeResult result;
  first->BeginFile();
  const Result<size_t> taken = first->Decode(std::string_view(text).substr(0, 20), false, &result);
  ASSERT_TRUE(taken);
  ASSERT_EQ(text.substr(*taken), "c,x\n");
  EXPECT_EQ(first->line(), 5);

  auto second = DecoderOf(table, {0, 1});
  ASSERT_TRUE(second->ResumeFile(text, first->line()));
  ASSERT_TRUE(second->Decode("c,x\nd,4\n", true, &result));
  EXPECT_THAT(RowTexts(second->TakeRows()), ElementsAre("4|d"));
  ASSERT_EQ(result.bad_records.size(), 1U);
  EXPECT_EQ(result.bad_records[0].line, 5);

  EXPECT_FALSE(second->ResumeFile("name,i", 5));
  EXPECT_FALSE(second->ResumeFile("other,id\n", 5));
}

TEST(CsvRowDecoderTest, BytesThatAreNoUtf8AreReplacedAndZerosKept) {
  const TableDescription table = TableOf("id BIGINT, name STRING", {{"format", "csv"}});
  std::string text = "1,caf\xE9\n2,\"\xE9\xC3\xA9\"\n3,a?b\n4,\xC3\xA9";
  text[text.find('?')] = '\0';
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_THAT(DecodeText(table, text).rows,
              ElementsAre("1|caf" + replaced, "2|" + replaced + "\xC3\xA9",
                          std::string("3|a\0b", 5), "4|\xC3\xA9"));
}

TEST(CsvRowDecoderTest, TheTextOfABadRecordIsKeptWithinALimit) {
  const TableDescription table = TableOf("id BIGINT", {{"format", "csv"}, {"bad-records", "drop"}});
  const std::unique_ptr<RowDecoder> decoder = DecoderOf(table, {0});
  DecodeResult result;
  ASSERT_TRUE(decoder->Decode(std::string(kBadRecordTextMax + 9, 'x') + "\n", true, &result));
  ASSERT_EQ(result.bad_records.size(), 1U);
  EXPECT_EQ(result.bad_records[0].text.size(), kBadRecordTextMax);
  EXPECT_LT(result.bad_records[0].reason.size(), 200U);
}

}  // namespace
}  // namespace braid
