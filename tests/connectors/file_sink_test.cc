#include "engine/connectors/file_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/connectors/line_encoder.h"
#include "tests/connectors/memory_file_operations.h"
#include "tests/connectors/row_texts.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

SinkContext Context(const std::string& query_id, int64_t first_batch = 0) {
  SinkContext context;
  context.query_id = query_id;
  context.num_partitions = 3;
  context.first_batch = first_batch;
  context.durable = true;
  return context;
}

class FileSinkTest : public testing::Test {
 protected:
  std::unique_ptr<FileSink> NewSink(bool overwrite = false, const std::string& header = "") {
    return std::make_unique<FileSink>(FileSink::Options{"/out", "csv", overwrite, 0},
                                      std::make_unique<LineEncoder>(header), disk_);
  }

  // A run that writes one row "<batch>,<name>" in each batch.
  void Run(const std::string& query_id, const std::vector<int64_t>& batches,
           const std::string& name) {
    const auto sink = NewSink();
    ASSERT_TRUE(sink->Open(Context(query_id, batches.front())));
    for (const int64_t batch : batches) {
      ASSERT_TRUE(sink->BeginBatch(batch));
      ASSERT_TRUE(sink->Write(0, MakeIdAndName({{batch, name}})));
      ASSERT_TRUE(sink->PublishBatch(batch));
    }
  }

  // What a reader sees: files whose names begin neither with '.' nor with '_'.
  std::map<std::string, std::string> Visible() const {
    std::map<std::string, std::string> visible;
    for (const auto& [path, bytes] : disk_->Files()) {
      const std::string name = path.substr(path.rfind('/') + 1);
      if (name[0] != '.' && name[0] != '_') visible[name] = bytes;
    }
    return visible;
  }

  void WriteFile(const std::string& name, const std::string& bytes) {
    auto file = disk_->NewFile("/out/" + name, FileOperations::Create::kTruncate);
    ASSERT_TRUE(file && (*file)->Append(bytes));
  }

  std::shared_ptr<MemoryFileOperations> disk_ = std::make_shared<MemoryFileOperations>();
};

TEST_F(FileSinkTest, WritesOneFileABatchAndPartitionThatHasRows) {
  const auto sink = NewSink();
  ASSERT_TRUE(sink->Open(Context("q")));
  ASSERT_TRUE(sink->BeginBatch(0));
  ASSERT_TRUE(sink->Write(0, MakeIdAndName({{1, "a"}})));
  ASSERT_TRUE(sink->Write(2, MakeIdAndName({{2, "b"}})));
  ASSERT_TRUE(sink->Write(1, MakeIdAndName({})));
  ASSERT_TRUE(sink->Write(0, MakeIdAndName({{3, "c"}})));
  EXPECT_THAT(Visible(), IsEmpty());
  ASSERT_TRUE(sink->PublishBatch(0));
  ASSERT_TRUE(sink->BeginBatch(1));
  ASSERT_TRUE(sink->PublishBatch(1));
  ASSERT_TRUE(sink->BeginBatch(12));
  ASSERT_TRUE(sink->Write(1, MakeIdAndName({{4, "d"}})));
  ASSERT_TRUE(sink->PublishBatch(12));
  EXPECT_THAT(Visible(), UnorderedElementsAre(Pair("part-00000000-000.csv", "1,a\n3,c\n"),
                                              Pair("part-00000000-002.csv", "2,b\n"),
                                              Pair("part-00000012-001.csv", "4,d\n")));
}

TEST_F(FileSinkTest, EveryFileBeginsWithTheHeader) {
  const auto sink = NewSink(false, "id,name\n");
  ASSERT_TRUE(sink->Open(Context("q")));
  for (int64_t batch = 0; batch < 2; ++batch) {
    ASSERT_TRUE(sink->BeginBatch(batch));
    ASSERT_TRUE(sink->Write(0, MakeIdAndName({{batch, "a"}})));
    ASSERT_TRUE(sink->Write(0, MakeIdAndName({{batch, "b"}})));
    ASSERT_TRUE(sink->PublishBatch(batch));
  }
  EXPECT_THAT(Visible(),
              UnorderedElementsAre(Pair("part-00000000-000.csv", "id,name\n0,a\n0,b\n"),
                                   Pair("part-00000001-000.csv", "id,name\n1,a\n1,b\n")));
}

TEST_F(FileSinkTest, RowsGoToTheDiskWhileTheBatchRuns) {
  const auto sink = NewSink();
  ASSERT_TRUE(sink->Open(Context("q")));
  ASSERT_TRUE(sink->BeginBatch(0));
  const RowBatch rows = MakeIdAndName({{1, std::string(100'000, 'x')}});
  for (int count = 0; count < 10; ++count) ASSERT_TRUE(sink->Write(0, rows));
  EXPECT_GT(disk_->Files().at("/out/.part-00000000-000.csv.tmp").size(), 600'000U);
}

TEST_F(FileSinkTest, ABatchThatIsWrittenAgainReplacesItAndAllLaterOnes) {
  Run("q", {0, 1, 2}, "first");
  Run("q", {1}, "second");
  EXPECT_THAT(Visible(), UnorderedElementsAre(Pair("part-00000000-000.csv", "0,first\n"),
                                              Pair("part-00000001-000.csv", "1,second\n")));
}

// Behind a rollback perhaps no batch follows.
TEST_F(FileSinkTest, ARunThatStartsTakesOutWhatIsNotCommitted) {
  Run("q", {0, 1, 2}, "first");
  const auto sink = NewSink();
  ASSERT_TRUE(sink->Open(Context("q", 1)));
  EXPECT_THAT(Visible(), UnorderedElementsAre(Pair("part-00000000-000.csv", "0,first\n")));
}

TEST_F(FileSinkTest, ABatchThatIsWrittenAgainByFewerPartitionsReplacesAllOfThem) {
  for (const int num_partitions : {3, 1}) {
    SinkContext context = Context("q");
    context.num_partitions = num_partitions;
    const auto sink = NewSink();
    ASSERT_TRUE(sink->Open(context));
    ASSERT_TRUE(sink->BeginBatch(0));
    for (int partition = 0; partition < num_partitions; ++partition) {
      ASSERT_TRUE(sink->Write(partition, MakeIdAndName({{num_partitions, "a"}})));
    }
    ASSERT_TRUE(sink->PublishBatch(0));
  }
  EXPECT_THAT(Visible(), UnorderedElementsAre(Pair("part-00000000-000.csv", "1,a\n")));
}

TEST_F(FileSinkTest, AnAttemptThatWasGivenUpLeavesNothing) {
  const auto sink = NewSink();
  ASSERT_TRUE(sink->Open(Context("q")));
  ASSERT_TRUE(sink->BeginBatch(0));
  ASSERT_TRUE(sink->Write(0, MakeIdAndName({{1, "lost"}})));
  ASSERT_TRUE(sink->BeginBatch(0));
  ASSERT_TRUE(sink->Write(1, MakeIdAndName({{1, "kept"}})));
  ASSERT_TRUE(sink->PublishBatch(0));
  ASSERT_TRUE(sink->PublishBatch(0));
  EXPECT_THAT(Visible(), UnorderedElementsAre(Pair("part-00000000-001.csv", "1,kept\n")));
  ASSERT_TRUE(sink->BeginBatch(1));
  ASSERT_TRUE(sink->Write(0, MakeIdAndName({{2, "lost"}})));
  ASSERT_TRUE(sink->Close());
  EXPECT_EQ(disk_->Files().size(), 2U);
}

TEST_F(FileSinkTest, TheFolderOfAnotherRunIsRefused) {
  Run("first", {0}, "a");
  const Status status = NewSink()->Open(Context("second"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kConflict);
  EXPECT_THAT(status.error().message, HasSubstr("'/out' holds the output of another run"));
  EXPECT_THAT(status.error().message, HasSubstr("to go on with that one, give its checkpoint"));
  EXPECT_THAT(status.error().message, HasSubstr("'sink.existing' = 'overwrite'"));
  EXPECT_THAT(Visible(), UnorderedElementsAre(Pair("part-00000000-000.csv", "0,a\n")));
  Run("first", {1}, "b");
  EXPECT_EQ(Visible().size(), 2U);
}

TEST_F(FileSinkTest, AFolderWithForeignFilesIsRefused) {
  WriteFile("important.csv", "1\n");
  const Status status = NewSink()->Open(Context("q"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kConflict);
  EXPECT_THAT(status.error().message, HasSubstr("is not empty and was not written by this query"));
  EXPECT_EQ(disk_->Files().size(), 1U);
}

TEST_F(FileSinkTest, HiddenFilesAndAnUnfinishedOwnerMakeNoContent) {
  WriteFile(".gitkeep", "");
  WriteFile("_braid_owner", "{\"form");
  Run("q", {0}, "a");
  EXPECT_THAT(Visible(), UnorderedElementsAre(Pair("part-00000000-000.csv", "0,a\n")));
  EXPECT_EQ(disk_->Files().at("/out/_braid_owner"),
            "{\"format\":\"braid output 1\",\"query\":\"q\"}\n");
  EXPECT_FALSE(NewSink()->Open(Context("other")));
}

TEST_F(FileSinkTest, OverwriteRemovesOurFilesAndNoOthers) {
  Run("first", {0, 1, 2}, "old");
  WriteFile("important.csv", "1\n");
  WriteFile("part-notes.csv", "2\n");
  WriteFile("part-00000000-000.txt", "3\n");
  const auto sink = NewSink(true);
  ASSERT_TRUE(sink->Open(Context("second")));
  EXPECT_THAT(Visible(),
              UnorderedElementsAre(Pair("important.csv", "1\n"), Pair("part-notes.csv", "2\n"),
                                   Pair("part-00000000-000.txt", "3\n")));
  EXPECT_FALSE(NewSink()->Open(Context("first", 3)));
  EXPECT_TRUE(NewSink()->Open(Context("second")));
}

TEST_F(FileSinkTest, OverwriteDoesNotHideThatTheFolderWasTakenFromARunningQuery) {
  Run("first", {0, 1}, "old");
  ASSERT_TRUE(NewSink(true)->Open(Context("second")));
  const Status status = NewSink(true)->Open(Context("first", 2));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kConflict);
  EXPECT_THAT(status.error().message, HasSubstr("was taken over by the query second"));
}

TEST_F(FileSinkTest, AnOwnerThatIsLostOrDamagedIsNamedToTheQueryThatWroteIt) {
  for (const bool overwrite : {false, true}) {
    for (const char* const text : {"", "x", "{}", "{\"query\":\"\"}"}) {
      disk_ = std::make_shared<MemoryFileOperations>();
      Run("q", {0, 1}, "a");
      ASSERT_TRUE(disk_->Remove("/out/_braid_owner"));
      const bool is_there = *text != '\0';
      if (is_there) WriteFile("_braid_owner", text);
      const Status status = NewSink(overwrite)->Open(Context("q", 2));
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().code, ErrorCode::kConflict);
      EXPECT_THAT(status.error().message, HasSubstr("'/out/_braid_owner', which says"));
      EXPECT_THAT(status.error().message, HasSubstr(is_there ? "is damaged" : "is missing"));
      EXPECT_THAT(status.error().message,
                  HasSubstr("put it back ({\"format\":\"braid output 1\",\"query\":\"q\"})"));
      EXPECT_EQ(Visible().size(), 2U);
    }
  }
}

TEST_F(FileSinkTest, AFolderThatTheQueryWroteToBeforeIsTakenBackOrNamed) {
  const auto take_back = [&](const std::string& query) {
    return FileSink::TakeBackFormer("/out", Context(query, 1), disk_);
  };
  EXPECT_TRUE(take_back("q"));  // It is not there.
  Run("q", {0, 1, 2}, "a");
  ASSERT_TRUE(take_back("second"));  // Another query's by now.
  EXPECT_EQ(Visible().size(), 3U);
  ASSERT_TRUE(disk_->Remove("/out/_braid_owner"));
  const Status lost = take_back("q");
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kConflict);
  EXPECT_THAT(lost.error().message, HasSubstr("the folder '/out', which this query wrote to"));
  EXPECT_THAT(lost.error().message, HasSubstr("is missing; put it back"));
  WriteFile("_braid_owner", "{\"query\":\"q\"}");
  ASSERT_TRUE(take_back("q"));
  EXPECT_THAT(Visible(), ElementsAre(Pair("part-00000000-000.csv", "0,a\n")));
}

// Setting 'sink.existing' would only lead to the next refusal.
TEST_F(FileSinkTest, AQueryThatHasWrittenIsNotToldToOverwriteTheFolderOfAnother) {
  Run("first", {0}, "a");
  const Status status = NewSink()->Open(Context("second", 1));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("holds the output of another run (query first)"));
  EXPECT_THAT(status.error().message, testing::Not(HasSubstr("overwrite")));
}

TEST_F(FileSinkTest, ARunningQueryPublishesNothingIntoAFolderThatIsNoLongerIts) {
  for (const bool removed : {false, true}) {
    disk_ = std::make_shared<MemoryFileOperations>();
    const auto first = NewSink();
    ASSERT_TRUE(first->Open(Context("first")));
    ASSERT_TRUE(first->BeginBatch(0));
    ASSERT_TRUE(first->Write(0, MakeIdAndName({{1, "lost"}})));
    const auto second = NewSink(true);
    if (removed) {
      ASSERT_TRUE(disk_->Remove("/out/_braid_owner"));
    } else {
      ASSERT_TRUE(second->Open(Context("second")));
    }
    const Status status = first->PublishBatch(0);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kConflict);
    EXPECT_THAT(status.error().message, HasSubstr(removed ? "was removed" : "the query second"));
    EXPECT_THAT(Visible(), IsEmpty());
  }
}

// The first run of a job often stops at the first bad row; the next must not find a foreign folder.
TEST_F(FileSinkTest, ARunWithoutACheckpointThatPublishedNothingGivesTheFolderBack) {
  SinkContext context = Context("first");
  context.durable = false;
  {
    const auto sink = NewSink();
    ASSERT_TRUE(sink->Open(context));
    ASSERT_TRUE(sink->BeginBatch(0));
    ASSERT_TRUE(sink->Write(0, MakeIdAndName({{1, "lost"}})));
  }
  EXPECT_THAT(disk_->Files(), IsEmpty());
  {
    const auto sink = NewSink();
    ASSERT_TRUE(sink->Open(context));
    ASSERT_TRUE(NewSink(true)->Open(Context("second")));
  }
  EXPECT_THAT(disk_->Files(), SizeIs(1)) << "the owner is another query now";
}

TEST_F(FileSinkTest, OurOwnFolderIsKeptUnderOverwrite) {
  Run("q", {0, 1}, "old");
  const auto sink = NewSink(true);
  ASSERT_TRUE(sink->Open(Context("q", 2)));
  EXPECT_EQ(Visible().size(), 2U);
}

TEST_F(FileSinkTest, AFailedWriteIsAnError) {
  const auto sink = NewSink();
  ASSERT_TRUE(sink->Open(Context("q")));
  ASSERT_TRUE(sink->BeginBatch(0));
  ASSERT_TRUE(sink->Write(0, MakeIdAndName({{1, "a"}})));
  disk_->StopAt(disk_->steps());
  const Status status = sink->PublishBatch(0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
}

TEST_F(FileSinkTest, OnlyOurNamesCountAsOutputFiles) {
  const std::vector<std::pair<std::string, int64_t>> cases = {
      {"part-00000012-003.csv", 12},      {"part-123456789-1000.json", 123'456'789},
      {"part-00000012-003.txt", -1},      {"part-0012-003.csv", -1},
      {"part-00000012.csv", -1},          {"part-00000012-03.csv", -1},
      {".part-00000012-003.csv.tmp", -1}, {"part-00000012-003.csv.bak", -1},
      {"part--0000012-003.csv", -1},      {"part-00000-1c2d.snappy.parquet", -1},
  };
  for (const auto& [name, batch] : cases) EXPECT_EQ(BatchOfOutputFile(name), batch) << name;
}

// A query of five batches over a disk that stops at some step; then the query starts again with the
// number of batches it knows to be committed.
class CrashingQuery {
 public:
  static constexpr int64_t kNumBatches = 5;

  CrashingQuery(std::shared_ptr<MemoryFileOperations> disk, int64_t file_size_min)
      : disk_(std::move(disk)), file_size_min_(file_size_min) {}

  int64_t committed() const { return committed_; }

  // False if the disk stopped. What a row says differs from one attempt to the next only in its
  // partition, as when parallelism changes.
  bool Run() {
    ++attempt_;
    FileSink sink({"/out", "csv", false, file_size_min_}, std::make_unique<LineEncoder>(""), disk_);
    if (!sink.Open(Context("q", committed_))) return false;
    for (int64_t batch = committed_; batch < kNumBatches; ++batch) {
      if (!RunBatch(&sink, batch)) return false;
      // The commit of the state is a step that may fail after the sink has published.
      if (disk_->stopped()) return false;
      committed_ = batch + 1;
    }
    return true;
  }

  // Every row of a batch, in no order.
  static std::vector<std::string> RowsOf(int64_t batch) {
    std::vector<std::string> rows;
    for (int64_t row = 0; row < 3 + batch; ++row) {
      rows.push_back(std::to_string(batch * 100 + row) + ",name");
    }
    return rows;
  }

 private:
  bool RunBatch(FileSink* sink, int64_t batch) {
    if (!sink->BeginBatch(batch)) return false;
    for (int64_t row = 0; row < 3 + batch; ++row) {
      const int partition = static_cast<int>((row + attempt_) % 3);
      if (!sink->Write(partition, MakeIdAndName({{batch * 100 + row, "name"}}))) return false;
    }
    return static_cast<bool>(sink->PublishBatch(batch));
  }

  std::shared_ptr<MemoryFileOperations> disk_;
  const int64_t file_size_min_;
  int64_t committed_ = 0;
  int64_t attempt_ = 0;
};

// The rows of all visible files, by how often they occur; fails on a line that is torn.
// A crash while a batch is appended to a file that grows leaves the beginning of the batch.
std::map<std::string, int> CountRows(const std::map<std::string, std::string>& files,
                                     bool may_be_torn = false) {
  std::map<std::string, int> counts;
  for (const auto& [name, bytes] : files) {
    EXPECT_TRUE(may_be_torn || bytes.ends_with('\n')) << name << " ends inside a line";
    size_t begin = 0;
    for (size_t end = bytes.find('\n'); end != std::string::npos; end = bytes.find('\n', begin)) {
      ++counts[bytes.substr(begin, end - begin)];
      begin = end + 1;
    }
  }
  return counts;
}

struct CrashCase {
  bool power_loss = false;
  int64_t file_size_min = 0;
  int64_t steps_min = 0;
};

class FileSinkCrashTest : public FileSinkTest, public testing::WithParamInterface<CrashCase> {};

TEST_P(FileSinkCrashTest, AfterACrashAtAnyStepEachRowIsThereOnce) {
  const auto [power_loss, file_size_min, steps_min] = GetParam();
  int64_t step = 0;
  for (bool crashed = true; crashed; ++step) {
    disk_ = std::make_shared<MemoryFileOperations>();
    CrashingQuery query(disk_, file_size_min);
    disk_->StopAt(step);
    crashed = !query.Run();
    power_loss ? disk_->RestartAfterPowerLoss() : disk_->Restart();

    // What stands there before the restart: all committed rows, and no row twice.
    const std::map<std::string, int> left = CountRows(Visible(), file_size_min > 0);
    for (int64_t batch = 0; batch < query.committed(); ++batch) {
      for (const std::string& row : CrashingQuery::RowsOf(batch)) {
        ASSERT_EQ(left.count(row), 1U) << row << " is lost after step " << step;
      }
    }
    for (const auto& [row, count] : left) ASSERT_EQ(count, 1) << row << " after step " << step;

    ASSERT_TRUE(query.Run()) << "no restart after step " << step;
    const std::map<std::string, int> rows = CountRows(Visible());
    size_t expected = 0;
    for (int64_t batch = 0; batch < CrashingQuery::kNumBatches; ++batch) {
      expected += CrashingQuery::RowsOf(batch).size();
      for (const std::string& row : CrashingQuery::RowsOf(batch)) {
        ASSERT_TRUE(rows.contains(row)) << row << " after step " << step;
      }
    }
    EXPECT_EQ(rows.size(), expected);
    for (const auto& [row, count] : rows) ASSERT_EQ(count, 1) << row << " after step " << step;
    for (const auto& [path, bytes] : disk_->Files()) {
      EXPECT_FALSE(path.ends_with(".tmp")) << path << " is left after step " << step;
    }
  }
  EXPECT_GT(step, steps_min);
}

INSTANTIATE_TEST_SUITE_P(KillAndPowerLoss, FileSinkCrashTest,
                         testing::Values(CrashCase{false, 0, 80}, CrashCase{true, 0, 80},
                                         CrashCase{false, 30, 70}, CrashCase{true, 30, 70},
                                         CrashCase{false, 1000, 70}, CrashCase{true, 1000, 70}));

TEST(FileSinkOnDiskTest, WritesIntoAFolderThatIsCreated) {
  const TemporaryFolder folder;
  FileSink sink({folder / "a/out", "csv", false, 0}, std::make_unique<LineEncoder>(""),
                NewPosixFileOperations());
  EXPECT_EQ(sink.location(), folder / "a/out");
  ASSERT_TRUE(sink.Open(Context("q")));
  ASSERT_TRUE(sink.BeginBatch(0));
  ASSERT_TRUE(sink.Write(1, MakeIdAndName({{1, "a"}})));
  ASSERT_TRUE(sink.PublishBatch(0));
  EXPECT_EQ(folder.Read("a/out/part-00000000-001.csv"), "1,a\n");
  EXPECT_TRUE(folder.Has("a/out/_braid_owner"));
  EXPECT_FALSE(folder.Has("a/out/.part-00000000-001.csv.tmp"));
}

TEST(FileSinkOnDiskTest, APathThatIsAFileIsRefused) {
  const TemporaryFolder folder;
  folder.Write("out", "");
  FileSink sink({folder / "out", "csv", false, 0}, std::make_unique<LineEncoder>(""),
                NewPosixFileOperations());
  const Status status = sink.Open(Context("q"));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(folder / "out"));
}

}  // namespace
}  // namespace braid
