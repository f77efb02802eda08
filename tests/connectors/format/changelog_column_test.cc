#include "engine/connectors/format/changelog_column.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "braid/change_kind.h"
#include "engine/connectors/format/row_encoder.h"
#include "engine/connectors/option_reader.h"
#include "tests/connectors/format/decoding.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

TableDescription Table(const char* columns, const TableOptions& options) {
  TableDescription table = TableOf(columns, options);
  table.options["changelog.column"] = {"op", {}};
  return table;
}

// A file of one table, in all ways to cut it: what it gives, and that it is written so.
struct Case {
  const char* name;
  const char* columns;
  TableOptions options;
  const char* text;
  std::vector<std::string> rows;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {
      {"csv, not declared",
       "id BIGINT, name STRING",
       {{"format", "csv"}},
       "+I,1,a\n-U,1,a\n+U,1,b\n-D,1,b\n",
       {"+I 1|a", "-U 1|a", "+U 1|b", "-D 1|b"}},
      {"csv, declared in the middle",
       "id BIGINT, op STRING, name STRING",
       {{"format", "csv"}},
       "1,+I,a\n1,-D,a\n",
       {"+I 1|+I|a", "-D 1|-D|a"}},
      {"csv, declared last and under a header",
       "id BIGINT, op STRING",
       {{"format", "csv"}, {"csv.header", "true"}},
       "id,op\n1,+U\n1,-D\n",
       {"+U 1|+U", "-D 1|-D"}},
      {"csv, not declared, under a header",
       "id BIGINT, name STRING",
       {{"format", "csv"}, {"csv.header", "true"}},
       "op,id,name\n-U,1,a\n+I,2,b\n",
       {"-U 1|a", "+I 2|b"}},
      {"csv, quoted since the delimiter is a plus",
       "id BIGINT",
       {{"format", "csv"}, {"csv.field-delimiter", "+"}},
       "\"+I\"+1\n-D+1\n",
       {"+I 1", "-D 1"}},
      {"json, not declared",
       "id BIGINT, name STRING",
       {{"format", "json"}},
       "{\"op\":\"+I\",\"id\":1,\"name\":\"a\"}\n{\"op\":\"-D\",\"id\":1,\"name\":null}\n",
       {"+I 1|a", "-D 1|NULL"}},
      {"json, declared",
       "id BIGINT, op STRING, name STRING",
       {{"format", "json"}},
       "{\"id\":1,\"op\":\"-U\",\"name\":\"a\"}\n{\"id\":1,\"op\":\"+U\",\"name\":\"b\"}\n",
       {"-U 1|-U|a", "+U 1|+U|b"}},
  };
  return kCases;
}

TEST(ChangelogColumnTest, WhatIsReadIsWrittenTheSame) {
  for (const Case& one : Cases()) {
    SCOPED_TRACE(one.name);
    const TableDescription table = Table(one.columns, one.options);
    for (const size_t bytes : {0, 1, 7}) {
      const Decoded decoded = DecodeText(table, one.text, {bytes, bytes == 1, {}, nullptr});
      EXPECT_THAT(decoded.rows, ElementsAreArray(one.rows)) << bytes;
      EXPECT_THAT(decoded.error, IsEmpty()) << bytes;
    }
    EXPECT_EQ(EncodeRows(table, DecodeRows(table, one.text)), one.text);
    EXPECT_TRUE(DecoderOf(table, {})->gives_changes());
    EXPECT_FALSE(DecoderOf(TableOf(one.columns, one.options), {})->gives_changes());
  }
}

TEST(ChangelogColumnTest, TheKindIsReadWhateverColumnsAre) {
  const std::pair<const char*, std::vector<int>> cases[] = {
      {"id BIGINT, op STRING, name STRING", {2}},  // Left out by the query.
      {"id BIGINT, op STRING, name STRING", {0, 2}},
      {"id BIGINT, op STRING, name STRING", {1}},
      {"id BIGINT, name STRING", {1}},
  };
  for (const auto& [columns, read] : cases) {
    SCOPED_TRACE(columns);
    const TableDescription csv = Table(columns, {{"format", "csv"}, {"csv.header", "true"}});
    const TableDescription json = Table(columns, {{"format", "json"}});
    DecodeSettings settings;
    settings.read_columns = read;
    const std::vector<std::string> from_csv =
        DecodeText(csv, "name,id,op\na,1,-D\nb,2,+I\n", settings).rows;
    const std::vector<std::string> from_json =
        DecodeText(
            json,
            "{\"name\":\"a\",\"id\":1,\"op\":\"-D\"}\n{\"op\":\"+I\",\"name\":\"b\",\"id\":2}",
            settings)
            .rows;
    ASSERT_EQ(from_csv.size(), 2U);
    EXPECT_THAT(from_csv[0], HasSubstr("-D "));
    EXPECT_EQ(from_csv, from_json);
  }
  // No column at all: rows are counted.
  for (const char* format : {"csv", "json"}) {
    const auto decoder = DecoderOf(Table("id BIGINT", {{"format", format}}), {});
    DecodeResult result;
    ASSERT_TRUE(decoder->Decode(
        std::string_view(format) == "csv" ? "-D,1\n+I,x\n" : "{\"op\":\"-D\"}\n{\"op\":\"+I\"}\n",
        true, &result));
    const RowBatch rows = decoder->TakeRows();
    ASSERT_EQ(rows.num_rows(), 2);
    EXPECT_EQ(rows.change_kind(0), ChangeKind::kDelete);
    EXPECT_EQ(rows.change_kind(1), ChangeKind::kInsert);
  }
}

TEST(ChangelogColumnTest, AKindThatIsNoneMakesABadRecord) {
  const std::string csv = "+I,1\nx,2\n,3\n+i,4\n+I,y\n-D\n 0 ,5\n\"-D\",6\n";
  const std::string json =
      "{\"op\":\"+I\",\"id\":1}\n{\"op\":\"x\",\"id\":2}\n{\"op\":null,\"id\":3}\n{\"id\":4}\n"
      "{\"op\":0,\"id\":5}\n{\"op\":{},\"id\":6}\n{\"op\":true,\"id\":7}\n"
      "{\"id\":8,\"op\":\"-D\"}\n";
  const std::string texts[] = {csv, json};
  const std::vector<std::string> reasons[] = {
      {"2: column op: 'x' is not +I, -U, +U or -D: x,2",
       "3: column op: NULL is not +I, -U, +U or -D: ,3",
       "4: column op: '+i' is not +I, -U, +U or -D: +i,4",
       "5: column id: 'y' is not a BIGINT: +I,y", "6: 1 fields where 2 are expected: -D",
       "7: column op: ' 0 ' is not +I, -U, +U or -D:  0 ,5"},
      {"2: column op: 'x' is not +I, -U, +U or -D: {\"op\":\"x\",\"id\":2}",
       "3: column op: NULL is not +I, -U, +U or -D: {\"op\":null,\"id\":3}",
       "4: column op: NULL is not +I, -U, +U or -D: {\"id\":4}",
       "5: column op: '0' is not +I, -U, +U or -D: {\"op\":0,\"id\":5}",
       "6: column op: '{}' is not +I, -U, +U or -D: {\"op\":{},\"id\":6}",
       "7: column op: 'true' is not +I, -U, +U or -D: {\"op\":true,\"id\":7}"}};
  for (const size_t format : {0, 1}) {
    const char* name = format == 0 ? "csv" : "json";
    SCOPED_TRACE(name);
    const Decoded failed = DecodeText(Table("id BIGINT", {{"format", name}}), texts[format]);
    EXPECT_THAT(failed.error, HasSubstr("2: bad record: column op: 'x' is not +I, -U, +U or -D"));
    const Decoded dropped =
        DecodeText(Table("id BIGINT", {{"format", name}, {"bad-records", "drop"}}), texts[format]);
    EXPECT_THAT(dropped.bad, ElementsAreArray(reasons[format]));
    const Decoded null =
        DecodeText(Table("id BIGINT", {{"format", name}, {"bad-records", "null"}}), texts[format]);
    EXPECT_THAT(null.bad, ElementsAreArray(reasons[format]));
    // A row whose kind is not known never stays.
    if (format == 0) {
      EXPECT_THAT(dropped.rows, ElementsAre("+I 1", "-D 6"));
      EXPECT_THAT(null.rows, ElementsAre("+I 1", "+I NULL", "-D NULL", "-D 6"));
    } else {
      EXPECT_THAT(dropped.rows, ElementsAre("+I 1", "-D 8"));
      EXPECT_THAT(null.rows, ElementsAre("+I 1", "-D 8"));
    }
  }
}

TEST(ChangelogColumnTest, ADeclaredColumnThatIsBadIsBlamedOnce) {
  for (const char* columns : {"op STRING, id BIGINT", "op STRING NOT NULL, id BIGINT"}) {
    for (const auto& [format, text] : {std::pair("csv", "+I,1\nx,2\n-D,3\n"),
                                       std::pair("json",
                                                 "{\"op\":\"+I\",\"id\":1}\n{\"op\":\"x\",\"id\":2}"
                                                 "\n{\"op\":\"-D\",\"id\":3}\n")}) {
      SCOPED_TRACE(format);
      const Decoded decoded =
          DecodeText(Table(columns, {{"format", format}, {"bad-records", "null"}}), text);
      EXPECT_THAT(decoded.rows, ElementsAre("+I +I|1", "-D -D|3"));
      EXPECT_THAT(decoded.bad, ElementsAre(HasSubstr("2: column op: 'x' is not +I, -U, +U or -D")));
    }
  }
}

TEST(ChangelogColumnTest, ManyRowsKeepTheirKindsWhenBadOnesAreDropped) {
  const char* const kinds[] = {"+I", "-U", "+U", "-D", "??"};
  std::string text;
  std::vector<std::string> expected;
  for (int row = 0; row < 50'000; ++row) {
    const bool is_bad = row % 1'000 == 999;
    const std::string kind = kinds[is_bad ? 4 : row % 4];
    text += fmt::format("{},{},name {}\n", kind, row, row);
    if (!is_bad) expected.push_back(fmt::format("{} {}|name {}", kind, row, row));
  }
  const TableDescription table =
      Table("id BIGINT, name STRING", {{"format", "csv"}, {"bad-records", "drop"}});
  const Decoded decoded = DecodeText(table, text);
  EXPECT_EQ(decoded.num_bad, 50);
  EXPECT_TRUE(decoded.rows == expected);
}

TEST(ChangelogColumnTest, AFileGoesOnInItsMiddle) {
  const auto decoder =
      DecoderOf(Table("id BIGINT", {{"format", "csv"}, {"csv.header", "true"}}), {0});
  ASSERT_TRUE(decoder->ResumeFile("id,x,op\n1,2,+I\n", 3));
  DecodeResult result;
  ASSERT_TRUE(decoder->Decode("7,8,-D\n", true, &result));
  EXPECT_THAT(RowTexts(decoder->TakeRows()), ElementsAre("-D 7"));
}

TEST(ChangelogColumnTest, InsertionsAreWrittenAsSuch) {
  const RowBatch rows = DecodeRows(TableOf("id BIGINT", {{"format", "csv"}}), "1\n2\n");
  EXPECT_FALSE(rows.has_change_kinds());
  EXPECT_EQ(EncodeRows(Table("id BIGINT", {{"format", "csv"}}), rows), "+I,1\n+I,2\n");
  EXPECT_EQ(EncodeRows(Table("id BIGINT", {{"format", "json"}}), rows),
            "{\"op\":\"+I\",\"id\":1}\n{\"op\":\"+I\",\"id\":2}\n");
}

TEST(ChangelogColumnTest, OnlyAnEncoderWithTheColumnTakesChanges) {
  for (const char* format : {"csv", "json"}) {
    for (const bool has_column : {false, true}) {
      const TableDescription table = has_column ? Table("id BIGINT", {{"format", format}})
                                                : TableOf("id BIGINT", {{"format", format}});
      OptionReader options(table.options, "table t", table.place);
      const auto encoder = NewRowEncoder(table, &options);
      ASSERT_TRUE(encoder);
      EXPECT_EQ((*encoder)->takes_changes(), has_column);
    }
  }
}

TEST(ChangelogColumnTest, Errors) {
  const std::pair<const char*, const char*> cases[] = {
      {"op BIGINT, id BIGINT", "the column op is BIGINT; it holds +I, -U, +U or -D"},
      {"Op STRING, OP STRING", "could be more than one column"},
  };
  for (const auto& [columns, message] : cases) {
    for (const char* format : {"csv", "json"}) {
      const TableDescription table = Table(columns, {{"format", format}});
      EXPECT_THAT(OptionErrorOf(table), HasSubstr(message));
      EXPECT_THAT(EncodeRows(table, RowBatch()), HasSubstr(message));
    }
  }
  EXPECT_THAT(OptionErrorOf(Table("id BIGINT", {{"format", "debezium-json"}})),
              HasSubstr("'changelog.column' is for csv and json"));
  EXPECT_THAT(
      DecodeText(Table("id BIGINT", {{"format", "csv"}, {"csv.header", "true"}}), "id\n1\n").error,
      HasSubstr("the header has no column 'op'"));
}

}  // namespace
}  // namespace braid
