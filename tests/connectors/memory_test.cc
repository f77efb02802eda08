#include "engine/connectors/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/connectors/row_texts.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SourceNext MustNext(Source* source, const SliceLimits& limits = {}) {
  Result<SourceNext> next = source->Next(limits);
  EXPECT_TRUE(next) << next.error().ToString();
  return std::move(*next);
}

class MemoryTest : public testing::Test {
 protected:
  std::shared_ptr<MemoryStream> stream_ =
      std::make_shared<MemoryStream>(IdAndName(), MemoryStream::Kind::kFinite);
  MemorySource source_{"t", stream_, {0, 1}};
};

TEST_F(MemoryTest, GivesWhatWasPushedThenWaitsThenEnds) {
  ASSERT_TRUE(source_.Open(""));
  EXPECT_EQ(MustNext(&source_).kind, SourceNext::Kind::kNothing);
  EXPECT_TRUE(stream_->Push(MakeIdAndName({{1, "a"}, {2, "b"}})));
  const SourceNext next = MustNext(&source_);
  ASSERT_EQ(next.kind, SourceNext::Kind::kSlice);
  EXPECT_THAT(RowTexts(next.slice.rows), ElementsAre("1,a", "2,b"));
  EXPECT_EQ(MustNext(&source_).kind, SourceNext::Kind::kNothing);
  stream_->End();
  EXPECT_EQ(MustNext(&source_).kind, SourceNext::Kind::kEnd);
}

TEST_F(MemoryTest, ReadsOnlyTheColumnsAskedFor) {
  EXPECT_TRUE(stream_->Push(MakeIdAndName({{1, "a"}})));
  MemorySource source("t", stream_, {1});
  ASSERT_TRUE(source.Open(""));
  const SourceNext next = MustNext(&source);
  EXPECT_THAT(RowTexts(next.slice.rows), ElementsAre("a"));
  EXPECT_EQ(next.slice.rows.schema().fields[0].name, "name");
}

TEST_F(MemoryTest, ABatchLargerThanTheLimitIsSplitBetweenRows) {
  EXPECT_TRUE(stream_->Push(MakeIdAndName({{1, "a"}, {2, "b"}, {3, "c"}})));
  ASSERT_TRUE(source_.Open(""));
  std::vector<std::string> rows;
  for (int slice = 0; slice < 3; ++slice) {
    const SourceNext next = MustNext(&source_, {.bytes_max = 1});
    ASSERT_EQ(next.slice.rows.num_rows(), 1);
    rows.push_back(RowTexts(next.slice.rows)[0]);
  }
  EXPECT_THAT(rows, ElementsAre("1,a", "2,b", "3,c"));
  EXPECT_EQ(MustNext(&source_).kind, SourceNext::Kind::kNothing);
}

TEST_F(MemoryTest, AnyOffsetContinuesAndReplaysExactly) {
  EXPECT_TRUE(stream_->Push(MakeIdAndName({{1, "a"}, {2, "b"}, {3, "c"}})));
  EXPECT_TRUE(stream_->Push(MakeIdAndName({})));
  EXPECT_TRUE(stream_->Push(MakeIdAndName({{4, "d"}})));
  stream_->End();
  std::vector<std::string> offsets = {""};
  std::vector<std::string> rows;
  ASSERT_TRUE(source_.Open(""));
  for (;;) {
    const SourceNext next = MustNext(&source_, {.bytes_max = 1});
    if (next.kind == SourceNext::Kind::kEnd) break;
    offsets.push_back(next.slice.end);
    for (const std::string& text : RowTexts(next.slice.rows)) rows.push_back(text);
  }
  ASSERT_EQ(offsets.size(), 6U);
  for (size_t start = 0; start < offsets.size(); ++start) {
    std::vector<std::string> replayed;
    ASSERT_TRUE(source_.Replay(offsets[start], offsets.back(), "", [&](SourceSlice slice) {
      for (const std::string& text : RowTexts(slice.rows)) replayed.push_back(text);
      return Status();
    }));
    MemorySource continued("t", stream_, {0, 1});
    ASSERT_TRUE(continued.Open(offsets[start]));
    std::vector<std::string> read;
    for (SourceNext next = MustNext(&continued); next.kind == SourceNext::Kind::kSlice;
         next = MustNext(&continued)) {
      for (const std::string& text : RowTexts(next.slice.rows)) read.push_back(text);
    }
    EXPECT_EQ(replayed, read);
    EXPECT_TRUE(std::equal(read.rbegin(), read.rend(), rows.rbegin()));
  }
}

TEST_F(MemoryTest, StopAtLatestLeavesLaterRows) {
  MemorySource source(
      "t", std::make_shared<MemoryStream>(IdAndName(), MemoryStream::Kind::kInfinite), {0, 1});
  ASSERT_TRUE(source.Open(""));
  ASSERT_TRUE(source.StopAtLatest());
  EXPECT_EQ(MustNext(&source).kind, SourceNext::Kind::kEnd);
}

TEST_F(MemoryTest, DamagedAndUnknownOffsetsAreErrors) {
  EXPECT_EQ(source_.Open("{\"batch\":x}").error().code, ErrorCode::kCorruption);
  EXPECT_EQ(source_.Open("{\"batch\":1,\"row\":0}junk").error().code, ErrorCode::kCorruption);
  const auto ignore = [](SourceSlice) { return Status(); };
  EXPECT_EQ(source_.Replay("", "{\"batch\":1,\"row\":0}", "", ignore).error().code,
            ErrorCode::kNotFound);
}

TEST_F(MemoryTest, AChangelogKeepsItsKinds) {
  const RowBatch changes = MakeChanges({{ChangeKind::kInsert, 1, "a"},
                                        {ChangeKind::kUpdateBefore, 1, "a"},
                                        {ChangeKind::kUpdateAfter, 1, "b"},
                                        {ChangeKind::kDelete, 1, "b"}});
  EXPECT_FALSE(source_.gives_changes());
  EXPECT_EQ(stream_->Push(changes).error().message,
            "the stream takes insertions, row 1 is a -U; make it with "
            "MemoryStream::Content::kChangelog");
  EXPECT_TRUE(stream_->Push(MakeChanges({{ChangeKind::kInsert, 1, "a"}})));

  const auto stream = std::make_shared<MemoryStream>(IdAndName(), MemoryStream::Kind::kFinite,
                                                     MemoryStream::Content::kChangelog);
  EXPECT_TRUE(stream->Push(changes));
  MemorySource source("t", stream, {1});
  EXPECT_TRUE(source.gives_changes());
  ASSERT_TRUE(source.Open(""));
  EXPECT_THAT(RowTexts(MustNext(&source).slice.rows), ElementsAre("+I a", "-U a", "+U b", "-D b"));
  ASSERT_TRUE(source.Open("{\"batch\":0,\"row\":2}"));
  EXPECT_THAT(RowTexts(MustNext(&source, {.bytes_max = 1}).slice.rows), ElementsAre("+U b"));

  const auto result = std::make_shared<MemoryResult>();
  MemorySink sink("t", result);
  EXPECT_TRUE(sink.takes_changes());
  ASSERT_TRUE(sink.Open({.query_id = "q", .num_partitions = 1}));
  ASSERT_TRUE(sink.BeginBatch(0));
  ASSERT_TRUE(sink.Write(0, changes));
  ASSERT_TRUE(sink.PublishBatch(0));
  EXPECT_THAT(RowTexts(result->Rows()), ElementsAre("+I 1,a", "-U 1,a", "+U 1,b", "-D 1,b"));
}

TEST_F(MemoryTest, ASinkKeepsBatchesInOrderAndReplacesARerunOne) {
  const auto result = std::make_shared<MemoryResult>();
  MemorySink sink("t", result);
  ASSERT_TRUE(sink.Open({.query_id = "q", .num_partitions = 2}));
  const auto write = [&sink](int64_t batch, int partition, const std::string& name) {
    ASSERT_TRUE(sink.BeginBatch(batch));
    ASSERT_TRUE(sink.Write(partition, MakeIdAndName({{batch, name}})));
  };
  write(0, 1, "first");
  EXPECT_THAT(result->batch_ids(), IsEmpty());
  ASSERT_TRUE(sink.PublishBatch(0));
  write(1, 0, "lost");
  write(1, 0, "second");
  ASSERT_TRUE(sink.PublishBatch(1));
  ASSERT_TRUE(sink.BeginBatch(2));
  ASSERT_TRUE(sink.PublishBatch(2));
  EXPECT_THAT(result->batch_ids(), ElementsAre(0, 1, 2));
  EXPECT_THAT(RowTexts(result->Rows()), ElementsAre("0,first", "1,second"));
  write(1, 0, "again");
  ASSERT_TRUE(sink.PublishBatch(1));
  EXPECT_THAT(result->batch_ids(), ElementsAre(0, 1));
  EXPECT_THAT(RowTexts(result->Batch(1)), ElementsAre("1,again"));
  EXPECT_TRUE(result->AwaitBatch(1, std::chrono::milliseconds(0)));
  EXPECT_FALSE(result->AwaitBatch(2, std::chrono::milliseconds(0)));
}

TEST_F(MemoryTest, TheConnectorFindsTablesByName) {
  MemoryConnector connector;
  connector.AddStream("t", stream_);
  connector.AddResult("out", std::make_shared<MemoryResult>());
  TableDescription table;
  table.name = "t";
  table.schema = IdAndName();
  EXPECT_TRUE(connector.NewSource(table, {0}, nullptr));
  EXPECT_EQ(connector.NewSink(table, nullptr).error().code, ErrorCode::kNotFound);
  table.schema.fields.pop_back();
  EXPECT_EQ(connector.NewSource(table, {0}, nullptr).error().code, ErrorCode::kInvalidQuery);
  table.name = "out";
  EXPECT_TRUE(connector.NewSink(table, nullptr));
  EXPECT_EQ(connector.NewSource(table, {0}, nullptr).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace braid
