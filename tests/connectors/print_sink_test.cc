#include "engine/connectors/print_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "engine/connectors/connector_registry.h"
#include "tests/connectors/row_texts.h"

namespace braid {
namespace {

using testing::HasSubstr;

// What the sink wrote.
std::string Printed(const std::string& identifier, const std::vector<RowBatch>& batches,
                    const std::optional<ChangelogColumn>& changelog = std::nullopt) {
  std::FILE* stream = std::tmpfile();
  PrintSink sink(identifier, stream, changelog);
  EXPECT_TRUE(sink.Open({}));
  EXPECT_TRUE(sink.BeginBatch(0));
  for (const RowBatch& rows : batches) EXPECT_TRUE(sink.Write(0, rows));
  EXPECT_TRUE(sink.PublishBatch(0));
  std::rewind(stream);
  std::string text;
  for (int letter = std::fgetc(stream); letter != EOF; letter = std::fgetc(stream)) {
    text += static_cast<char>(letter);
  }
  std::fclose(stream);
  return text;
}

TEST(PrintSinkTest, PrintsRowsAsFlinkDoes) {
  ColumnBuilder ids(DataType::BigInt());
  ColumnBuilder times(DataType::Timestamp(3));
  ColumnBuilder names(DataType::String());
  ids.Append<int64_t>(1);
  ids.AppendNull();
  times.Append<int64_t>(1'704'067'200'500'000);
  times.AppendNull();
  names.AppendString("a");
  names.AppendString("b, c");
  const auto schema = std::make_shared<const Schema>(Schema{
      {{"id", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}, {"n", DataType::String()}}});
  const RowBatch rows(schema, {ids.Finish(), times.Finish(), names.Finish()}, 2);
  EXPECT_EQ(Printed("", {rows}), "+I[1, 2024-01-01 00:00:00.500, a]\n+I[NULL, NULL, b, c]\n");
}

TEST(PrintSinkTest, AChangeShowsItsKind) {
  const RowBatch changes = MakeChanges({{ChangeKind::kInsert, 1, "a"},
                                        {ChangeKind::kUpdateBefore, 1, "a"},
                                        {ChangeKind::kUpdateAfter, 1, "b"},
                                        {ChangeKind::kDelete, 1, "b"}});
  EXPECT_EQ(Printed("", {changes}), "+I[1, a]\n-U[1, a]\n+U[1, b]\n-D[1, b]\n");
  EXPECT_EQ(Printed("", {changes}, ChangelogColumn{"op", std::nullopt}), Printed("", {changes}));
  EXPECT_EQ(Printed("", {changes}, ChangelogColumn{"name", 1}),
            "+I[1, +I]\n-U[1, -U]\n+U[1, +U]\n-D[1, -D]\n");
}

TEST(PrintSinkTest, APrintedFormatTakesChangesIfItCanShowThem) {
  const ConnectorRegistry registry = BuiltInConnectors();
  const std::pair<const char*, bool> cases[] = {
      {"row", true}, {"table", true}, {"csv", false}, {"json", false}};
  for (const auto& [format, takes_changes] : cases) {
    TableDescription table;
    table.name = "t";
    table.schema = IdAndName();
    table.options["connector"].value = "print";
    table.options["print.format"].value = format;
    const auto plain = (*registry.Find(table))->NewSink(table, nullptr);
    ASSERT_TRUE(plain) << plain.error().ToString();
    EXPECT_EQ((*plain)->takes_changes(), takes_changes) << format;
    table.options["changelog.column"].value = "op";
    const auto named = (*registry.Find(table))->NewSink(table, nullptr);
    ASSERT_TRUE(named) << named.error().ToString();
    EXPECT_TRUE((*named)->takes_changes()) << format;
    table.options["changelog.column"].value = "id";
    const auto refused = (*registry.Find(table))->NewSink(table, nullptr);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("the column id is BIGINT")) << format;
  }
}

TEST(PrintSinkTest, AnIdentifierStandsInFront) {
  EXPECT_EQ(Printed("out", {MakeIdAndName({{1, "a"}, {2, "b"}})}),
            "out> +I[1, a]\nout> +I[2, b]\n");
}

TEST(PrintSinkTest, ManyRowsArePrintedWhole) {
  std::vector<std::pair<int64_t, std::string>> rows;
  std::string expected;
  for (int64_t id = 0; id < 20'000; ++id) {
    rows.emplace_back(id, "name");
    expected += "+I[" + std::to_string(id) + ", name]\n";
  }
  EXPECT_EQ(Printed("", {MakeIdAndName(rows)}), expected);
}

TEST(PrintSinkTest, PrintAndBlackholeAreBuiltInAndReadTheirOptions) {
  const ConnectorRegistry registry = BuiltInConnectors();
  TableDescription table;
  table.name = "t";
  for (const char* name : {"print", "blackhole"}) {
    table.options = {};
    table.options["connector"].value = name;
    table.options["sink.parallelism"].value = "2";
    const Connector* connector = *registry.Find(table);
    std::vector<std::string> notes;
    EXPECT_TRUE(connector->NewSink(table, &notes)) << name;
    EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("'sink.parallelism'"))) << name;
    EXPECT_EQ(connector->NewSource(table, {}, &notes).error().code, ErrorCode::kInvalidQuery);
    table.options["print-identifer"].value = "x";
    const auto sink = connector->NewSink(table, &notes);
    ASSERT_FALSE(sink);
    EXPECT_THAT(sink.error().message, HasSubstr("unknown option 'print-identifer'"));
  }
}

TEST(PrintSinkTest, ABlackholeTakesEverything) {
  TableDescription table;
  table.options["connector"].value = "blackhole";
  const ConnectorRegistry registry = BuiltInConnectors();
  auto sink = (*registry.Find(table))->NewSink(table, nullptr);
  ASSERT_TRUE(sink);
  EXPECT_TRUE((*sink)->takes_changes());
  EXPECT_TRUE((*sink)->Open({}));
  EXPECT_TRUE((*sink)->BeginBatch(0));
  EXPECT_TRUE((*sink)->Write(0, MakeIdAndName({{1, "a"}})));
  EXPECT_TRUE((*sink)->PublishBatch(0));
}

}  // namespace
}  // namespace braid
