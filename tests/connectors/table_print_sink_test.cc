#include "engine/connectors/table_print_sink.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/column_builder.h"
#include "tests/connectors/row_texts.h"

namespace braid {
namespace {

using testing::StartsWith;

std::string TextOf(std::FILE* stream) {
  std::rewind(stream);
  std::string text;
  for (int letter = std::fgetc(stream); letter != EOF; letter = std::fgetc(stream)) {
    text += static_cast<char>(letter);
  }
  return text;
}

// What is printed of `batches`, each published for itself.
std::string Printed(const std::vector<RowBatch>& batches, bool colours = false,
                    const std::optional<ChangelogColumn>& changelog = std::nullopt) {
  std::FILE* stream = std::tmpfile();
  TablePrintSink sink(IdAndName(), stream, colours, changelog);
  EXPECT_TRUE(sink.Open({}));
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    EXPECT_TRUE(sink.BeginBatch(static_cast<int64_t>(batch)));
    EXPECT_TRUE(sink.Write(0, batches[batch]));
    EXPECT_TRUE(sink.PublishBatch(static_cast<int64_t>(batch)));
  }
  EXPECT_TRUE(sink.Close());
  std::string text = TextOf(stream);
  std::fclose(stream);
  return text;
}

RowBatch WithNulls() {
  ColumnBuilder ids(DataType::BigInt());
  ColumnBuilder names(DataType::String());
  ids.AppendNull();
  names.AppendNull();
  return RowBatch(std::make_shared<const Schema>(IdAndName()), {ids.Finish(), names.Finish()}, 1);
}

TEST(TablePrintSinkTest, NumbersStandToTheRightAndTextsToTheLeft) {
  EXPECT_EQ(Printed({MakeIdAndName({{1, "a"}, {12345, "日本\n"}})}),
            "   id | name\n"
            "------+-------\n"
            "    1 | a\n"
            "12345 | 日本\\n\n");
}

TEST(TablePrintSinkTest, NullIsNoText) {
  EXPECT_EQ(Printed({WithNulls()}),
            "    id | name\n"
            "-------+-------\n"
            "<NULL> | <NULL>\n");
}

TEST(TablePrintSinkTest, ColoursAreForTheHeaderAndNull) {
  EXPECT_EQ(Printed({WithNulls()}, /*colours=*/true),
            "    \x1b[1mid\x1b[0m | \x1b[1mname\x1b[0m\n"
            "-------+-------\n"
            "\x1b[2m<NULL>\x1b[0m | \x1b[2m<NULL>\x1b[0m\n");
}

TEST(TablePrintSinkTest, TheFirstRowsFixTheWidthsAndLaterOnesAreStillWhole) {
  EXPECT_EQ(
      Printed({MakeIdAndName({}), MakeIdAndName({{1, "a"}}), MakeIdAndName({{123, "long name"}})}),
      "id | name\n"
      "---+-----\n"
      " 1 | a\n"
      "123 | long name\n");
}

TEST(TablePrintSinkTest, RowsOfAChangelogShowTheirKindsInFront) {
  const RowBatch changes =
      MakeChanges({{ChangeKind::kInsert, 1, "a"}, {ChangeKind::kDelete, 1, "a"}});
  EXPECT_EQ(Printed({changes, MakeIdAndName({{2, "b"}})}),
            "op | id | name\n"
            "---+----+-----\n"
            "+I |  1 | a\n"
            "-D |  1 | a\n"
            "+I |  2 | b\n");
  // Rows without kinds came first.
  EXPECT_EQ(Printed({MakeIdAndName({{2, "b"}}), changes}),
            "id | name\n"
            "---+-----\n"
            " 2 | b\n"
            "op | id | name\n"
            "---+----+-----\n"
            "+I |  1 | a\n"
            "-D |  1 | a\n");
}

TEST(TablePrintSinkTest, AChangelogColumnShowsTheKindsOfAllRows) {
  const RowBatch changes = MakeChanges({{ChangeKind::kDelete, 1, "a"}});
  EXPECT_EQ(
      Printed({MakeIdAndName({{2, "b"}}), changes}, false, ChangelogColumn{"k", std::nullopt}),
      "k  | id | name\n"
      "---+----+-----\n"
      "+I |  2 | b\n"
      "-D |  1 | a\n");
  EXPECT_EQ(Printed({changes}, false, ChangelogColumn{"name", 1}),
            "id | name\n"
            "---+-----\n"
            " 1 | -D\n");
}

TEST(TablePrintSinkTest, ATableWithoutRowsIsItsHeader) {
  EXPECT_EQ(Printed({}), "id | name\n---+-----\n");
}

TEST(TablePrintSinkTest, OneBatchOfAnyLengthIsPrintedAsItComes) {
  std::FILE* stream = std::tmpfile();
  TablePrintSink sink(IdAndName(), stream, false);
  std::vector<std::pair<int64_t, std::string>> rows;
  for (size_t row = 0; row < TablePrintSink::kRowsMeasured; ++row) rows.emplace_back(1, "a");
  ASSERT_TRUE(sink.Write(0, MakeIdAndName(rows)));
  std::fflush(stream);
  EXPECT_THAT(TextOf(stream), StartsWith("id | name\n---+-----\n 1 | a\n"));
  std::fclose(stream);
}

}  // namespace
}  // namespace braid
