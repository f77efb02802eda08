// state.max-rows, state.max-bytes and state.on-limit, in both modes.
#include "engine/microbatch/state_limits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/column_builder.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"

namespace braid {
namespace {

using ::testing::HasSubstr;
using Ran = TriggeredQuery::Ran;

constexpr const char* kBounded = "l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND";
constexpr const char* kModes[] = {"micro-batch", "per-record"};

// l LEFT JOIN r, from streams in memory.
class StateLimitsTest : public ::testing::Test {
 protected:
  struct Setup {
    std::string mode;
    std::string settings;
    std::string condition = kBounded;
    std::string type = "LEFT";
    MemoryStream::Kind right_kind = MemoryStream::Kind::kInfinite;
    std::string table_options = {};
    MemoryStream::Kind left_kind = MemoryStream::Kind::kInfinite;
  };

  void Open(const Setup& setup) {
    job_.reset();
    streams_.clear();
    progress_.clear();
    result_ = std::make_shared<MemoryResult>();
    schema_ = std::make_shared<const Schema>(
        Schema{{{"id", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}}});
    auto connector = std::make_shared<MemoryConnector>();
    for (const char* table : {"l", "r"}) {
      const bool is_right = !streams_.empty();
      streams_.push_back(
          std::make_shared<MemoryStream>(*schema_, is_right ? setup.right_kind : setup.left_kind));
      connector->AddStream(table, streams_.back());
    }
    connector->AddResult("joined", result_);
    registry_ = std::make_unique<ConnectorRegistry>();
    registry_->Add("memory", connector);
    clock_ = std::make_unique<ManualClock>();
    JobOptions options;
    options.connectors = registry_.get();
    options.clock = clock_.get();
    std::string text = fmt::format("SET 'execution.mode' = '{}';\n{}", setup.mode, setup.settings);
    for (const char* table : {"l", "r"}) {
      text += fmt::format(
          "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' "
          "SECOND) WITH ('connector' = 'memory'{});\n",
          table, setup.table_options);
    }
    text += fmt::format(
        "CREATE TABLE joined (a BIGINT, b BIGINT) WITH ('connector' = 'memory');\n"
        "INSERT INTO joined SELECT l.id, r.id FROM l {} JOIN r ON {};",
        setup.type, setup.condition);
    Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
    ASSERT_TRUE(job) << job.error().ToString();
    job_ = std::move(*job);
    const Status opened = job_->OpenWith(nullptr);
    ASSERT_TRUE(opened) << opened.error().ToString();
    job_->running().SetProgressListener(
        [this](const BatchProgress& progress) { progress_.push_back(progress); });
  }

  // `count` rows with ids from `first` on, one a second from `second` on.
  void Push(size_t table, int64_t first, int64_t count, int64_t second) {
    ColumnBuilder ids(DataType::BigInt());
    ColumnBuilder times(DataType::Timestamp(3));
    for (int64_t row = 0; row < count; ++row) {
      ids.Append(first + row);
      times.Append((second + row) * 1'000'000);
    }
    streams_[table]->Push(RowBatch(schema_, {ids.Finish(), times.Finish()}, count));
  }

  Result<Ran> Trigger() { return job_->running().RunTrigger(); }
  bool is_paused() const { return job_->running().activity().is_paused; }

  std::vector<BatchProgress> progress_;
  std::shared_ptr<const Schema> schema_;
  std::vector<std::shared_ptr<MemoryStream>> streams_;
  std::shared_ptr<MemoryResult> result_;
  std::unique_ptr<ManualClock> clock_;
  std::unique_ptr<ConnectorRegistry> registry_;
  std::unique_ptr<Job> job_;
};

TEST_F(StateLimitsTest, ABatchThatGoesOverALimitIsCommittedAndEndsTheRun) {
  const std::pair<const char*, const char*> limits[] = {{"state.max-rows", "6"},
                                                        {"state.max-bytes", "1 kb"}};
  for (const char* mode : kModes) {
    for (const auto& [limit, value] : limits) {
      SCOPED_TRACE(fmt::format("{} {}", mode, limit));
      Open({mode, fmt::format("SET '{}' = '{}';\n", limit, value)});
      ASSERT_TRUE(job_->running().Start());
      Push(0, 1, 8, 100);
      Push(1, 1, 4, 100);
      const Result<Ran> ran = Trigger();
      ASSERT_FALSE(ran);
      EXPECT_EQ(ran.error().code, ErrorCode::kInvalidInput);
      EXPECT_THAT(ran.error().message, HasSubstr(" rows ("));
      EXPECT_THAT(ran.error().message, HasSubstr(fmt::format("more than {}", limit)));
      EXPECT_THAT(ran.error().message, HasSubstr("table r"));
      EXPECT_THAT(ran.error().message, HasSubstr("'state.on-limit' = 'pause'"));
      // What the batch has joined is there; record by record it was over with the rows of l.
      EXPECT_EQ(result_->num_rows(), mode == kModes[0] ? 4 : 0);
      EXPECT_TRUE(job_->running().last_batch().has_value());
    }
  }
}

TEST_F(StateLimitsTest, RowsThatLeaveWithTheBatchAreNotCounted) {
  for (const char* mode : kModes) {
    SCOPED_TRACE(mode);
    Open({mode, "SET 'state.max-rows' = '30';\n"});
    ASSERT_TRUE(job_->running().Start());
    for (int64_t second = 0; second < 500; second += 5) {
      Push(0, second, 5, second);
      Push(1, second, 5, second);
      const Result<Ran> ran = Trigger();
      ASSERT_TRUE(ran) << ran.error().ToString();
    }
  }
}

// What the state takes does not go below what its largest size has left it with.
TEST_F(StateLimitsTest, TablesThatHaveEndedAreNotPausedForAStateThatIsEmpty) {
  for (const char* mode : kModes) {
    SCOPED_TRACE(mode);
    Open({mode,
          "SET 'state.max-bytes' = '4 kb';\nSET 'state.on-limit' = 'pause';\n"
          "SET 'execution.end-of-input' = 'flush';\n",
          "l.id = r.id AND r.ts BETWEEN l.ts - INTERVAL '5' SECOND AND l.ts + INTERVAL '5' SECOND",
          "INNER", MemoryStream::Kind::kFinite, "", MemoryStream::Kind::kFinite});
    Push(0, 0, 3'000, 0);
    Push(1, 0, 3'000, 0);
    for (const auto& stream : streams_) stream->End();
    ASSERT_TRUE(job_->running().Start());
    Result<Ran> ran = Trigger();
    for (int trigger = 0; ran && *ran != Ran::kEnd && trigger < 1'000; ++trigger) ran = Trigger();
    ASSERT_TRUE(ran) << ran.error().ToString();
    EXPECT_EQ(*ran, Ran::kEnd);
    EXPECT_EQ(result_->num_rows(), 3'000);
  }
}

TEST_F(StateLimitsTest, TheTableThatIsAheadIsPausedUntilTheOtherHasCaughtUp) {
  for (const char* mode : kModes) {
    SCOPED_TRACE(mode);
    Open({mode, "SET 'state.max-rows' = '16';\nSET 'state.on-limit' = 'pause';\n"});
    ASSERT_TRUE(job_->running().Start());
    Push(0, 1, 20, 100);
    ASSERT_TRUE(Trigger());
    EXPECT_FALSE(progress_.empty());
    ASSERT_EQ(progress_.back().state->num_left_rows, 20);
    EXPECT_TRUE(progress_.back().sources[0].paused);
    EXPECT_FALSE(progress_.back().sources[1].paused);

    // l waits, however often it is asked.
    Push(0, 21, 3, 120);
    const Result<Ran> nothing = Trigger();
    ASSERT_TRUE(nothing) << nothing.error().ToString();
    EXPECT_EQ(*nothing, Ran::kNothing);
    EXPECT_TRUE(is_paused());
    EXPECT_EQ(progress_.back().state->num_left_rows, 20);

    // r goes on, which lets rows of l leave; then l is read again.
    Push(1, 100, 1, 120);
    ASSERT_TRUE(Trigger());
    EXPECT_LE(progress_.back().state->num_rows_total, 16);
    EXPECT_FALSE(progress_.back().sources[0].paused);
    ASSERT_TRUE(Trigger());
    EXPECT_FALSE(is_paused());
    int64_t rows = 0;
    for (const BatchProgress& progress : progress_) rows += progress.sources[0].num_input_rows;
    EXPECT_EQ(rows, 23);
  }
}

TEST_F(StateLimitsTest, ATableThatBecomesIdleLetsThePausedOneGoOn) {
  for (const char* mode : kModes) {
    SCOPED_TRACE(mode);
    Open({mode, "SET 'state.max-rows' = '10';\nSET 'state.on-limit' = 'pause';\n", kBounded, "LEFT",
          MemoryStream::Kind::kInfinite, ", 'scan.watermark.idle-timeout' = '1 min'"});
    ASSERT_TRUE(job_->running().Start());
    Push(0, 1, 20, 100);
    ASSERT_TRUE(Trigger());
    Push(0, 21, 5, 200);
    ASSERT_TRUE(Trigger());
    EXPECT_TRUE(is_paused());
    clock_->AdvanceTo(clock_->Now() + Seconds(61));
    for (int trigger = 0; trigger < 4; ++trigger) {
      const Result<Ran> ran = Trigger();
      ASSERT_TRUE(ran) << ran.error().ToString();
    }
    ASSERT_TRUE(job_->running().Settle());
    EXPECT_FALSE(is_paused());
    EXPECT_GE(result_->num_rows(), 14);
  }
}

TEST_F(StateLimitsTest, ARunThatNothingCanUnpauseEndsWithAnError) {
  struct Case {
    std::string name;
    std::string mode;
    std::string condition;
    std::string type;
    std::string reason;
  };
  const Case cases[] = {
      {"ended", "micro-batch", kBounded, "LEFT", "waits for table r, which has ended"},
      {"ended", "per-record", kBounded, "LEFT", "waits for table r, which has ended"},
      {"unbounded", "micro-batch", "l.id = r.id", "INNER", "no time bound"},
      {"unbounded", "per-record", "l.id = r.id", "LEFT", "no time bound"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name + " " + each.mode);
    Open({each.mode,
          "SET 'state.max-rows' = '10';\nSET 'state.on-limit' = 'pause';\n"
          "SET 'execution.end-of-input' = 'hold';\n",
          each.condition, each.type, MemoryStream::Kind::kFinite});
    ASSERT_TRUE(job_->running().Start());
    Push(0, 1, 20, 100);
    Push(1, 1, 1, 100);
    Result<Ran> run = Trigger();
    ASSERT_TRUE(run) << run.error().ToString();
    streams_[1]->End();
    Push(0, 21, 5, 120);
    for (int trigger = 0; run && trigger < 3; ++trigger) run = Trigger();
    ASSERT_FALSE(run);
    EXPECT_EQ(progress_.back().state->num_left_rows, 20);
    EXPECT_EQ(run.error().code, ErrorCode::kInvalidInput);
    EXPECT_THAT(run.error().message, HasSubstr("paused"));
    EXPECT_THAT(run.error().message, HasSubstr(each.reason));
  }
}

// Although the watermark moves, and lets rows of the other side leave.
TEST_F(StateLimitsTest, RowsThatNeverLeaveEndTheRunWhenTheyAloneAreBeyondTheLimit) {
  struct Case {
    const char* name;
    const char* mode;
    const char* condition;
    const char* type;
    const char* reason;
  };
  const Case cases[] = {
      {"one bound", "micro-batch", "l.id = r.id AND r.ts >= l.ts", "INNER",
       "rows of l never leave: "},
      {"one bound, right side padded", "micro-batch", "l.id = r.id AND r.ts >= l.ts", "RIGHT",
       "rows of l never leave: "},
      {"one bound", "per-record", "l.id = r.id AND r.ts >= l.ts", "INNER", "no time bound"},
      {"a regular join above", "per-record",
       "l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND JOIN r AS s ON s.id = "
       "l.id",
       "INNER", "no time bound lets the rows of a regular join leave"},
  };
  for (const auto& [limit, value] :
       {std::pair("state.max-rows", "100"), {"state.max-bytes", "8 kb"}}) {
    for (const Case& each : cases) {
      SCOPED_TRACE(fmt::format("{} {} {}", each.name, each.mode, limit));
      Open({each.mode,
            fmt::format("SET '{}' = '{}';\nSET 'state.on-limit' = 'pause';\n", limit, value),
            each.condition, each.type});
      ASSERT_TRUE(job_->running().Start());
      Result<Ran> run = Ran::kNothing;
      for (int64_t second = 0; run && second < 5'000; second += 5) {
        Push(0, second, 5, second);
        Push(1, second, 5, second);
        run = Trigger();
      }
      ASSERT_FALSE(run);
      EXPECT_EQ(run.error().code, ErrorCode::kInvalidInput);
      EXPECT_THAT(run.error().message, HasSubstr(fmt::format("more than {}", limit)));
      EXPECT_THAT(run.error().message, HasSubstr("nothing can shrink the state any more"));
      EXPECT_THAT(run.error().message, HasSubstr(each.reason));
      EXPECT_LT(progress_.back().state->num_left_rows, 300);
    }
  }
}

TEST_F(StateLimitsTest, APausedRunGivesTheSameRows) {
  for (const char* mode : kModes) {
    SCOPED_TRACE(mode);
    std::vector<int64_t> counts;
    for (const char* settings :
         {"", "SET 'state.max-rows' = '300';\nSET 'state.on-limit' = 'pause';\n"}) {
      Open({mode, settings});
      ASSERT_TRUE(job_->running().Start());
      // l comes at once, r bit by bit.
      for (int64_t first = 0; first < 2'000; first += 100) Push(0, first, 100, first);
      bool has_paused = false;
      for (int64_t first = 0; first < 2'000; first += 100) {
        Push(1, first + first % 7, 100, first);
        const Result<Ran> ran = Trigger();
        ASSERT_TRUE(ran) << ran.error().ToString();
        has_paused = has_paused || is_paused();
      }
      for (bool again = true; again;) {
        const Result<Ran> ran = Trigger();
        ASSERT_TRUE(ran) << ran.error().ToString();
        again = *ran == Ran::kBatches;
      }
      ASSERT_TRUE(job_->running().Settle());
      EXPECT_EQ(has_paused, settings[0] != 0);
      counts.push_back(result_->num_rows());
    }
    EXPECT_EQ(counts[0], counts[1]);
  }
}

}  // namespace
}  // namespace braid
