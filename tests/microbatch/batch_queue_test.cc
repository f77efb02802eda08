#include "engine/microbatch/batch_queue.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "braid/column_builder.h"

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RowBatch Rows(int64_t first, int64_t count) {
  static const auto schema = std::make_shared<const Schema>(Schema{{{"id", DataType::BigInt()}}});
  ColumnBuilder ids(DataType::BigInt());
  for (int64_t row = 0; row < count; ++row) ids.Append(first + row);
  return RowBatch(schema, {ids.Finish()}, count);
}

BatchPlan Plan(int64_t batch) {
  BatchPlan plan;
  plan.batch_id = batch;
  return plan;
}

JoinedBatch Joined(int64_t batch) {
  JoinedBatch joined;
  joined.commit.batch_id = batch;
  return joined;
}

// Sink and output in one: notes what happens to it, in order.
class Journal final : public BatchOutput, public Sink {
 public:
  std::string description() const override { return "Journal"; }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return {}; }
  Status PublishBatch(int64_t /*batch_id*/) override { return {}; }

  Status Begin(const BatchPlan& plan, bool is_logged) override {
    return Note(fmt::format("begin {}{}", plan.batch_id, is_logged ? " logged" : ""));
  }
  Status Write(int partition, const RowBatch& rows) override {
    return Note(fmt::format("write {} to {}", rows.Int64(0, 0), partition));
  }
  Status Publish(int64_t batch_id) override { return Note(fmt::format("publish {}", batch_id)); }
  Status Commit(JoinedBatch batch) override {
    return Note(fmt::format("commit {}", batch.commit.batch_id));
  }

  // The step that fails.
  void FailAt(std::string step) { fails_at_ = std::move(step); }
  std::vector<std::string> steps() const {
    const std::lock_guard lock(mutex_);
    return steps_;
  }

 private:
  Status Note(std::string step) {
    const std::lock_guard lock(mutex_);
    if (step == fails_at_) return Fail(ErrorCode::kIo, step);
    steps_.push_back(std::move(step));
    return {};
  }

  std::string fails_at_;
  mutable std::mutex mutex_;
  std::vector<std::string> steps_;  // Guarded by mutex_: partitions are written side by side.
};

class BatchQueueTest : public ::testing::Test {
 protected:
  // A whole batch with one row, its id.
  Status PutBatch(int64_t batch) {
    Status status = queue_.Begin(Plan(batch), false);
    if (status) status = queue_.Write({&journal_, 0, Rows(batch, 1)});
    if (status) status = queue_.Publish(batch);
    if (status) status = queue_.Commit(Joined(batch));
    return status;
  }

  PartitionPool writers_{2};
  ActivityRecorder activity_;
  BatchQueue queue_{&writers_, &activity_};
  Journal journal_;
};

TEST_F(BatchQueueTest, TakesTheStepsInTheirOrder) {
  queue_.Open();
  ASSERT_TRUE(PutBatch(7));
  ASSERT_TRUE(queue_.Begin(Plan(8), true));
  ASSERT_TRUE(queue_.Publish(8));
  ASSERT_TRUE(queue_.Commit(Joined(8)));
  queue_.Close();
  ASSERT_TRUE(queue_.Drain(&journal_));
  EXPECT_THAT(journal_.steps(), ElementsAre("begin 7", "write 7 to 0", "publish 7", "commit 7",
                                            "begin 8 logged", "publish 8", "commit 8"));
}

TEST_F(BatchQueueTest, KeepsTheOrderOfRowsWithinAPartition) {
  queue_.Open();
  ASSERT_TRUE(queue_.Begin(Plan(0), false));
  for (const int64_t row : {10, 11, 12, 13}) {
    ASSERT_TRUE(queue_.Write({&journal_, static_cast<int>(row % 2), Rows(row, 1)}));
  }
  queue_.Close();
  ASSERT_TRUE(queue_.Drain(&journal_));
  std::vector<std::string> even;
  std::vector<std::string> odd;
  for (const std::string& step : journal_.steps()) {
    if (step.ends_with("to 0")) even.push_back(step);
    if (step.ends_with("to 1")) odd.push_back(step);
  }
  EXPECT_THAT(even, ElementsAre("write 10 to 0", "write 12 to 0"));
  EXPECT_THAT(odd, ElementsAre("write 11 to 1", "write 13 to 1"));
}

TEST_F(BatchQueueTest, LetsNoMoreThanThreeBatchesRunAtOnce) {
  queue_.Open();
  std::atomic<int64_t> num_begun = 0;
  std::thread joins([&] {
    for (int64_t batch = 0; batch < 20; ++batch) {
      ASSERT_TRUE(queue_.Begin(Plan(batch), false));
      num_begun = batch + 1;
      ASSERT_TRUE(queue_.Publish(batch));
      ASSERT_TRUE(queue_.Commit(Joined(batch)));
    }
    queue_.Close();
  });
  struct Watch final : BatchOutput {
    explicit Watch(const std::atomic<int64_t>* begun) : num_begun(begun) {}
    Status Begin(const BatchPlan& /*plan*/, bool /*is_logged*/) override { return {}; }
    Status Publish(int64_t /*batch_id*/) override { return {}; }
    Status Commit(JoinedBatch batch) override {
      // Its own commit has not ended: it, and two more.
      most_ahead = std::max(most_ahead, *num_begun - batch.commit.batch_id);
      return {};
    }
    const std::atomic<int64_t>* num_begun;
    int64_t most_ahead = 0;
  };
  Watch watch(&num_begun);
  EXPECT_TRUE(queue_.Drain(&watch));
  joins.join();
  EXPECT_LE(watch.most_ahead, 3);
}

TEST_F(BatchQueueTest, MakesRowsWaitForRoom) {
  queue_.Open();
  constexpr int64_t kRows = 1 << 19;  // 4 MiB
  std::thread joins([&] {
    ASSERT_TRUE(queue_.Begin(Plan(0), false));
    for (int64_t part = 0; part < 8; ++part) {
      ASSERT_TRUE(queue_.Write({&journal_, 0, Rows(part, kRows)}));
    }
    ASSERT_TRUE(queue_.Publish(0));
    ASSERT_TRUE(queue_.Commit(Joined(0)));
    queue_.Close();
  });
  EXPECT_TRUE(queue_.Drain(&journal_));
  joins.join();
  EXPECT_EQ(journal_.steps().size(), 11U);
}

TEST_F(BatchQueueTest, StopsAtTheFirstFailure) {
  struct Case {
    const char* fails_at;
    std::vector<std::string> done;
    std::optional<int64_t> batch;  // In the error's place: of the sink's own calls.
  };
  const std::vector<Case> cases = {
      {"begin 1", {"begin 0", "write 0 to 0", "publish 0", "commit 0"}, {}},
      {"write 0 to 0", {"begin 0"}, 0},
      {"publish 0", {"begin 0", "write 0 to 0"}, {}},
      {"commit 0", {"begin 0", "write 0 to 0", "publish 0"}, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.fails_at);
    Journal journal;
    journal.FailAt(c.fails_at);
    BatchQueue queue(&writers_, &activity_);
    queue.Open();
    Status joined;
    std::thread joins([&] {
      for (int64_t batch = 0; joined && batch < 100; ++batch) {
        joined = queue.Begin(Plan(batch), false);
        if (joined) joined = queue.Write({&journal, 0, Rows(batch, 1)});
        if (joined) joined = queue.Publish(batch);
        if (joined) joined = queue.Commit(Joined(batch));
      }
      queue.Close();
    });
    const Status drained = queue.Drain(&journal);
    joins.join();
    ASSERT_FALSE(drained);
    EXPECT_EQ(drained.error().message, c.fails_at);
    EXPECT_EQ(drained.error().place.batch, c.batch);
    EXPECT_EQ(journal.steps(), c.done);
    // The joins are told that nobody takes their batches any more.
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code, ErrorCode::kCancelled);
  }
}

TEST_F(BatchQueueTest, GoesOnAfterABatchThatFailedInTheJoin) {
  queue_.Open();
  ASSERT_TRUE(PutBatch(0));
  for (int64_t batch = 1; batch < 3; ++batch) ASSERT_TRUE(queue_.Begin(Plan(batch), false));
  queue_.Close();
  ASSERT_TRUE(queue_.Drain(&journal_));
  // What is left of batches that were begun takes no room away.
  queue_.Open();
  ASSERT_TRUE(PutBatch(3));
  ASSERT_TRUE(PutBatch(4));
  ASSERT_TRUE(PutBatch(5));
  queue_.Close();
  ASSERT_TRUE(queue_.Drain(&journal_));
  EXPECT_EQ(journal_.steps().back(), "commit 5");
}

TEST_F(BatchQueueTest, ShowsTheBatchThatIsFinishedWhileNoneIsJoined) {
  queue_.Open();
  activity_.BeginBatch(4, 100);
  activity_.AddOutputRows(10);
  ASSERT_TRUE(PutBatch(4));
  activity_.BeginBatch(5, 200);
  activity_.BeginPhase(BatchPhase::kJoining);
  EXPECT_EQ(activity_.activity().batch_id, 5);
  ASSERT_TRUE(PutBatch(5));
  queue_.Close();

  struct Watch final : BatchOutput {
    explicit Watch(const ActivityRecorder* recorder) : activity(recorder) {}
    Status Begin(const BatchPlan& /*plan*/, bool /*is_logged*/) override { return Look(); }
    Status Publish(int64_t /*batch_id*/) override { return Look(); }
    Status Commit(JoinedBatch /*batch*/) override { return Look(); }
    Status Look() {
      const QueryActivity now = activity->activity();
      seen.push_back(fmt::format("{} {}: {} in, {} out", BatchPhaseName(now.phase), now.batch_id,
                                 now.num_input_rows, now.num_output_rows));
      return {};
    }
    const ActivityRecorder* activity;
    std::vector<std::string> seen;
  };
  Watch watch(&activity_);
  ASSERT_TRUE(queue_.Drain(&watch));
  EXPECT_THAT(watch.seen,
              ElementsAre("planning 4: 100 in, 10 out", "publishing 4: 100 in, 10 out",
                          "committing 4: 100 in, 10 out", "planning 5: 200 in, 0 out",
                          "publishing 5: 200 in, 0 out", "committing 5: 200 in, 0 out"));
}

TEST_F(BatchQueueTest, HandsASinksRowsOnUnchanged) {
  QueuedSink sink(&journal_, &queue_);
  EXPECT_EQ(sink.description(), "Journal");
  queue_.Open();
  ASSERT_TRUE(sink.Write(3, Rows(42, 2)));
  EXPECT_THAT(journal_.steps(), IsEmpty());
  queue_.Close();
  ASSERT_TRUE(queue_.Drain(&journal_));
  EXPECT_THAT(journal_.steps(), ElementsAre("write 42 to 3"));
}

}  // namespace
}  // namespace braid
