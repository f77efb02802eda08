#include "engine/connectors/line_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/connectors/line_splitter.h"
#include "engine/connectors/option_reader.h"
#include "tests/connectors/row_texts.h"

namespace braid {
namespace {

using testing::HasSubstr;

TableDescription Table(Schema schema, const std::map<std::string, std::string>& options) {
  TableDescription table;
  table.name = "t";
  table.not_null.assign(schema.fields.size(), 0);
  table.schema = std::move(schema);
  for (const auto& [name, value] : options) table.options[name] = {value, {}};
  return table;
}

Result<std::unique_ptr<LineDecoder>> NewDecoder(const TableDescription& table) {
  OptionReader reader(table.options, "table t", {});
  std::vector<int> columns;
  for (size_t i = 0; i < table.schema.fields.size(); ++i) columns.push_back(static_cast<int>(i));
  Result<std::unique_ptr<LineDecoder>> decoder = LineDecoder::New(table, columns, &reader);
  if (Status finished = reader.Finish(nullptr); decoder && !finished) {
    return tl::unexpected(finished.error());
  }
  return decoder;
}

struct Decoded {
  std::vector<std::string> rows;
  int64_t num_bad = 0;
  std::vector<int64_t> bad_lines;
  std::string error;
};

Decoded DecodeLines(const TableDescription& table, std::string_view bytes, int64_t first_line = 1) {
  LineSplitter splitter(40);
  LineBlock block;
  splitter.Append(bytes, &block);
  splitter.Finish(&block);
  const Result<std::unique_ptr<LineDecoder>> decoder = NewDecoder(table);
  EXPECT_TRUE(decoder) << decoder.error().ToString();
  DecodeResult result;
  const Result<RowBatch> rows = (*decoder)->Decode(block.text, first_line, &result);
  Decoded decoded;
  if (rows) decoded.rows = RowTexts(*rows);
  if (!rows) decoded.error = rows.error().ToString();
  decoded.num_bad = result.num_bad_records;
  for (const BadRecord& record : result.bad_records) decoded.bad_lines.push_back(record.line);
  return decoded;
}

TEST(LineDecoderTest, EachLineIsARecordOfItsOwn) {
  struct Case {
    const char* name;
    const char* format;
    std::string bytes;
    std::vector<std::string> rows;
    std::vector<int64_t> bad_lines;
  };
  const std::string long_line(50, '1');
  const Case cases[] = {
      {"csv", "csv", "1,a\n2,b\n", {"1,a", "2,b"}, {}},
      {"an open quote ends with its line",
       "csv",
       "1,\"a\n2,b\n3,\"c\"\n4,d\"\n5,e\n",
       {"2,b", "3,c", "4,d\"", "5,e"},
       {1}},
      {"two lines are not one record", "csv", "1,\"a\n2\",b\n3,c\n", {"3,c"}, {1, 2}},
      {"blank lines", "csv", "\n1,a\n\n", {"1,a"}, {}},
      {"a bad line has its number", "csv", "1,a\nx,b\n3,c\n", {"1,a", "3,c"}, {2}},
      {"a line too long", "csv", "1,a\n" + long_line + "\nx,b\n", {"1,a"}, {2, 3}},
      {"a zero byte", "csv", std::string("\0,a\n2,b\n", 8), {"2,b"}, {1}},
      {"json", "json", "{\"id\":1,\"name\":\"a\"}\n\n[\n{\"id\":2}\n", {"1,a", "2,NULL"}, {3}},
      {"bytes that are no UTF-8", "csv", "1,\xFFz\n", {"1,\xEF\xBF\xBDz"}, {}},
  };
  for (const Case& c : cases) {
    const TableDescription table =
        Table(IdAndName(), {{"format", c.format}, {"bad-records", "drop"}});
    const Decoded decoded = DecodeLines(table, c.bytes);
    EXPECT_EQ(decoded.error, "") << c.name;
    EXPECT_EQ(decoded.rows, c.rows) << c.name;
    EXPECT_EQ(decoded.bad_lines, c.bad_lines) << c.name;
    EXPECT_EQ(decoded.num_bad, static_cast<int64_t>(c.bad_lines.size())) << c.name;
  }
}

// No source logs such a text; it was once read for ever.
TEST(LineDecoderTest, ATextThatEndsInsideALineIsReadToItsEnd) {
  const TableDescription table = Table(IdAndName(), {{"format", "csv"}, {"bad-records", "drop"}});
  OptionReader reader(table.options, "table t", {});
  const auto decoder = LineDecoder::New(table, {0, 1}, &reader);
  ASSERT_TRUE(decoder);
  DecodeResult result;
  const Result<RowBatch> rows = (*decoder)->Decode("1,a\n2,\"b", 1, &result);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->num_rows(), 1);
  EXPECT_EQ(result.num_bad_records, 1);
}

TEST(LineDecoderTest, LinesOfAChangelogKeepTheirKinds) {
  struct Case {
    std::map<std::string, std::string> options;
    const char* bytes;
    std::vector<std::string> rows;
  };
  const Case cases[] = {
      {{{"format", "csv"}, {"changelog.column", "op"}},
       "+I,1,a\n-D,1,\"a\"\n\"-U\",2,b\n+U,2,c\n",
       {"+I 1,a", "-D 1,a", "-U 2,b", "+U 2,c"}},
      {{{"format", "json"}, {"changelog.column", "op"}},
       "{\"op\":\"-D\",\"id\":1}\n",
       {"-D 1,NULL"}},
      {{{"format", "debezium-json"}}, "{\"op\":\"d\",\"before\":{\"id\":1}}", {"-D 1,NULL"}},
  };
  for (const Case& one : cases) {
    const TableDescription table = Table(IdAndName(), one.options);
    EXPECT_TRUE((*NewDecoder(table))->gives_changes());
    const Decoded decoded = DecodeLines(table, one.bytes);
    EXPECT_THAT(decoded.rows, testing::ElementsAreArray(one.rows)) << decoded.error;
  }
  EXPECT_FALSE((*NewDecoder(Table(IdAndName(), {{"format", "csv"}})))->gives_changes());
}

TEST(LineDecoderTest, ABadLineOfDebeziumFollowsItsPolicy) {
  const Decoded decoded =
      DecodeLines(Table(IdAndName(), {{"format", "debezium-json"}, {"bad-records", "drop"}}),
                  "{\"op\":\"x\"}\n{\"this line is longer than the others may "
                  "be\"}\n{\"op\":\"c\",\"after\":{}}\n");
  EXPECT_THAT(decoded.rows, testing::ElementsAre("+I NULL,NULL"));
  EXPECT_THAT(decoded.bad_lines, testing::ElementsAre(1, 2));
}

TEST(LineDecoderTest, RawLinesAreTheOneColumn) {
  const Schema text = {{{"line", DataType::String()}}};
  const std::string bytes("a,\"b\n\n\0z\n\xFF\n", 11);
  EXPECT_EQ(DecodeLines(Table(text, {{"format", "raw"}}), bytes).rows,
            (std::vector<std::string>{"a,\"b", "", std::string("\0z", 2), "\xEF\xBF\xBD"}));
}

TEST(LineDecoderTest, ABadLineFailsWithItsNumberUnlessToldOtherwise) {
  const TableDescription table = Table(IdAndName(), {{"format", "csv"}});
  EXPECT_THAT(DecodeLines(table, "1,a\nx,b\n", 11).error, HasSubstr("12: invalid input"));
  EXPECT_THAT(DecodeLines(table, "1,a\n" + std::string(60, 'x') + "\n", 11).error,
              HasSubstr("a line of 60 bytes is longer than"));
}

TEST(LineDecoderTest, RefusesWhatDoesNotFit) {
  const Schema text = {{{"line", DataType::String()}}};
  const Schema number = {{{"line", DataType::BigInt()}}};
  struct Case {
    Schema schema;
    std::map<std::string, std::string> options;
    const char* message;
  };
  for (const Case& c : {
           Case{text,
                {},
                "the option 'format' is missing; it can be csv, json, debezium-json or raw"},
           Case{text,
                {{"format", "xml"}},
                "unknown 'format' = 'xml'; it can be csv, json, debezium-json or raw"},
           Case{number, {{"format", "raw"}}, "needs a table of one STRING column"},
           Case{IdAndName(), {{"format", "raw"}}, "needs a table of one STRING column"},
           Case{text, {{"format", "csv"}, {"csv.header", "true"}}, "have no header"},
           Case{text, {{"format", "raw"}, {"csv.header", "true"}}, "csv.header"},
           Case{text,
                {{"format", "raw"}, {"changelog.column", "op"}},
                "unknown option 'changelog.column'"},
       }) {
    const Result<std::unique_ptr<LineDecoder>> decoder = NewDecoder(Table(c.schema, c.options));
    ASSERT_FALSE(decoder) << c.message;
    EXPECT_EQ(decoder.error().code, ErrorCode::kInvalidOption);
    EXPECT_THAT(decoder.error().message, HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace braid
