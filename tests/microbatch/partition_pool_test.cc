#include "engine/microbatch/partition_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace braid {
namespace {

TEST(PartitionPoolTest, RunsEveryTaskOnceInEveryRound) {
  for (const int threads : {1, 2, 5}) {
    PartitionPool pool(threads);
    for (const size_t count : {size_t{0}, size_t{1}, size_t{3}, size_t{100}}) {
      std::vector<std::atomic<int>> runs(count);
      const Status status = pool.RunAll(count, [&](size_t index) -> Status {
        ++runs[index];
        return {};
      });
      EXPECT_TRUE(status.has_value());
      for (const std::atomic<int>& run : runs) EXPECT_EQ(run.load(), 1);
    }
  }
}

TEST(PartitionPoolTest, GivesTheFirstErrorByIndexAfterAllHaveEnded) {
  PartitionPool pool(3);
  std::atomic<int> ended = 0;
  const Status status = pool.RunAll(10, [&](size_t index) -> Status {
    ++ended;
    if (index == 7) return Fail(ErrorCode::kIo, "seven");
    if (index == 3) return Fail(ErrorCode::kIo, "three");
    return {};
  });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message, "three");
  EXPECT_EQ(ended.load(), 10);
}

}  // namespace
}  // namespace braid
