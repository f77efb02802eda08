#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/connectors/file_sink.h"
#include "tests/connectors/row_texts.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

class LineEncoder final : public RowEncoder {
 public:
  void AppendHeader(std::string* /*bytes*/) const override {}
  Status Encode(const RowBatch& rows, std::string* bytes) const override {
    for (const std::string& text : RowTexts(rows)) *bytes += text + "\n";
    return {};
  }
};

TEST(FileSinkThreadsTest, PartitionsAreWrittenAtTheSameTime) {
  constexpr int kNumPartitions = 4;
  const TemporaryFolder folder;
  FileSink sink({folder / "out", "csv", false, 0}, std::make_unique<LineEncoder>(),
                NewPosixFileOperations());
  SinkContext context;
  context.query_id = "q";
  context.num_partitions = kNumPartitions;
  ASSERT_TRUE(sink.Open(context));
  for (int64_t batch = 0; batch < 3; ++batch) {
    ASSERT_TRUE(sink.BeginBatch(batch));
    std::vector<std::thread> threads;
    for (int partition = 0; partition < kNumPartitions; ++partition) {
      threads.emplace_back([&sink, partition, batch] {
        for (int64_t row = 0; row < 50; ++row) {
          EXPECT_TRUE(sink.Write(partition, MakeIdAndName({{batch, "x"}})));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(sink.PublishBatch(batch));
  }
  EXPECT_EQ(folder.Read("out/part-00000002-003.csv").size(), 50U * 4);
}

}  // namespace
}  // namespace braid
