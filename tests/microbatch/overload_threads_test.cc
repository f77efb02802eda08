// Sources that are faster than the rest of the query: what is read and not done with stays within
// limits. The queues of sockets and of output have tests of their own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "braid/column_builder.h"
#include "engine/connectors/memory.h"
#include "engine/session/job.h"

namespace braid {
namespace {

constexpr int64_t kSliceBytes = 100;
constexpr int64_t kTriggerBytes = 1'000;
constexpr int64_t kSlices = 3'000;

// What all tables have given, and what was done with.
struct Flow {
  std::atomic<int64_t> given_bytes{0};
  std::atomic<int64_t> most_waiting_bytes{0};
  std::atomic<int64_t> done_bytes{0};
  std::mutex mutex;
  std::condition_variable changed;
  bool is_stuck = true;  // Guarded by mutex.

  void NoteGiven() {
    given_bytes += kSliceBytes;
    const int64_t waiting = given_bytes - done_bytes;
    int64_t most = most_waiting_bytes;
    while (waiting > most && !most_waiting_bytes.compare_exchange_weak(most, waiting)) {
    }
    changed.notify_all();
  }
  void Release() {
    const std::lock_guard lock(mutex);
    is_stuck = false;
    changed.notify_all();
  }
  void WaitUntilReleased() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !is_stuck; });
  }
  void AwaitGiven(int64_t bytes) {
    std::unique_lock lock(mutex);
    while (given_bytes < bytes) changed.wait_for(lock, std::chrono::milliseconds(1));
  }
};

// A finite table that always has the next slice: ten rows, a second further each.
class FastSource final : public Source {
 public:
  explicit FastSource(Flow* flow) : flow_(flow) {}

  std::string description() const override { return "fast"; }
  TriggerLimits trigger_limits() const override { return {kTriggerBytes, 0}; }
  bool is_finite() const override { return true; }
  Status Open(const std::string&) override { return {}; }
  Status StopAtLatest() override { return {}; }
  Result<SourceNext> Next(const SliceLimits&) override {
    SourceNext next;
    if (number_ == kSlices) {
      next.kind = SourceNext::Kind::kEnd;
      return next;
    }
    ColumnBuilder keys(DataType::BigInt());
    ColumnBuilder times(DataType::Timestamp(3));
    for (int64_t row = 0; row < 10; ++row) {
      keys.Append(number_ * 10 + row);
      times.Append(number_ * 1'000'000);
    }
    static const auto schema = std::make_shared<const Schema>(
        Schema{{{"k", DataType::BigInt()}, {"ts", DataType::Timestamp(3)}}});
    next.kind = SourceNext::Kind::kSlice;
    next.slice.rows = RowBatch(schema, {keys.Finish(), times.Finish()}, 10);
    next.slice.end = fmt::format("{}", ++number_);
    next.slice.num_bytes = kSliceBytes;
    flow_->NoteGiven();
    return next;
  }
  Status Replay(const std::string&, const std::string&, const std::string&,
                const std::function<Status(SourceSlice)>&) override {
    return {};
  }
  Status Commit(const std::string&) override { return {}; }

 private:
  Flow* flow_;
  int64_t number_ = 0;
};

// Takes nothing until it is released.
class StuckSink final : public Sink {
 public:
  explicit StuckSink(Flow* flow) : flow_(flow) {}

  std::string description() const override { return "stuck"; }
  Status Open(const SinkContext&) override { return {}; }
  Status BeginBatch(int64_t) override { return {}; }
  Status Write(int, const RowBatch& rows) override {
    flow_->WaitUntilReleased();
    num_rows_ += rows.num_rows();
    return {};
  }
  Status PublishBatch(int64_t) override { return {}; }
  int64_t num_rows() const { return num_rows_; }

 private:
  Flow* flow_;
  std::atomic<int64_t> num_rows_{0};
};

TEST(OverloadTest, ATableThatIsFasterThanTheSinkIsReadOnlySoFarAhead) {
  // Beyond the batches whose output waits: one that is planned, one whose slices are chosen, and
  // what is read ahead, which one slice may exceed.
  struct Case {
    const char* mode;
    int64_t batches;
  };
  for (const Case& each : {Case{"micro-batch", 3 + 2}, Case{"per-record", 1}}) {
    SCOPED_TRACE(each.mode);
    Flow flow;
    SystemClock clock;
    ConnectorRegistry registry;
    JobOptions options;
    options.connectors = &registry;
    options.clock = &clock;
    for (const char* table : {"l", "r"}) {
      options.sources[table] = [&flow](const TableDescription&,
                                       const std::vector<int>&) -> Result<std::unique_ptr<Source>> {
        return std::make_unique<FastSource>(&flow);
      };
    }
    StuckSink* sink = nullptr;
    options.sink = [&](const TableDescription&) -> Result<std::unique_ptr<Sink>> {
      auto made = std::make_unique<StuckSink>(&flow);
      sink = made.get();
      return made;
    };
    std::string text = fmt::format("SET 'execution.mode' = '{}';\n", each.mode);
    for (const char* table : {"l", "r"}) {
      text += fmt::format(
          "CREATE TABLE {} (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = "
          "'none');\n",
          table);
    }
    text +=
        "SELECT l.k FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts - INTERVAL '1' SECOND AND "
        "l.ts "
        "+ INTERVAL '1' SECOND;";
    Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
    ASSERT_TRUE(job) << job.error().ToString();
    const Status opened = (*job)->Open();
    ASSERT_TRUE(opened) << opened.error().ToString();
    Status run;
    std::thread running([&] { run = (*job)->Run(); });
    const int64_t bytes_max = 2 * (each.batches * kTriggerBytes + kTriggerBytes + 2 * kSliceBytes);
    // By then each has read ahead as far as it may.
    flow.AwaitGiven(2 * kTriggerBytes + 2 * kSliceBytes);
    EXPECT_LE(flow.most_waiting_bytes, bytes_max);
    flow.Release();
    running.join();
    ASSERT_TRUE(run) << run.error().ToString();
    EXPECT_EQ(sink->num_rows(), kSlices * 10);
    EXPECT_EQ(flow.given_bytes, 2 * kSlices * kSliceBytes);
  }
}

}  // namespace
}  // namespace braid
