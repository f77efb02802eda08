#include "braid/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/connectors/temporary_folder.h"
#include "tests/library/two_streams.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(QueryTest, FiniteInputsEndTheQuery) {
  TwoStreams streams(MemoryStream::Kind::kFinite);
  Query query = MustStart(streams.Query(MustCreate()));
  streams.PushLeft({{1, 10}, {2, 11}});
  streams.PushRight({{1, 12}});
  streams.End();
  EXPECT_TRUE(query.AwaitTermination());
  EXPECT_THAT(streams.Rows(), ElementsAre("1 10 12", "2 11 -"));
  EXPECT_FALSE(query.Status().is_active);
  EXPECT_EQ(query.Status().message, "ended");
  EXPECT_EQ(query.Error(), std::nullopt);
}

TEST(QueryTest, StopEndsAQueryThatWaitsForRows) {
  TwoStreams streams;
  Query query = MustStart(streams.Query(MustCreate()));
  const Result<bool> ended = query.AwaitTermination(std::chrono::milliseconds(0));
  ASSERT_TRUE(ended);
  EXPECT_FALSE(*ended);
  EXPECT_TRUE(query.Status().is_active);
  query.Stop();
  EXPECT_FALSE(query.Status().is_active);
  EXPECT_TRUE(query.AwaitTermination());
  query.Stop();  // And again: nothing.
}

// 2.5 billion pairs of one batch, in their middle: nothing but the look at the flag ends them.
TEST(QueryTest, AbandonEndsAHugeBatch) {
  const TemporaryFolder folder;
  std::string lines;
  for (int row = 0; row < 50'000; ++row) lines += "1,2024-01-01 00:00:00\n";
  folder.Write("left.csv", lines);
  folder.Write("right.csv", lines);
  std::string text;
  for (const char* table : {"left", "right"}) {
    text += std::string("CREATE TABLE ") + table +
            "_rows (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = "
            "'filesystem', 'format' = 'csv', 'path' = '" +
            folder.path() + "/" + table + ".csv');\n";
  }
  text +=
      "CREATE TABLE o (k BIGINT) WITH ('connector' = 'blackhole');\nINSERT INTO o SELECT l.k FROM "
      "left_rows l JOIN right_rows r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' "
      "MINUTE";
  for (const char* mode : {"micro-batch", "per-record"}) {
    for (const char* condition : {"", " AND l.k + r.k < 0"}) {
      SCOPED_TRACE(std::string(mode) + condition);
      Query query = MustStart(MustCreate().Sql(text + condition).Set("execution.mode", mode));
      while (query.Status().message.find("joining") == std::string::npos) {
        ASSERT_TRUE(query.Status().is_active);
        std::this_thread::yield();
      }
      query.Abandon();
      EXPECT_FALSE(query.Status().is_active);
      EXPECT_TRUE(query.AwaitTermination());
      if (std::string(mode) == "micro-batch") {
        EXPECT_EQ(query.LastProgress(), std::nullopt);
      }
    }
  }
}

TEST(QueryTest, ProcessAllAvailableTakesWhatWasPushed) {
  TwoStreams streams;
  Query query = MustStart(streams.Query(MustCreate()));
  EXPECT_TRUE(query.ProcessAllAvailable());
  EXPECT_THAT(streams.Rows(), IsEmpty());
  for (int64_t key = 0; key < 50; ++key) {
    streams.PushLeft({{key, 10 * key}});
    streams.PushRight({{key, 10 * key + 1}});
    ASSERT_TRUE(query.ProcessAllAvailable());
    ASSERT_THAT(streams.Rows(), SizeIs(key + 1));
  }
}

TEST(QueryTest, ProcessAllAvailableDoesNotWaitForTheTrigger) {
  auto clock = std::make_shared<ManualClock>(EventTime{1'000'000});
  TwoStreams streams;
  Query query = MustStart(
      streams.Query(MustCreate({.clock = clock})).Trigger(Trigger::Every(std::chrono::hours(1))));
  streams.PushLeft({{1, 10}});
  streams.PushRight({{1, 12}});
  EXPECT_TRUE(query.ProcessAllAvailable());
  EXPECT_THAT(streams.Rows(), ElementsAre("1 10 12"));
}

TEST(QueryTest, TriggersFireWhenTheClockIsMoved) {
  auto clock = std::make_shared<ManualClock>();
  TwoStreams streams;
  Query query = MustStart(streams.Query(MustCreate({.clock = clock}))
                              .Trigger(Trigger::Every(std::chrono::seconds(10))));
  EXPECT_TRUE(query.ProcessAllAvailable());
  streams.PushLeft({{1, 10}});
  streams.PushRight({{1, 12}});
  clock->AdvanceTo({10'000'000});
  EXPECT_TRUE(streams.result->AwaitBatch(0, std::chrono::minutes(5)));
  EXPECT_THAT(streams.Rows(), ElementsAre("1 10 12"));
}

TEST(QueryTest, ATableThatIsSilentForItsTimeoutIsNotWaitedForWhateverTheTrigger) {
  for (const Trigger trigger : {Trigger::Asap(), Trigger::Every(std::chrono::seconds(4))}) {
    auto clock = std::make_shared<ManualClock>();
    TwoStreams streams;
    Query query = MustStart(streams.Query(MustCreate({.clock = clock}))
                                .Trigger(trigger)
                                .Set("table.exec.source.idle-timeout", "10 s"));
    streams.PushLeft({{1, 10}, {8, 100}});
    EXPECT_TRUE(query.ProcessAllAvailable());
    EXPECT_THAT(streams.Rows(), IsEmpty());
    // Nobody asks for a trigger, and no row comes. The loop may look at the clock only after it was
    // moved, and then waits for it to move on.
    for (int second = 10; !streams.result->AwaitBatch(1, std::chrono::milliseconds(10)); ++second) {
      ASSERT_LT(second, 30'000);
      clock->AdvanceTo(EventTime{} + Seconds(second));
    }
    EXPECT_THAT(streams.Rows(), ElementsAre("1 10 -"));
  }
}

TEST(QueryTest, ManyThreadsMayWait) {
  TwoStreams streams;
  Query query = MustStart(streams.Query(MustCreate()));
  streams.PushLeft({{1, 10}});
  streams.PushRight({{1, 12}});
  std::vector<std::future<bool>> waiters;
  for (int i = 0; i < 4; ++i) {
    waiters.push_back(
        std::async(std::launch::async, [&] { return query.ProcessAllAvailable().has_value(); }));
    waiters.push_back(
        std::async(std::launch::async, [&] { return query.AwaitTermination().has_value(); }));
  }
  for (size_t i = 0; i < waiters.size(); i += 2) EXPECT_TRUE(waiters[i].get());
  EXPECT_THAT(streams.Rows(), ElementsAre("1 10 12"));
  query.Stop();
  for (size_t i = 1; i < waiters.size(); i += 2) EXPECT_TRUE(waiters[i].get());
}

TEST(QueryTest, ProgressIsThatOfCommittedBatches) {
  TwoStreams streams;
  Query query = MustStart(streams.Query(MustCreate()).Name("both"));
  EXPECT_EQ(query.LastProgress(), std::nullopt);
  constexpr int kBatches = 120;
  for (int batch = 0; batch < kBatches; ++batch) {
    streams.PushLeft({{batch, 10}});
    ASSERT_TRUE(query.ProcessAllAvailable());
  }
  const std::vector<BatchProgress> recent = query.RecentProgress();
  ASSERT_THAT(recent, SizeIs(100));
  EXPECT_EQ(recent.back().batch_id, query.LastProgress()->batch_id);
  EXPECT_EQ(recent.front().batch_id + 99, recent.back().batch_id);
  EXPECT_EQ(recent.back().name, "both");
  EXPECT_EQ(recent.back().id, query.id());
  EXPECT_EQ(recent.back().run_id, query.run_id());
  EXPECT_EQ(recent.back().sources[0].num_input_rows, 1);
}

TEST(QueryTest, ARestartGoesOnFromTheCheckpoint) {
  const TemporaryFolder folder;
  TwoStreams streams;
  const Engine engine = MustCreate({.checkpoint_directory = folder / "checkpoint"});
  std::string id;
  {
    Query query = MustStart(streams.Query(engine));
    id = query.id();
    streams.PushLeft({{1, 10}});
    EXPECT_TRUE(query.ProcessAllAvailable());
    const Result<Query> second = streams.Query(engine).Start();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  }
  Query query = MustStart(streams.Query(engine));
  EXPECT_EQ(query.id(), id);
  streams.PushRight({{1, 12}});
  EXPECT_TRUE(query.ProcessAllAvailable());
  EXPECT_THAT(streams.Rows(), ElementsAre("1 10 12"));
}

TEST(QueryTest, WhatCannotBeOpenedFailsTheStart) {
  const Engine engine = MustCreate();
  const Result<Query> query =
      engine
          .Sql(
              "CREATE TABLE t (k BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', "
              "'path' = '/nowhere/at/all.csv'); SELECT * FROM t")
          .Start();
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().code, ErrorCode::kNotFound);
}

class RecordingListener final : public QueryListener {
 public:
  void OnStarted(const Identity& query) override { calls.push_back("started " + query.name); }
  void OnProgress(const BatchProgress& progress) override {
    calls.push_back("batch " + std::to_string(progress.batch_id));
  }
  void OnTerminated(const Identity& query, const std::optional<Error>& error) override {
    calls.push_back("terminated " + query.name + (error ? ": " + error->message : ""));
  }

  std::vector<std::string> calls;  // Read after the end only.
};

TEST(QueryTest, ListenersHearOfStartBatchesAndEnd) {
  auto listener = std::make_shared<RecordingListener>();
  TwoStreams streams(MemoryStream::Kind::kFinite);
  streams.PushLeft({{1, 10}});
  streams.End();
  Query query =
      MustStart(streams.Query(MustCreate()).Name("q").Listener(listener).Listener(listener));
  EXPECT_TRUE(query.AwaitTermination());
  EXPECT_THAT(listener->calls, ElementsAre("started q", "started q", "batch 0", "batch 0",
                                           "batch 1", "batch 1", "terminated q", "terminated q"));
}

TEST(QueryTest, AFunctionMayStopItsOwnQueryButNotWaitForIt) {
  TwoStreams streams;
  std::promise<Query*> handle;
  std::shared_future<Query*> query_of = handle.get_future().share();
  std::vector<ErrorCode> refused;
  Query query =
      MustStart(streams.Query(MustCreate()).ForEachBatch([&](const RowBatch&, const BatchInfo&) {
        Query* self = query_of.get();
        for (const Status& status : {self->AwaitTermination(), self->ProcessAllAvailable()}) {
          if (!status) refused.push_back(status.error().code);
        }
        self->Stop();
      }));
  handle.set_value(&query);
  streams.PushLeft({{1, 10}});
  EXPECT_TRUE(query.AwaitTermination());
  EXPECT_THAT(refused, ElementsAre(ErrorCode::kInvalidQuery, ErrorCode::kInvalidQuery));
  EXPECT_EQ(query.LastProgress()->batch_id, 0);
}

class LetsGo final : public QueryListener {
 public:
  explicit LetsGo(std::function<void()> end) : end_(std::move(end)) {}
  void OnProgress(const BatchProgress& /*progress*/) override { end_(); }
  void OnTerminated(const Identity& /*query*/, const std::optional<Error>& error) override {
    terminated_.set_value(error);
  }
  std::future<std::optional<Error>> terminated() { return terminated_.get_future(); }

 private:
  std::function<void()> end_;
  std::promise<std::optional<Error>> terminated_;
};

TEST(QueryTest, TheHandleMayEndInACallOfTheQuery) {
  TwoStreams streams;
  auto query = std::make_unique<std::optional<Query>>();
  std::mutex mutex;
  const auto listener = std::make_shared<LetsGo>([&] {
    const std::lock_guard lock(mutex);
    query.reset();
  });
  std::future<std::optional<Error>> terminated = listener->terminated();
  {
    const std::lock_guard lock(mutex);
    *query = MustStart(streams.Query(MustCreate()).Listener(listener));
    streams.PushLeft({{1, 10}});
  }
  EXPECT_FALSE(terminated.get());
  EXPECT_EQ(query, nullptr);
}

TEST(QueryTest, ATriggerNeedsATimeAboveZero) {
  for (const int64_t micros : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    const Result<Query> query = TwoStreams()
                                    .Query(MustCreate())
                                    .Trigger(Trigger::Every(std::chrono::microseconds(micros)))
                                    .Start();
    ASSERT_FALSE(query) << micros;
    EXPECT_EQ(query.error().code, ErrorCode::kInvalidOption);
  }
}

TEST(QueryTest, TimesThatAreAsLongAsCanBeAreNotOver) {
  TwoStreams streams;
  Query query = MustStart(
      streams.Query(MustCreate()).Trigger(Trigger::Every(std::chrono::microseconds::max())));
  EXPECT_TRUE(query.ProcessAllAvailable());
  std::thread stops([&] {
    EXPECT_FALSE(streams.result->AwaitBatch(0, std::chrono::milliseconds::min()));
    query.Stop();
  });
  const Result<bool> ended = query.AwaitTermination(std::chrono::milliseconds::max());
  stops.join();
  ASSERT_TRUE(ended);
  EXPECT_TRUE(*ended);
  streams.PushLeft({{1, 10}});
  streams.End();
  Query again = MustStart(streams.Query(MustCreate()));
  EXPECT_TRUE(streams.result->AwaitBatch(0, std::chrono::milliseconds::max()));
}

TEST(QueryTest, ABadRowFailsTheQueryWithItsPlace) {
  const TemporaryFolder folder;
  folder.Write("t.csv", "1\nx\n");
  Result<Query> query = MustCreate()
                            .Sql(
                                "CREATE TABLE t (k BIGINT) WITH ('connector' = 'filesystem', "
                                "'format' = 'csv', 'path' = '" +
                                folder.path() + "/t.csv'); SELECT * FROM t")
                            .Sink(std::make_shared<MemoryResult>())
                            .Start();
  const Status status = query ? query->AwaitTermination() : tl::unexpected(query.error());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(status.error().place.line, 2);
  if (query) {
    EXPECT_EQ(query->Error()->message, status.error().message);
    EXPECT_THAT(query->Status().message, HasSubstr("failed: "));
  }
}

}  // namespace
}  // namespace braid
