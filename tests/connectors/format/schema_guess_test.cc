#include "engine/connectors/format/schema_guess.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/option_reader.h"

namespace braid {
namespace {

using testing::HasSubstr;

// "id BIGINT, n STRING [csv.header=true] 3 records", or "line N: what is wrong".
std::string Text(const Result<SchemaGuess>& guess) {
  if (!guess) {
    const Error& error = guess.error();
    return error.place.line > 0 ? fmt::format("line {}: {}", error.place.line, error.message)
                                : error.message;
  }
  std::string text = guess->schema.ToString();
  for (const auto& [key, option] : guess->options) {
    if (key != "format") text += fmt::format(" [{}={}]", key, option.value);
  }
  return text + fmt::format(" {} records", guess->num_records);
}

struct Case {
  std::string name;
  std::string bytes;
  std::string guess;
};

std::string Repeated(const std::string& line, int times) {
  std::string text;
  for (int index = 0; index < times; ++index) text += line;
  return text;
}

// Decodes all of `bytes` as the guess says; the number of rows, or the error.
std::string Decoded(const SchemaGuess& guess, const std::string& bytes) {
  TableDescription table;
  table.name = "t";
  table.schema = guess.schema;
  table.not_null.assign(guess.schema.fields.size(), 0);
  table.options = guess.options;
  std::vector<int> columns;
  for (int column = 0; column < guess.schema.num_columns(); ++column) columns.push_back(column);
  OptionReader reader(table.options, "table t", {});
  const Result<std::unique_ptr<RowDecoder>> decoder = NewRowDecoder(table, columns, &reader);
  if (!decoder) return decoder.error().message;
  if (const Status fine = reader.Finish(nullptr); !fine) return fine.error().message;
  (*decoder)->BeginFile();
  DecodeResult result;
  const Result<size_t> taken = (*decoder)->Decode(bytes, true, &result);
  return taken ? fmt::format("{} rows", (*decoder)->num_rows()) : taken.error().message;
}

const std::vector<Case>& CsvCases() {
  static const std::vector<Case> cases = {
      {"header and every type",
       "i,d,b,day,t,z,s\n1,1.5,true,2024-01-31,2024-01-31 10:00:00,2024-01-31T10:00:00Z,x\n",
       "i BIGINT, d DOUBLE, b BOOLEAN, day DATE, t TIMESTAMP(3), z TIMESTAMP_LTZ(3), s STRING "
       "[csv.header=true] [csv.null-literal=] 1 records"},
      {"no header", "1,a\n2,b\n", "column0 BIGINT, column1 STRING [csv.null-literal=] 2 records"},
      {"only a header", "id,name\n",
       "id STRING, name STRING [csv.header=true] [csv.null-literal=] 0 records"},
      {"only a header without line end", "id,name",
       "id STRING, name STRING [csv.header=true] [csv.null-literal=] 0 records"},
      {"one line with a number", "1,a\n",
       "column0 BIGINT, column1 STRING [csv.null-literal=] 1 records"},
      {"texts alone have no header that could be told", "name,city\nBob,Paris\n",
       "column0 STRING, column1 STRING [csv.null-literal=] 2 records"},
      {"a number in the first line is no header", "id,2024\n1,2\n",
       "column0 STRING, column1 BIGINT [csv.null-literal=] 2 records"},
      {"an empty cell in the first line is no header", "a,,c\n1,2,3\n",
       "column0 STRING, column1 BIGINT, column2 STRING [csv.null-literal=] 2 records"},
      {"row numbers without a name", ",x\n0,5\n1,6\n",
       "column0 BIGINT, x BIGINT [csv.header=skip] 2 records"},
      {"names twice", "id,v,id\n1,2,3\n",
       "id BIGINT, v BIGINT, id_1 BIGINT [csv.header=skip] 1 records"},
      {"names that differ in case are two", "id,ID\n1,2\n",
       "id BIGINT, ID BIGINT [csv.header=true] 1 records"},
      {"a byte order mark", "\xEF\xBB\xBFid,v\n1,2\n",
       "id BIGINT, v BIGINT [csv.header=true] 1 records"},
      {"CRLF", "id,v\r\n1,a\r\n2,b\r\n",
       "id BIGINT, v STRING [csv.header=true] [csv.null-literal=] 2 records"},
      {"blank lines", "\nid\n\n1\n\n2\n", "id BIGINT [csv.header=true] 2 records"},
      {"quoted line ends", "id,text\n1,\"a\nb\"\n2,\"c\"\n",
       "id BIGINT, text STRING [csv.header=true] [csv.null-literal=] 2 records"},
      {"quoted delimiters and quotes", "id,text\n1,\"a,\"\"b\"\"\"\n",
       "id BIGINT, text STRING [csv.header=true] [csv.null-literal=] 1 records"},
      {"quoted numbers", "\"id\",\"v\"\n\"1\",\"2.5\"\n",
       "id BIGINT, v DOUBLE [csv.header=true] 1 records"},
      {"semicolons around decimal commas", "id;v\n1;1,5\n2;2,5\n",
       "id BIGINT, v STRING [csv.field-delimiter=;] [csv.header=true] [csv.null-literal=] 2 "
       "records"},
      {"tabs", "id\tv\n1\ta,b\n",
       "id BIGINT, v STRING [csv.field-delimiter=\\t] [csv.header=true] "
       "[csv.null-literal=] 1 records"},
      {"bars", "1|a\n2|b\n",
       "column0 BIGINT, column1 STRING [csv.field-delimiter=|] [csv.null-literal=] 2 records"},
      {"one column", "7\n8\n", "column0 BIGINT 2 records"},
      {"integers and fractions", "v\n1\n2.5\n-3e2\n", "v DOUBLE [csv.header=true] 3 records"},
      {"leading zeros are codes", "v,w\n007,1\n12,2\n",
       "v STRING, w BIGINT [csv.header=true] [csv.null-literal=] 2 records"},
      {"zero alone and zero before a point", "v,w\n0,0.5\n-0,-0.25\n",
       "v BIGINT, w DOUBLE [csv.header=true] 2 records"},
      {"a plus is part of a telephone number", "v,w\n+4912,1\n",
       "v STRING, w BIGINT [csv.header=true] [csv.null-literal=] 1 records"},
      {"the largest BIGINT", "v\n9223372036854775807\n-9223372036854775808\n",
       "v BIGINT [csv.header=true] 2 records"},
      {"beyond a BIGINT nothing is rounded", "v,w\n9223372036854775808,1\n",
       "v STRING, w BIGINT [csv.header=true] [csv.null-literal=] 1 records"},
      {"NaN among numbers", "v\n1.5\nNaN\n-Infinity\n", "v DOUBLE [csv.header=true] 3 records"},
      {"NaN alone is a text", "w,v\n1,NaN\n",
       "w BIGINT, v STRING [csv.header=true] [csv.null-literal=] 1 records"},
      {"booleans in any case", "v\ntrue\nFALSE\n", "v BOOLEAN [csv.header=true] 2 records"},
      {"booleans and numbers", "v,w\ntrue,1\n1,1\n",
       "v STRING, w BIGINT [csv.header=true] [csv.null-literal=] 2 records"},
      {"dates among times", "t\n2024-01-31\n2024-01-31 10:00\n",
       "t TIMESTAMP(3) [csv.header=true] 2 records"},
      {"T between date and time", "t\n2024-01-31T10:00:00.123\n",
       "t TIMESTAMP(3) [csv.header=true] 1 records"},
      {"microseconds", "t\n2024-01-31 10:00:00.1\n2024-01-31 10:00:00.123456\n",
       "t TIMESTAMP(6) [csv.header=true] 2 records"},
      {"zones", "t\n2024-01-31T10:00:00+02:00\n2024-01-31T10:00:00.123456Z\n",
       "t TIMESTAMP_LTZ(6) [csv.header=true] 2 records"},
      {"with and without a zone", "t,w\n2024-01-31T10:00:00Z,1\n2024-01-31T10:00:00,1\n",
       "t STRING, w BIGINT [csv.header=true] [csv.null-literal=] 2 records"},
      {"no such day", "t,w\n2024-02-31,1\n",
       "t STRING, w BIGINT [csv.header=true] [csv.null-literal=] 1 records"},
      {"empty cells are NULL", "a,b\n1,\n,2024-01-01\n",
       "a BIGINT, b DATE [csv.header=true] 2 records"},
      {"a column without values", "a,b\n1,\n2,\n",
       "a BIGINT, b STRING [csv.header=true] [csv.null-literal=] 2 records"},
      {"NA in numbers", "a,b\n1,x\nNA,y\n",
       "a BIGINT, b STRING [csv.header=true] [csv.null-literal=NA] 2 records"},
      {"NA in quotes is a text", "a,b\n1,x\n\"NA\",y\n",
       "column0 STRING, column1 STRING [csv.null-literal=] 3 records"},
      {"NA among texts stays", "a,b\n1,NA\n2,x\n",
       "a BIGINT, b STRING [csv.header=true] [csv.null-literal=] 2 records"},
      {"\\N in times", "t\n2024-01-01 00:00:00\n\\N\n",
       "t TIMESTAMP(3) [csv.header=true] [csv.null-literal=\\N] 2 records"},
      {"blanks around numbers", "a, b\n1, 2.5\n",
       "a BIGINT,  b DOUBLE [csv.header=true] 1 records"},
      {"ragged rows do not count", "a,b\n1,2\n1,2,3\nx\n3,4\n",
       "a BIGINT, b BIGINT [csv.header=true] 4 records"},
      {"a broken record does not count", "a,b\n1,\"x\"y\n2,z\n",
       "a BIGINT, b STRING [csv.header=true] [csv.null-literal=] 2 records"},
      {"a name that is no UTF-8", "a\xFF,b\n1,2\n",
       "a\xEF\xBF\xBD BIGINT, b BIGINT [csv.header=skip] 1 records"},
      {"empty", "", "no record to guess the columns from"},
      {"blank lines alone", "\n\r\n\n", "no record to guess the columns from"},
      {"no more than the sample", Repeated("1\n", 1500) + "x\n", "column0 BIGINT 1000 records"},
      {"no more than the sample behind a header", "v\n" + Repeated("1\n", 1000) + "x\n",
       "v BIGINT [csv.header=true] 1000 records"},
  };
  return cases;
}

TEST(SchemaGuessTest, Csv) {
  for (const Case& each : CsvCases()) {
    EXPECT_EQ(Text(GuessCsv({each.bytes, true}, std::nullopt)), each.guess) << each.name;
  }
}

TEST(SchemaGuessTest, ADelimiterByTheNameOfTheFileIsNotGuessed) {
  EXPECT_EQ(Text(GuessCsv({"a,b\n1,2\n", true}, '\t')),
            "column0 STRING [csv.field-delimiter=\\t] [csv.null-literal=] 2 records");
}

TEST(SchemaGuessTest, TheLastRecordOfACutSampleIsLeft) {
  EXPECT_EQ(Text(GuessCsv({"id,v\n1,2\n3,\"x", false}, std::nullopt)),
            "id BIGINT, v BIGINT [csv.header=true] 1 records");
  EXPECT_EQ(Text(GuessCsv({"a,b", false}, std::nullopt)),
            "no whole record in the first MiB to guess the columns from");
  EXPECT_EQ(Text(GuessJson({"{\"a\":1}\n{\"a\":\"x", false})), "a BIGINT 1 records");
  EXPECT_EQ(Text(GuessJson({"{\"a\":1", false})),
            "no whole line in the first MiB to guess the columns from");
}

// Every file above that is whole and regular reads back as it was guessed.
TEST(SchemaGuessTest, WhatIsGuessedCanBeRead) {
  for (const Case& each : CsvCases()) {
    const Result<SchemaGuess> guess = GuessCsv({each.bytes, true}, std::nullopt);
    if (!guess || !guess->saw_all || each.name.find(" do not count") != std::string::npos ||
        each.name.find(" does not count") != std::string::npos) {
      continue;
    }
    EXPECT_EQ(Decoded(*guess, each.bytes), fmt::format("{} rows", guess->num_records)) << each.name;
  }
}

TEST(SchemaGuessTest, RandomFilesReadAsTheyAreGuessed) {
  const std::vector<std::string> cells = {"1",
                                          "-7",
                                          "2.5",
                                          "1e3",
                                          "007",
                                          "true",
                                          "",
                                          "NA",
                                          "NULL",
                                          "x",
                                          "NaN",
                                          "\"1\"",
                                          "2024-01-01",
                                          "\"\"",
                                          "2024-01-01 10:00:00.5",
                                          "9223372036854775808",
                                          "2024-01-01T10:00:00Z",
                                          " 3 ",
                                          "\"a,b\"",
                                          "None",
                                          "\\N",
                                          "inf",
                                          "+5",
                                          "0",
                                          "1.",
                                          ".5"};
  std::mt19937 random(20240131);
  for (int file = 0; file < 2'000; ++file) {
    const size_t width = 1 + random() % 4;
    const size_t height = 1 + random() % 5;
    // Few kinds of cells a file: then many columns have a type.
    std::vector<std::string> some;
    for (int index = 0; index < 3; ++index) some.push_back(cells[random() % cells.size()]);
    std::string bytes;
    if (random() % 2 == 0) bytes = width == 1 ? "h0\n" : "h0";
    for (size_t column = 1; column < width && !bytes.empty(); ++column) {
      bytes += fmt::format(",h{}{}", column, column + 1 == width ? "\n" : "");
    }
    for (size_t row = 0; row < height; ++row) {
      for (size_t column = 0; column < width; ++column) {
        bytes += (column > 0 ? "," : "") + some[random() % some.size()];
      }
      bytes += '\n';
    }
    const Result<SchemaGuess> guess = GuessCsv({bytes, true}, ',');
    if (!guess) continue;  // Blank lines alone.
    EXPECT_EQ(Decoded(*guess, bytes), fmt::format("{} rows", guess->num_records)) << bytes;
  }
}

TEST(SchemaGuessTest, Json) {
  const std::vector<Case> cases = {
      {"every type",
       R"({"i":1,"d":1.5,"b":true,"day":"2024-01-31","t":"2024-01-31 10:00:00","z":"2024-01-31T10:00:00Z","s":"x","n":null})"
       "\n",
       "i BIGINT, d DOUBLE, b BOOLEAN, day DATE, t TIMESTAMP(3), z TIMESTAMP_LTZ(3), s STRING, n "
       "STRING 1 records"},
      {"fields in the order in which they appear", "{\"b\":1}\n{\"a\":2,\"b\":3}\n",
       "b BIGINT, a BIGINT 2 records"},
      {"no line end, CRLF, blank lines, a byte order mark", "\xEF\xBB\xBF{\"a\":1}\r\n\n{\"a\":2}",
       "a BIGINT 2 records"},
      {"integers and fractions", "{\"a\":1}\n{\"a\":0.5}\n", "a DOUBLE 2 records"},
      {"integers beyond a BIGINT", "{\"a\":9223372036854775808}\n", "a STRING 1 records"},
      {"numbers in quotes stay texts", "{\"a\":\"1\"}\n", "a STRING 1 records"},
      {"numbers and texts", "{\"a\":1}\n{\"a\":\"x\"}\n", "a STRING 2 records"},
      {"objects and arrays are texts", "{\"a\":{\"b\":1},\"c\":[1]}\n",
       "a STRING, c STRING 1 records"},
      {"an array of objects is several records", "[{\"a\":1},{\"a\":2}]\n", "a BIGINT 2 records"},
      {"NULL and missing", "{\"a\":null}\n{\"b\":1}\n{\"a\":true}\n",
       "a BOOLEAN, b BIGINT 3 records"},
      {"empty", "", "no object with fields to guess the columns from"},
      {"an object without fields", "{}\n", "no object with fields to guess the columns from"},
      {"a number alone", "{\"a\":1}\n5\n", "line 2: neither an object nor an array of objects"},
      {"an array of numbers", "[1]\n", "line 1: an element of the array is no object"},
  };
  for (const Case& each : cases) {
    const Result<SchemaGuess> guess = GuessJson({each.bytes, true});
    EXPECT_EQ(Text(guess), each.guess) << each.name;
    if (!guess) continue;
    EXPECT_EQ(Decoded(*guess, each.bytes), fmt::format("{} rows", guess->num_records)) << each.name;
  }
  EXPECT_THAT(Text(GuessJson({"{\n\"a\":1}\n", true})),
              HasSubstr("line 1: this line is no JSON object"));
}

TEST(SchemaGuessTest, TheFirstByteSaysTheFormat) {
  for (const char* json : {"{\"a\":1}", "  \n[{}]", "\xEF\xBB\xBF{}"}) {
    EXPECT_EQ(GuessFormat(json), FormatName::kJson) << json;
  }
  for (const char* csv : {"", "a,b\n", "1\n", "\"{\",1"}) {
    EXPECT_EQ(GuessFormat(csv), FormatName::kCsv) << csv;
  }
}

}  // namespace
}  // namespace braid
