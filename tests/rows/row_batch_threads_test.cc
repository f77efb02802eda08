#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "braid/column_builder.h"
#include "braid/row_batch.h"

namespace braid {
namespace {

TEST(RowBatchThreadsTest, ManyThreadsReadGatherAndDropCopiesOfOneBatch) {
  constexpr int64_t kRows = 1'000;
  constexpr int kThreads = 4;
  ColumnBuilder builder(DataType::BigInt());
  for (int64_t row = 0; row < kRows; ++row) builder.Append(row);
  const auto schema = std::make_shared<const Schema>(Schema{{{"id", DataType::BigInt()}}});
  RowBatch batch(schema, {builder.Finish()}, kRows);

  std::vector<int64_t> sums(kThreads, 0);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([copy = batch, sum = &sums[static_cast<size_t>(thread)]]() mutable {
        std::vector<int32_t> rows(kRows);
        for (int32_t row = 0; row < kRows; ++row) rows[static_cast<size_t>(row)] = row;
        const RowBatch gathered = GatherRows(copy, rows);
        copy = RowBatch();
        for (int64_t row = 0; row < kRows; ++row) *sum += gathered.Int64(0, row);
      });
    }
    batch = RowBatch();  // The threads' copies keep the arrays alive.
  }
  for (const int64_t sum : sums) EXPECT_EQ(sum, kRows * (kRows - 1) / 2);
}

}  // namespace
}  // namespace braid
