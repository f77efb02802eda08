#include "engine/microbatch/pair_queue.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PairQueueTest : public ::testing::Test {
 protected:
  Status Put(int32_t row) {
    Matches matches;
    matches.arriving.push_back(row);
    matches.stored.push_back(RowId{0});
    Status put = queue_.Put(Side::kLeft, arrivals_, &matches);
    EXPECT_THAT(matches.arriving, IsEmpty());
    EXPECT_THAT(matches.stored, IsEmpty());
    return put;
  }

  // Touched by whoever emits: the thread sanitizer sees whether that is one at a time.
  std::vector<int32_t> emitted_;
  int32_t fails_at_ = -1;
  Arrivals arrivals_;
  PairQueue queue_{[this](const PairBlock& pairs) -> Status {
    EXPECT_EQ(pairs.arrivals, &arrivals_);
    const int32_t row = pairs.matches.arriving.at(0);
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the fixture owns the queue.
    if (row == fails_at_) return Fail(ErrorCode::kIo, fmt::format("row {}", row));
    emitted_.push_back(row);
    return {};
  }};
};

TEST_F(PairQueueTest, EmitsAtOnceUnlessItIsOpen) {
  ASSERT_TRUE(Put(1));
  EXPECT_THAT(emitted_, ElementsAre(1));
  ASSERT_TRUE(Put(2));
  EXPECT_THAT(emitted_, ElementsAre(1, 2));
}

TEST_F(PairQueueTest, WithoutHelpWhoPutsEmitsAndOnlyFewWait) {
  queue_.Open();
  for (int32_t row = 0; row < 100; ++row) ASSERT_TRUE(Put(row));
  EXPECT_GE(emitted_.size(), 96U);
  EXPECT_LT(emitted_.size(), 100U);
  ASSERT_TRUE(queue_.Close());
  queue_.Drain();  // Of a thread that came too late.
  std::vector<int32_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(emitted_, all);
}

TEST_F(PairQueueTest, FlushLeavesNothingAndTheRestFollows) {
  queue_.Open();
  ASSERT_TRUE(Put(1));
  ASSERT_TRUE(queue_.Flush());
  EXPECT_THAT(emitted_, ElementsAre(1));
  ASSERT_TRUE(Put(2));
  ASSERT_TRUE(queue_.Close());
  EXPECT_THAT(emitted_, ElementsAre(1, 2));
}

TEST_F(PairQueueTest, AHelperEmitsInTheOrderOfPutting) {
  std::vector<int32_t> all;
  for (int round = 0; round < 20; ++round) {
    queue_.Open();
    std::thread helper([this] { queue_.Drain(); });
    for (int32_t row = 0; row < 500; ++row) {
      all.push_back(row);
      ASSERT_TRUE(Put(row));
      if (row % 100 == 99) {
        ASSERT_TRUE(queue_.Flush());
        EXPECT_EQ(emitted_.size(), all.size());
      }
    }
    ASSERT_TRUE(queue_.Close());
    helper.join();
  }
  EXPECT_EQ(emitted_, all);
}

TEST_F(PairQueueTest, NothingFollowsAnErrorWhichWhoPutsGets) {
  fails_at_ = 3;
  queue_.Open();
  std::thread helper([this] { queue_.Drain(); });
  Status failed;
  for (int32_t row = 0; failed && row < 1'000'000; ++row) failed = Put(row);
  EXPECT_EQ(failed.error().message, "row 3");
  EXPECT_EQ(queue_.Close().error().message, "row 3");
  helper.join();
  EXPECT_THAT(emitted_, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace braid
