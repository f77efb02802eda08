// What a query says it is doing, seen from within its sources and its sink.
#include "braid/query_activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "braid/column_builder.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"

namespace braid {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;

using Look = std::function<void()>;

class WatchedSource final : public Source {
 public:
  WatchedSource(std::unique_ptr<Source> source, const Look& look)
      : source_(std::move(source)), look_(look) {}

  std::string description() const override { return source_->description(); }
  TriggerLimits trigger_limits() const override { return {1000, 0}; }
  bool is_finite() const override { return source_->is_finite(); }
  Status Open(const std::string& start) override { return source_->Open(start); }
  Status StopAtLatest() override { return source_->StopAtLatest(); }
  Result<SourceNext> Next(const SliceLimits& limits) override {
    look_();
    return source_->Next(limits);
  }
  Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                const std::function<Status(SourceSlice)>& consumer) override {
    return source_->Replay(start, end, replay, consumer);
  }
  Status Commit(const std::string& end) override {
    look_();
    return source_->Commit(end);
  }

 private:
  const std::unique_ptr<Source> source_;
  const Look& look_;
};

class WatchedSink final : public Sink {
 public:
  explicit WatchedSink(const Look& look) : look_(look) {}

  std::string description() const override { return "WatchedSink"; }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return Looked(); }
  Status Write(int /*partition*/, const RowBatch& /*rows*/) override { return Looked(); }
  Status PublishBatch(int64_t /*batch_id*/) override { return Looked(); }

 private:
  Status Looked() {
    look_();
    return {};
  }

  const Look& look_;
};

class WatchedConnector final : public Connector {
 public:
  explicit WatchedConnector(const Look& look) : look_(look) {}

  void AddStream(const std::string& table, std::shared_ptr<MemoryStream> stream) {
    memory_.AddStream(table, std::move(stream));
  }
  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override {
    Result<std::unique_ptr<Source>> source = memory_.NewSource(table, read_columns, notes);
    if (!source) return source;
    return std::make_unique<WatchedSource>(std::move(*source), look_);
  }
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& /*table*/,
                                        std::vector<std::string>* /*notes*/) const override {
    return std::make_unique<WatchedSink>(look_);
  }

 private:
  MemoryConnector memory_;
  const Look& look_;
};

// l LEFT JOIN r within five seconds, both from streams that never end.
class QueryActivityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    schema_ = std::make_shared<const Schema>(
        Schema{{{"id", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}}});
    auto connector = std::make_shared<WatchedConnector>(look_);
    for (const char* table : {"l", "r"}) {
      streams_.push_back(std::make_shared<MemoryStream>(*schema_, MemoryStream::Kind::kInfinite));
      connector->AddStream(table, streams_.back());
    }
    registry_.Add("memory", connector);
    JobOptions options;
    options.connectors = &registry_;
    options.clock = &clock_;
    Result<std::unique_ptr<Job>> job = Job::Prepare(R"(
        CREATE TABLE l (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
          WITH ('connector' = 'memory');
        CREATE TABLE r (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
          WITH ('connector' = 'memory');
        CREATE TABLE joined (a BIGINT, b BIGINT) WITH ('connector' = 'memory');
        INSERT INTO joined SELECT l.id, r.id FROM l LEFT JOIN r
          ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND;)",
                                                    options);
    ASSERT_TRUE(job) << job.error().ToString();
    job_ = std::move(*job);
    ASSERT_TRUE(job_->OpenWith(nullptr));
    look_ = [this] { seen_.push_back(job_->running().activity()); };
  }

  // Rows (id, second).
  void Push(size_t table, const std::vector<std::pair<int64_t, int64_t>>& rows) {
    ColumnBuilder ids(DataType::BigInt());
    ColumnBuilder times(DataType::Timestamp(3));
    for (const auto& [id, second] : rows) {
      ids.Append(id);
      times.Append(second * 1'000'000);
    }
    streams_[table]->Push(
        RowBatch(schema_, {ids.Finish(), times.Finish()}, static_cast<int64_t>(rows.size())));
  }

  QueryActivity activity() const { return job_->running().activity(); }

  std::vector<BatchPhase> SeenPhases() const {
    std::vector<BatchPhase> phases;
    for (const QueryActivity& seen : seen_) {
      if (phases.empty() || phases.back() != seen.phase) phases.push_back(seen.phase);
    }
    return phases;
  }

  Look look_ = [] {};
  std::vector<QueryActivity> seen_;
  ManualClock clock_;
  ConnectorRegistry registry_;
  std::shared_ptr<const Schema> schema_;
  std::vector<std::shared_ptr<MemoryStream>> streams_;
  std::unique_ptr<Job> job_;
};

TEST_F(QueryActivityTest, IsIdleBetweenTriggers) {
  ASSERT_TRUE(job_->running().Start());
  EXPECT_EQ(activity().phase, BatchPhase::kIdle);
  EXPECT_EQ(activity().batch_id, 0);
  EXPECT_FALSE(activity().is_trigger_active);

  ASSERT_TRUE(job_->running().RunTrigger());
  EXPECT_FALSE(activity().is_trigger_active);
  EXPECT_FALSE(activity().is_data_available);

  Push(0, {{1, 10}});
  ASSERT_TRUE(job_->running().RunTrigger());
  EXPECT_EQ(activity().phase, BatchPhase::kIdle);
  EXPECT_EQ(activity().batch_id, 1);
  EXPECT_EQ(activity().done, 0);
  EXPECT_FALSE(activity().is_trigger_active);
  EXPECT_TRUE(activity().is_data_available);
}

TEST_F(QueryActivityTest, GoesThroughThePhasesOfABatch) {
  ASSERT_TRUE(job_->running().Start());
  Push(0, {{1, 10}, {2, 11}});
  Push(1, {{1, 12}});
  ASSERT_TRUE(job_->running().RunTrigger());
  // Batch 0, and the no-data batch after the watermark's first move.
  EXPECT_THAT(SeenPhases(),
              ElementsAre(BatchPhase::kReading, BatchPhase::kPlanning, BatchPhase::kJoining,
                          BatchPhase::kPublishing, BatchPhase::kCommitting, BatchPhase::kPlanning,
                          BatchPhase::kPublishing, BatchPhase::kCommitting));
  for (const QueryActivity& seen : seen_) EXPECT_TRUE(seen.is_trigger_active);
}

TEST_F(QueryActivityTest, SaysHowFarAPhaseIs) {
  ASSERT_TRUE(job_->running().Start());
  Push(0, {{1, 10}, {2, 11}});
  Push(1, {{1, 12}});
  ASSERT_TRUE(job_->running().RunTrigger());
  const auto find = [this](BatchPhase phase) {
    for (const QueryActivity& seen : seen_) {
      if (seen.phase == phase) return seen;
    }
    return QueryActivity{};
  };
  const QueryActivity reading = find(BatchPhase::kReading);
  EXPECT_EQ(reading.unit, ProgressUnit::kBytes);
  EXPECT_EQ(reading.total, 2000);  // What a trigger may take from both tables.
  const QueryActivity joining = find(BatchPhase::kJoining);
  EXPECT_EQ(joining.unit, ProgressUnit::kRows);
  EXPECT_EQ(joining.done, 2);  // The left rows; the right one is being joined.
  EXPECT_EQ(joining.total, 3);
  EXPECT_EQ(joining.num_input_rows, 3);
  EXPECT_EQ(joining.num_output_rows, 1);
  const QueryActivity publishing = find(BatchPhase::kPublishing);
  EXPECT_EQ(publishing.batch_id, 0);
  EXPECT_EQ(publishing.total, 0);
}

TEST_F(QueryActivityTest, CountsThePaddedRowsWhileTheyLeave) {
  ASSERT_TRUE(job_->running().Start());
  Push(0, {{1, 10}, {2, 11}, {3, 100}});
  Push(1, {{9, 100}});
  ASSERT_TRUE(job_->running().RunTrigger());
  EXPECT_THAT(seen_, Contains(::testing::AllOf(Field(&QueryActivity::phase, BatchPhase::kEvicting),
                                               Field(&QueryActivity::total, 2),
                                               Field(&QueryActivity::num_output_rows, 2),
                                               Field(&QueryActivity::num_input_rows, 0))));
}

}  // namespace
}  // namespace braid
