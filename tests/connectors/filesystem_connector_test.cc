#include "engine/connectors/filesystem_connector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/connectors/file_location.h"
#include "tests/connectors/row_texts.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

class FilesystemConnectorTest : public testing::Test {
 protected:
  TableDescription Table(const std::map<std::string, std::string>& options) {
    TableDescription table;
    table.name = "t";
    table.schema = IdAndName();
    table.not_null = {0, 0};
    table.place = {"job.sql", 1, 1, {}, {}};
    int64_t line = 1;
    table.options["connector"] = {"filesystem", {"job.sql", ++line, 3, {}, {}}};
    for (const auto& [name, value] : options) {
      table.options[name] = {value, {"job.sql", ++line, 3, {}, {}}};
    }
    return table;
  }

  TemporaryFolder folder_;
  FilesystemConnector connector_;
  std::vector<std::string> notes_;
};

TEST_F(FilesystemConnectorTest, WhatATableWroteItReadsBack) {
  const TableDescription table =
      Table({{"path", folder_ / "out"}, {"format", "csv"}, {"csv.header", "true"}});
  auto sink = connector_.NewSink(table, &notes_);
  ASSERT_TRUE(sink) << sink.error().ToString();
  SinkContext context;
  context.query_id = "q";
  ASSERT_TRUE((*sink)->Open(context));
  ASSERT_TRUE((*sink)->BeginBatch(0));
  ASSERT_TRUE((*sink)->Write(0, MakeIdAndName({{1, "a, b"}, {2, "c"}})));
  ASSERT_TRUE((*sink)->PublishBatch(0));
  EXPECT_EQ(folder_.Read("out/part-00000000-000.csv"), "id,name\n1,\"a, b\"\n2,c\n");

  auto source = connector_.NewSource(table, {1}, &notes_);
  ASSERT_TRUE(source) << source.error().ToString();
  EXPECT_EQ((*source)->trigger_limits().bytes_max, 4 << 20);
  EXPECT_EQ((*source)->trigger_limits().files_max, 0);
  EXPECT_TRUE(ReadsWhatIsWritten((*source)->location(), (*sink)->location()));
  ASSERT_TRUE((*source)->Open(""));
  const Result<SourceNext> next = (*source)->Next({});
  ASSERT_TRUE(next) << next.error().ToString();
  EXPECT_THAT(RowTexts(next->slice.rows), ElementsAre("a, b", "c"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(FilesystemConnectorTest, AChangelogIsWrittenAndReadBack) {
  const RowBatch changes = MakeChanges({{ChangeKind::kInsert, 1, "a"},
                                        {ChangeKind::kUpdateBefore, 1, "a"},
                                        {ChangeKind::kUpdateAfter, 1, "b"},
                                        {ChangeKind::kDelete, 1, "b"}});
  struct Case {
    const char* format;
    const char* file;
    std::vector<std::string> rows;
  };
  const std::vector<std::string> kept = {"+I 1,a", "-U 1,a", "+U 1,b", "-D 1,b"};
  const Case cases[] = {
      {"csv", "part-00000000-000.csv", kept},
      {"json", "part-00000000-000.json", kept},
      // Flink's records know no updates on the way out.
      {"debezium-json", "part-00000000-000.json", {"+I 1,a", "-D 1,a", "+I 1,b", "-D 1,b"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.format);
    const std::string path = folder_ / one.format;
    TableDescription table = Table({{"path", path}, {"format", one.format}});
    const bool is_debezium = std::string(one.format) == "debezium-json";
    EXPECT_EQ((*connector_.NewSink(table, &notes_))->takes_changes(), is_debezium);
    if (!is_debezium) table.options["changelog.column"].value = "op";
    auto sink = connector_.NewSink(table, &notes_);
    ASSERT_TRUE(sink) << sink.error().ToString();
    EXPECT_TRUE((*sink)->takes_changes());
    SinkContext context;
    context.query_id = "q";
    ASSERT_TRUE((*sink)->Open(context));
    ASSERT_TRUE((*sink)->BeginBatch(0));
    ASSERT_TRUE((*sink)->Write(0, changes));
    ASSERT_TRUE((*sink)->PublishBatch(0));
    EXPECT_FALSE(folder_.Read(std::string(one.format) + "/" + one.file).empty());

    auto source = connector_.NewSource(table, {0, 1}, &notes_);
    ASSERT_TRUE(source) << source.error().ToString();
    EXPECT_TRUE((*source)->gives_changes());
    ASSERT_TRUE((*source)->Open(""));
    const Result<SourceNext> next = (*source)->Next({});
    ASSERT_TRUE(next) << next.error().ToString();
    EXPECT_THAT(RowTexts(next->slice.rows), ElementsAreArray(one.rows));
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(FilesystemConnectorTest, OptionsOfBothSidesAndBothSystemsAreUnderstood) {
  const TableDescription table = Table({{"path", "file://" + folder_ / "x"},
                                        {"format", "csv"},
                                        {"maxFilesPerTrigger", "3"},
                                        {"source.max-bytes-per-trigger", "64 kb"},
                                        {"source.monitor-interval", "10 s"},
                                        {"source.settle-time", "1 min"},
                                        {"sink.existing", "overwrite"},
                                        {"bad-records", "drop"},
                                        {"badRecordsPath", folder_ / "bad"},
                                        {"sink.rolling-policy.file-size", "1 mb"},
                                        {"auto-compaction", "true"}});
  auto source = connector_.NewSource(table, {0, 1}, &notes_);
  ASSERT_TRUE(source) << source.error().ToString();
  EXPECT_EQ((*source)->trigger_limits().files_max, 3);
  EXPECT_EQ((*source)->trigger_limits().bytes_max, 65'536);
  EXPECT_FALSE((*source)->is_finite());
  EXPECT_EQ((*source)->description(), "FileSource[" + folder_ / "x]");
  EXPECT_THAT(notes_, ElementsAre("table t: accepted, but without effect here: 'auto-compaction', "
                                  "'sink.rolling-policy.file-size'"));
  ASSERT_TRUE(connector_.NewSink(table, &notes_));
}

TEST_F(FilesystemConnectorTest, OptionErrorsNameTheOptionAndItsPlace) {
  struct Case {
    std::map<std::string, std::string> options;
    std::string message;
    int64_t line;
  };
  const std::vector<Case> cases = {
      {{{"format", "csv"}}, "the option 'path' is missing", 1},
      {{{"path", "x"}}, "the option 'format' is missing", 1},
      {{{"format", "cvs"}, {"path", "x"}, {"csv.header", "true"}}, "unknown 'format' = 'cvs'", 4},
      {{{"formt", "csv"}, {"path", "x"}, {"csv.header", "true"}},
       "unknown option 'formt'; did you mean 'format'?",
       4},
      {{{"format", "csv"}, {"path", "x"}, {"source.monitor-intervall", "1 s"}},
       "did you mean 'source.monitor-interval'?",
       5},
      {{{"format", "csv"}, {"path", "s3://bucket/x"}}, "only local files", 4},
      {{{"format", "csv"}, {"path", "x"}, {"source.max-files-per-trigger", "0"}},
       "must be 1 or more",
       5},
      {{{"format", "csv"}, {"path", "x"}, {"source.path.regex-pattern", "("}},
       "is not a regular expression",
       5},
      {{{"format", "csv"}, {"path", "x"}, {"sink.existing", "append"}},
       "must be one of: refuse, overwrite",
       5},
  };
  for (const Case& test : cases) {
    const auto source = connector_.NewSource(Table(test.options), {0, 1}, &notes_);
    ASSERT_FALSE(source) << test.message;
    EXPECT_EQ(source.error().code, ErrorCode::kInvalidOption) << test.message;
    EXPECT_THAT(source.error().message, HasSubstr(test.message));
    EXPECT_EQ(source.error().place.line, test.line) << test.message;
    const bool is_for_reading = test.options.contains("source.path.regex-pattern");
    EXPECT_EQ(connector_.NewSink(Table(test.options), &notes_).has_value(), is_for_reading);
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(FilesystemConnectorTest, APatternCannotBeWritten) {
  const auto sink = connector_.NewSink(Table({{"path", "out/*.csv"}, {"format", "csv"}}), &notes_);
  ASSERT_FALSE(sink);
  EXPECT_THAT(sink.error().message, HasSubstr("'out/*.csv' is a pattern"));
}

}  // namespace
}  // namespace braid
