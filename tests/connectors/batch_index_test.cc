#include "engine/connectors/batch_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/connectors/memory_file_operations.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = "part-00000000-000.csv";

class BatchIndexTest : public testing::Test {
 protected:
  BatchIndex NewIndex(int64_t retained = 10, int64_t full_size = 100) {
    BatchIndex::Options options;
    options.folder = "/out";
    options.retained_batches = retained;
    options.full_size = full_size;
    options.durable = true;
    return {std::move(options), disk_};
  }

  void WriteFile(const std::string& name, const std::string& bytes) {
    auto file = disk_->NewFile("/out/" + name, FileOperations::Create::kTruncate);
    ASSERT_TRUE(file && (*file)->Append(bytes));
  }

  std::string Text() const { return disk_->Files().at("/out/_braid_batches"); }

  std::shared_ptr<MemoryFileOperations> disk_ = std::make_shared<MemoryFileOperations>();
};

TEST_F(BatchIndexTest, LinesSurviveTheirText) {
  BatchLines lines;
  lines.since = 3;
  lines.known_from = 7;
  lines.layout = 0xfedc'ba98'7654'3210;
  lines.layout_since = 5;
  lines.lines = {{7, {{kFile, 0, 12}, {"part-00000007-001.csv", 0, 5}}}, {9, {{kFile, 12, 30}}}};
  const Result<BatchLines> read = DecodeBatchLines(EncodeBatchLines(lines));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->since, 3);
  EXPECT_EQ(read->known_from, 7);
  EXPECT_EQ(read->layout, 0xfedc'ba98'7654'3210);
  EXPECT_EQ(read->layout_since, 5);
  EXPECT_EQ(read->lines, lines.lines);
  EXPECT_FALSE(read->is_torn);
}

// The example of docs/format/offsets.md.
TEST_F(BatchIndexTest, IsWrittenAsDocumented) {
  BatchLines lines;
  lines.lines = {{0, {{kFile, 0, 24}}}, {1, {{kFile, 24, 36}, {"part-00000001-001.csv", 0, 12}}}};
  EXPECT_EQ(EncodeBatchLines(lines),
            "1fc67d9e braid batches 1 since 0 from 0 layout 0000000000000000 since 0\n"
            "3af2aac9 0 part-00000000-000.csv 0 24\n"
            "c6c2d0b8 1 part-00000000-000.csv 24 36 part-00000001-001.csv 0 12\n");
}

TEST_F(BatchIndexTest, ATornLastLineIsLeftOutAndAnyOtherDamageIsFound) {
  BatchLines lines;
  lines.lines = {{0, {{kFile, 0, 12}}}, {1, {{kFile, 12, 30}}}};
  const std::string text = EncodeBatchLines(lines);
  const size_t last_line = text.rfind('\n', text.size() - 2) + 1;
  for (size_t size = last_line + 1; size < text.size(); ++size) {
    const Result<BatchLines> read = DecodeBatchLines(text.substr(0, size));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->is_torn);
    EXPECT_EQ(read->lines.size(), 1U);
  }
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const Result<BatchLines> read = DecodeBatchLines(damaged);
    ASSERT_FALSE(read) << "byte " << at;
    EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
  }
}

TEST_F(BatchIndexTest, ALineThatLeadsOutOfTheFolderIsRefused) {
  BatchLines lines;
  lines.lines = {{0, {{"../important", 0, 12}}}};
  EXPECT_FALSE(DecodeBatchLines(EncodeBatchLines(lines)));
}

TEST_F(BatchIndexTest, CutsFilesWhereABatchBegins) {
  BatchIndex index = NewIndex();
  WriteFile(kFile, "0123456789");
  ASSERT_TRUE(index.Add({0, {{kFile, 0, 4}}}));
  ASSERT_TRUE(index.Add({1, {{kFile, 4, 6}}}));
  ASSERT_TRUE(index.Add({2, {{kFile, 6, 10}}}));
  BatchIndex next = NewIndex();
  ASSERT_TRUE(next.Load());
  ASSERT_TRUE(next.CutFrom(1));
  EXPECT_EQ(disk_->Files().at(std::string("/out/") + kFile), "0123");
  EXPECT_EQ(next.EndOfGrowing(kFile), 4);
  BatchIndex last = NewIndex(10, 4);
  ASSERT_TRUE(last.Load());
  EXPECT_EQ(last.EndOfGrowing(kFile), std::nullopt) << "it is full";
}

TEST_F(BatchIndexTest, AFileOfAnotherLengthIsNamed) {
  for (const char* const bytes : {"012", "01234"}) {
    disk_ = std::make_shared<MemoryFileOperations>();
    BatchIndex index = NewIndex();
    ASSERT_TRUE(index.Add({0, {{kFile, 0, 4}}}));
    WriteFile(kFile, bytes);
    const Status status = index.CutFrom(1);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(status.error().message, HasSubstr("'/out/part-00000000-000.csv' has"));
  }
}

TEST_F(BatchIndexTest, AFileThatWasMovedAwayIsNoError) {
  BatchIndex index = NewIndex();
  ASSERT_TRUE(index.Add({0, {{kFile, 0, 4}}}));
  EXPECT_TRUE(index.CutFrom(1));
  EXPECT_TRUE(index.CutFrom(0));
}

// Lines are lost where the index is cut at any place: what is not in it is not taken for a file
// that nobody shares.
TEST_F(BatchIndexTest, AFileThatItDoesNotKnowIsNamed) {
  BatchIndex index = NewIndex();
  ASSERT_TRUE(index.CheckKnown(kFile, 0)) << "there is no index yet";
  ASSERT_TRUE(index.Begin());
  const Status status = index.CheckKnown(kFile, 0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(status.error().message, HasSubstr("'/out/part-00000000-000.csv' is not in"));
  ASSERT_TRUE(index.Add({0, {{kFile, 0, 4}}}));
  EXPECT_TRUE(index.CheckKnown(kFile, 0));
  BatchIndex::Options options;
  options.folder = "/out";
  options.first_batch = 3;
  BatchIndex later(options, disk_);
  ASSERT_TRUE(later.Begin());
  EXPECT_TRUE(later.CheckKnown(kFile, 0)) << "written before there was an index";
}

// The first commit of a run makes the store give up versions that an earlier run kept.
TEST_F(BatchIndexTest, ForgetsNoBatchThatTheStoreStillKeeps) {
  constexpr int64_t kNumBatches = 1'300;
  {
    BatchIndex index = NewIndex(300, 1 << 20);
    for (int64_t batch = 0; batch < kNumBatches; ++batch) {
      ASSERT_TRUE(index.Add({batch, {{kFile, batch, batch + 1}}}));
    }
  }
  BatchIndex::Options options;
  options.folder = "/out";
  options.first_batch = kNumBatches;
  options.full_size = 1 << 20;
  options.durable = true;
  BatchIndex lowered(options, disk_);
  ASSERT_TRUE(lowered.Load());
  ASSERT_TRUE(lowered.Add({kNumBatches, {{kFile, kNumBatches, kNumBatches + 1}}}));
  WriteFile(kFile, std::string(kNumBatches + 1, 'x'));
  BatchIndex rolled_back = NewIndex(1, 1 << 20);
  ASSERT_TRUE(rolled_back.Load());
  EXPECT_TRUE(rolled_back.CutFrom(kNumBatches - 300));
  ASSERT_TRUE(lowered.Add({kNumBatches + 1, {{kFile, kNumBatches + 1, kNumBatches + 2}}}));
  EXPECT_LT(Text().size(), 1'000U) << "its commit has given them up";
}

TEST_F(BatchIndexTest, ItsSizeFollowsFromTheRetainedBatchesNotFromTheirNumber) {
  BatchIndex index = NewIndex(3, 1 << 20);
  const std::string old_name = "part-00000000-001.csv";
  ASSERT_TRUE(index.Add({0, {{kFile, 0, 1}, {old_name, 0, 5}}}));
  size_t bytes_max = 0;
  constexpr int64_t kNumBatches = 10'000;
  for (int64_t batch = 1; batch < kNumBatches; ++batch) {
    ASSERT_TRUE(index.Add({batch, {{kFile, batch, batch + 1}}}));
    if (batch % 100 == 0) bytes_max = std::max(bytes_max, Text().size());
  }
  EXPECT_LT(bytes_max, 60'000U);
  BatchIndex next = NewIndex(3, 1 << 20);
  ASSERT_TRUE(next.Load());
  EXPECT_EQ(next.EndOfGrowing(old_name), 5) << "a file that grows stays known";
  WriteFile(kFile, std::string(kNumBatches, 'x'));
  ASSERT_TRUE(next.CutFrom(kNumBatches - 3));
  EXPECT_EQ(next.EndOfGrowing(kFile), kNumBatches - 3);
  const Status status = next.CutFrom(1);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("batch 1 cannot be taken out"));
}

}  // namespace
}  // namespace braid
