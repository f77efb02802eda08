#include "engine/connectors/format/csv_record.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace braid {
namespace {

using testing::ElementsAre;

// The records of a text: fields between '|', quoted ones in <>; "!fault" and "(blank)".
std::vector<std::string> Records(const CsvOptions& options, std::string_view text,
                                 bool at_end = true) {
  std::vector<std::string> records;
  CsvRecord record;
  std::string scratch;
  while (!text.empty()) {
    if (!ScanCsvRecord(options, text, at_end, &record)) {
      records.push_back("more");
      break;
    }
    EXPECT_GT(record.end, 0U);
    std::string shown;
    for (const CsvField& field : record.fields) {
      if (record.fault != nullptr && &field == &record.fields.back()) break;
      const std::string_view value = CsvFieldText(options, text, field, &scratch);
      if (&field != &record.fields.front()) shown += "|";
      shown += field.is_quoted ? fmt::format("<{}>", value) : std::string(value);
    }
    if (record.fault != nullptr) {
      shown = fmt::format("!{}: {}", record.fault, text.substr(0, record.text_end));
    }
    records.push_back(record.is_blank ? "(blank)" : shown);
    text.remove_prefix(record.end);
  }
  return records;
}

TEST(CsvRecordTest, ReadsPlainAndQuotedFields) {
  const CsvOptions options;
  EXPECT_THAT(Records(options, "a,b\nc,\n"), ElementsAre("a|b", "c|"));
  EXPECT_THAT(Records(options, "a,b"), ElementsAre("a|b"));
  EXPECT_THAT(Records(options, "a,\"b,\nc\"\r\nd\r\n"), ElementsAre("a|<b,\nc>", "d"));
  EXPECT_THAT(Records(options, "\"a\"\"b\",\"\"\n"), ElementsAre("<a\"b>|<>"));
  EXPECT_THAT(Records(options, "\"\"\"\"\n"), ElementsAre("<\">"));
  EXPECT_THAT(Records(options, "5\" disk,a\"b\n"), ElementsAre("5\" disk|a\"b"));
  EXPECT_THAT(Records(options, " \"a\" ,b\n"), ElementsAre(" \"a\" |b"));
  EXPECT_THAT(Records(options, "a\rb\n"), ElementsAre("a\rb"));
}

TEST(CsvRecordTest, SkipsBlankLinesAndComments) {
  CsvOptions options;
  EXPECT_THAT(Records(options, "\na\n\r\n\n"), ElementsAre("(blank)", "a", "(blank)", "(blank)"));
  EXPECT_THAT(Records(options, "\"\"\n"), ElementsAre("<>"));
  EXPECT_THAT(Records(options, "#a\n"), ElementsAre("#a"));
  options.comment = '#';
  EXPECT_THAT(Records(options, "#a,\"\nb#c\n#"), ElementsAre("(blank)", "b#c", "(blank)"));
}

TEST(CsvRecordTest, ABrokenRecordEndsAtALineEnd) {
  const CsvOptions options;
  EXPECT_THAT(Records(options, "\"a\"b,c\nd\n"),
              ElementsAre("!text after a closing quote: \"a\"b,c", "d"));
  EXPECT_THAT(Records(options, "a,\"b\nc,d\n"),
              ElementsAre("!a quote is not closed: a,\"b", "c|d"));
  EXPECT_THAT(Records(options, "\"a\n\"b\nc\n"),
              ElementsAre("!text after a closing quote: \"a\n\"b", "c"));
}

TEST(CsvRecordTest, AsksForMoreUntilTheEndOfTheRecordIsThere) {
  CsvOptions options;
  for (const char* text : {"a", "a,", "a,b\r", "\"a", "\"a\"", "\"a\"\r", "\"a\n", "\"a\"\""}) {
    EXPECT_THAT(Records(options, text, false), ElementsAre("more")) << text;
  }
  options.escape = '\\';
  EXPECT_THAT(Records(options, "a\\", false), ElementsAre("more"));
  EXPECT_THAT(Records(options, "\"a\\", false), ElementsAre("more"));
}

TEST(CsvRecordTest, EscapesAndOtherQuotes) {
  CsvOptions options;
  options.escape = '\\';
  EXPECT_THAT(Records(options, "a\\,b,\\\\\n"), ElementsAre("a,b|\\"));
  EXPECT_THAT(Records(options, "\"a\\\"b\",\"\\n\"\n"), ElementsAre("<a\"b>|<\n>"));
  EXPECT_THAT(Records(options, "\\\"a\n"), ElementsAre("\"a"));
  EXPECT_THAT(Records(options, "a\\\nb\n"), ElementsAre("a\nb"));
  options = {};
  options.quote = '\'';
  options.delimiter = '\t';
  EXPECT_THAT(Records(options, "'a\tb'\t\"\n"), ElementsAre("<a\tb>|\""));
  options.quote = '\0';
  EXPECT_THAT(Records(options, "'a\tb'\n"), ElementsAre("'a|b'"));
}

TEST(CsvRecordTest, ARecordThatNeverEndsIsGivenUp) {
  const CsvOptions options;
  CsvRecord record;
  std::string text = "a,\"b\nc";
  text.resize(kRecordBytesMax + 1, 'x');
  ASSERT_TRUE(ScanCsvRecord(options, text, false, &record));
  EXPECT_STREQ(record.fault, "a quote is not closed");
  EXPECT_EQ(record.end, 5U);
  text[2] = 'b';
  text[4] = 'b';
  ASSERT_TRUE(ScanCsvRecord(options, text, false, &record));
  EXPECT_STREQ(record.fault, kRecordIsTooLong);
  EXPECT_EQ(record.end, text.size());
}

}  // namespace
}  // namespace braid
