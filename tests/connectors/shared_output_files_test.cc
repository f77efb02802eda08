// Files that several batches share ('sink.min-file-size').
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/connectors/file_sink.h"
#include "tests/connectors/line_encoder.h"
#include "tests/connectors/memory_file_operations.h"
#include "tests/connectors/row_texts.h"

namespace braid {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr const char* kHeader = "id,name\n";

class SharedOutputFilesTest : public testing::Test {
 protected:
  std::unique_ptr<FileSink> NewSink(int64_t file_size_min, const std::string& header = kHeader,
                                    const std::string& layout = "") {
    return std::make_unique<FileSink>(
        FileSink::Options{"/out", "csv", false, file_size_min, layout},
        std::make_unique<LineEncoder>(header), disk_);
  }

  static SinkContext Context(int64_t first_batch, int num_partitions = 1) {
    SinkContext context;
    context.query_id = "q";
    context.num_partitions = num_partitions;
    context.first_batch = first_batch;
    context.durable = true;
    return context;
  }

  // The message of a start that is refused.
  std::string Refusal(int64_t file_size_min, int64_t first_batch) {
    const Status opened = NewSink(file_size_min)->Open(Context(first_batch));
    EXPECT_FALSE(opened);
    if (opened) return {};
    EXPECT_EQ(opened.error().code, ErrorCode::kCorruption);
    return opened.error().message;
  }

  void CutFile(const std::string& path, size_t size) {
    ASSERT_TRUE(disk_->OpenToAppend(path, static_cast<int64_t>(size)));
  }

  std::unique_ptr<FileSink> Open(int64_t file_size_min, int64_t first_batch = 0,
                                 int num_partitions = 1) {
    auto sink = NewSink(file_size_min);
    const Status opened = sink->Open(Context(first_batch, num_partitions));
    EXPECT_TRUE(opened) << opened.error().message;
    return sink;
  }

  Status WriteBatch(FileSink* sink, int64_t batch, const std::string& name, int partition = 0) {
    Status status = sink->BeginBatch(batch);
    if (status) status = sink->Write(partition, MakeIdAndName({{batch, name}}));
    return status ? sink->PublishBatch(batch) : status;
  }

  std::map<std::string, std::string> Visible() const {
    std::map<std::string, std::string> visible;
    for (const auto& [path, bytes] : disk_->Files()) {
      const std::string name = path.substr(path.rfind('/') + 1);
      if (name[0] != '.' && name[0] != '_') visible[name] = bytes;
    }
    return visible;
  }

  // The lines of all files but for their headers, sorted.
  std::vector<std::string> Rows() const {
    std::vector<std::string> rows;
    for (const auto& [name, bytes] : Visible()) {
      EXPECT_TRUE(bytes.starts_with(kHeader)) << name;
      size_t begin = std::string_view(kHeader).size();
      for (size_t end = bytes.find('\n', begin); end != std::string::npos;
           end = bytes.find('\n', begin)) {
        rows.push_back(bytes.substr(begin, end - begin));
        begin = end + 1;
      }
      EXPECT_EQ(begin, bytes.size()) << name << " ends inside a line";
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  std::shared_ptr<MemoryFileOperations> disk_ = std::make_shared<MemoryFileOperations>();
};

TEST_F(SharedOutputFilesTest, AFileTakesBatchesUntilItIsLongEnough) {
  const auto sink = Open(16);
  for (int64_t batch = 0; batch < 3; ++batch) {
    ASSERT_TRUE(WriteBatch(sink.get(), batch, "abc"));
    EXPECT_THAT(Rows(), SizeIs(static_cast<size_t>(batch + 1))) << "visible after each batch";
  }
  EXPECT_THAT(Visible(),
              UnorderedElementsAre(Pair("part-00000000-000.csv", "id,name\n0,abc\n1,abc\n"),
                                   Pair("part-00000002-000.csv", "id,name\n2,abc\n")));
}

TEST_F(SharedOutputFilesTest, ABatchThatIsLongerThanTheBufferIsAppendedWhole) {
  const auto sink = Open(1 << 20);
  ASSERT_TRUE(WriteBatch(sink.get(), 0, "a"));
  ASSERT_TRUE(sink->BeginBatch(1));
  const RowBatch rows = MakeIdAndName({{1, std::string(100'000, 'x')}});
  for (int count = 0; count < 7; ++count) ASSERT_TRUE(sink->Write(0, rows));
  EXPECT_THAT(Rows(), SizeIs(1)) << "nothing is seen of a batch that runs";
  ASSERT_TRUE(sink->PublishBatch(1));
  ASSERT_THAT(Rows(), SizeIs(8));
  EXPECT_EQ(Rows()[7], "1," + std::string(100'000, 'x'));
  EXPECT_THAT(disk_->Files(), SizeIs(3)) << "no temporary is left";
}

TEST_F(SharedOutputFilesTest, TheNumberOfFilesFollowsFromTheirBytes) {
  constexpr int64_t kNumBatches = 5'000;
  const auto sink = Open(10'000, 0, 2);
  for (int64_t batch = 0; batch < kNumBatches; ++batch) {
    ASSERT_TRUE(WriteBatch(sink.get(), batch, "name", static_cast<int>(batch % 2)));
  }
  EXPECT_EQ(Rows().size(), static_cast<size_t>(kNumBatches));
  size_t bytes = 0;
  for (const auto& [name, text] : Visible()) bytes += text.size();
  EXPECT_LE(Visible().size(), bytes / 10'000 + 2);
  EXPECT_LT(disk_->Files().at("/out/_braid_batches").size(), 100'000U);
}

TEST_F(SharedOutputFilesTest, WithoutTheOptionNoIndexIsWritten) {
  ASSERT_TRUE(WriteBatch(Open(0).get(), 0, "a"));
  EXPECT_THAT(disk_->Files(), SizeIs(2));
}

TEST_F(SharedOutputFilesTest, AFileThatIsTakenAwayIsFollowedByANewOne) {
  const auto sink = Open(1000);
  ASSERT_TRUE(WriteBatch(sink.get(), 0, "a"));
  ASSERT_TRUE(disk_->Remove("/out/part-00000000-000.csv"));
  ASSERT_TRUE(WriteBatch(sink.get(), 1, "b"));
  ASSERT_TRUE(WriteBatch(sink.get(), 2, "c"));
  EXPECT_THAT(Visible(),
              UnorderedElementsAre(Pair("part-00000001-000.csv", "id,name\n1,b\n2,c\n")));
}

TEST_F(SharedOutputFilesTest, AFileThatSomebodyChangedIsNotAppendedTo) {
  const auto sink = Open(1000);
  ASSERT_TRUE(WriteBatch(sink.get(), 0, "a"));
  auto file = disk_->NewFile("/out/part-00000000-000.csv", FileOperations::Create::kTruncate);
  ASSERT_TRUE(file);
  const Status status = WriteBatch(sink.get(), 1, "b");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kConflict);
  EXPECT_THAT(status.error().message, HasSubstr("'/out/part-00000000-000.csv' was changed"));
}

// Batch 3 is published, not committed: without the index its rows would be there twice.
TEST_F(SharedOutputFilesTest, AnIndexThatIsMissingIsNotTakenForOneThatNeverWas) {
  for (const int64_t next_size : {1000, 0}) {
    for (const int64_t first_batch : {3, 1}) {
      disk_ = std::make_shared<MemoryFileOperations>();
      const auto sink = Open(1000);
      for (int64_t batch = 0; batch < 4; ++batch) {
        ASSERT_TRUE(WriteBatch(sink.get(), batch, "a"));
      }
      ASSERT_TRUE(disk_->Remove("/out/_braid_batches"));
      EXPECT_THAT(Refusal(next_size, first_batch), HasSubstr("'/out/_braid_batches', which"));
      EXPECT_THAT(Refusal(next_size, first_batch), HasSubstr("is missing: put it back"));
    }
  }
}

TEST_F(SharedOutputFilesTest, WhereNoFileIsSharedAnIndexThatIsMissingIsBegunAgain) {
  ASSERT_TRUE(WriteBatch(Open(1000).get(), 0, "a"));
  ASSERT_TRUE(disk_->Remove("/out/_braid_batches"));
  ASSERT_TRUE(WriteBatch(Open(1000, 0).get(), 0, "b"));
  EXPECT_THAT(Rows(), testing::ElementsAre("0,b"));
}

// Cut at any byte, also at the end of a line and within the first batch's.
TEST_F(SharedOutputFilesTest, AnIndexThatLostLinesOfCommittedBatchesIsNoTornOne) {
  const auto write = [this] {
    disk_ = std::make_shared<MemoryFileOperations>();
    const auto sink = Open(16);
    for (int64_t batch = 0; batch < 4; ++batch) ASSERT_TRUE(WriteBatch(sink.get(), batch, "abc"));
  };
  write();
  const std::string index = disk_->Files().at("/out/_braid_batches");
  const size_t last_line = index.rfind('\n', index.size() - 2) + 1;
  for (size_t size = 0; size < last_line; ++size) {
    write();
    CutFile("/out/_braid_batches", size);
    EXPECT_NE(Refusal(16, 3), "") << size;
  }
  write();
  CutFile("/out/_braid_batches", last_line);
  EXPECT_NE(Refusal(16, 4), "");
}

TEST_F(SharedOutputFilesTest, AnotherLayoutBeginsNewFiles) {
  struct LayoutCase {
    const char* name;
    std::string header;
    std::string layout;
  };
  const std::vector<LayoutCase> cases = {{"another header", "name,id\n", ""},
                                         {"no header", "", ""},
                                         {"another delimiter", kHeader, "csv.field-delimiter=;"}};
  for (const auto& [name, header, layout] : cases) {
    SCOPED_TRACE(name);
    disk_ = std::make_shared<MemoryFileOperations>();
    ASSERT_TRUE(WriteBatch(Open(1000).get(), 0, "a"));
    for (int64_t batch = 1; batch < 3; ++batch) {  // The second start with it goes on.
      const auto changed = NewSink(1000, header, layout);
      ASSERT_TRUE(changed->Open(Context(batch)));
      ASSERT_TRUE(WriteBatch(changed.get(), batch, "b"));
    }
    EXPECT_THAT(Visible(),
                UnorderedElementsAre(Pair("part-00000000-000.csv", "id,name\n0,a\n"),
                                     Pair("part-00000001-000.csv", header + "1,b\n2,b\n")));
    ASSERT_TRUE(WriteBatch(Open(1000, 3).get(), 3, "c"));
    EXPECT_EQ(Visible().at("part-00000003-000.csv"), "id,name\n3,c\n");
    ASSERT_TRUE(WriteBatch(Open(1000, 1).get(), 1, "d"));
    ASSERT_TRUE(WriteBatch(Open(1000, 2).get(), 2, "d"));
    EXPECT_EQ(Visible().at("part-00000001-000.csv"), "id,name\n1,d\n2,d\n");
  }
}

// Runs with other options, layouts, partitions and beginnings, stopped at random steps or not, with
// power lost or not: at the end of each, the files hold the rows of all batches before the next
// one.
TEST_F(SharedOutputFilesTest, AnyBatchThatIsRetainedCanBeRunAgain) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&random](int64_t limit) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
    };
    disk_ = std::make_shared<MemoryFileOperations>();
    std::map<int64_t, std::vector<std::string>> committed;  // Rows by batch.
    int64_t next = 0;
    for (int run = 0; run < 12; ++run) {
      const int partitions = 1 + static_cast<int>(below(3));
      // Back to a version that is retained.
      next = std::max<int64_t>(0, next - (below(2) == 0 ? 0 : below(9)));
      committed.erase(committed.lower_bound(next), committed.end());
      const std::vector<int64_t> sizes = {0, 30, 100, 5000};
      const bool crashes = below(3) == 0;
      if (crashes) disk_->StopAt(below(60));
      const std::string layout = below(3) == 0 ? "y" : "x";
      const auto sink = NewSink(sizes[static_cast<size_t>(below(4))], kHeader, layout);
      Status status = sink->Open(Context(next, partitions));
      ASSERT_TRUE(status || crashes) << status.error().message;
      const int64_t last = next + below(12);
      bool whole = false;
      for (; status && next < last; ++next) {
        std::vector<std::string> rows;
        status = sink->BeginBatch(next);
        for (int64_t row = below(5); status && row > 0; --row) {
          const std::string name =
              std::string(static_cast<size_t>(below(9)), static_cast<char>('a' + run)) + layout;
          rows.push_back(std::to_string(next * 10 + row) + "," + name);
          status = sink->Write(static_cast<int>(below(partitions)),
                               MakeIdAndName({{next * 10 + row, name}}));
        }
        if (status) status = sink->PublishBatch(next);
        if (!status) break;
        committed[next] = rows;
        whole = true;
      }
      ASSERT_TRUE(status || crashes) << status.error().message;
      below(2) == 0 ? disk_->RestartAfterPowerLoss() : disk_->Restart();
      if (!status || !whole) continue;  // Something may be left that the next run takes out.
      std::vector<std::string> expected;
      for (const auto& [batch, rows] : committed) {
        expected.insert(expected.end(), rows.begin(), rows.end());
      }
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(Rows(), expected) << "run " << run;
      for (const auto& [name, bytes] : Visible()) {
        const bool has_both =
            bytes.find("x\n") != std::string::npos && bytes.find("y\n") != std::string::npos;
        ASSERT_FALSE(has_both) << name << " has two layouts after run " << run;
      }
    }
  }
}

}  // namespace
}  // namespace braid
