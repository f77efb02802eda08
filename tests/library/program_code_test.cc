// A program's own sources, sinks, functions and listeners that throw, fail or block.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/connectors/temporary_folder.h"
#include "tests/library/two_streams.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A sink whose calls do what a test wants.
class ScriptedSink final : public Sink {
 public:
  using Call = std::function<Status(const std::string& call)>;
  explicit ScriptedSink(Call call, std::function<void()> interrupt = {})
      : call_(std::move(call)), interrupt_(std::move(interrupt)) {}

  std::string description() const override { return "ScriptedSink"; }
  Status Open(const SinkContext& /*context*/) override { return call_("Open"); }
  Status BeginBatch(int64_t /*batch_id*/) override { return call_("BeginBatch"); }
  Status Write(int /*partition*/, const RowBatch& /*rows*/) override { return call_("Write"); }
  Status PublishBatch(int64_t /*batch_id*/) override { return call_("PublishBatch"); }
  void Interrupt() override {
    if (interrupt_) interrupt_();
  }

 private:
  Call call_;
  std::function<void()> interrupt_;
};

SinkFactory Scripted(ScriptedSink::Call call, std::function<void()> interrupt = {}) {
  return [=](const TableDescription&) -> Result<std::unique_ptr<Sink>> {
    return std::make_unique<ScriptedSink>(call, interrupt);
  };
}

// What a query with these rows ends with.
Error EndOf(const QueryBuilder& builder) {
  Result<Query> query = builder.Start();
  const Status status = query ? query->AwaitTermination() : tl::unexpected(query.error());
  EXPECT_FALSE(status);
  return status ? Error() : status.error();
}

class ProgramCodeTest : public testing::Test {
 protected:
  ProgramCodeTest() {
    streams_.PushLeft({{1, 10}});
    streams_.PushRight({{1, 12}});
    streams_.End();
  }

  QueryBuilder Builder() const { return streams_.Query(engine_); }

  Engine engine_ = MustCreate();
  TwoStreams streams_{MemoryStream::Kind::kFinite};
};

TEST_F(ProgramCodeTest, ASinkThatThrowsOrFailsEndsTheQuery) {
  for (const std::string wrong : {"Open", "BeginBatch", "Write", "PublishBatch"}) {
    const Error thrown = EndOf(Builder().Sink(Scripted([wrong](const std::string& call) -> Status {
      if (call == wrong) throw std::runtime_error("out of paper");
      return {};
    })));
    EXPECT_EQ(thrown.code, ErrorCode::kProgram) << wrong;
    EXPECT_EQ(thrown.message, "the sink threw: out of paper") << wrong;
    const Error failed = EndOf(Builder().Sink(Scripted([wrong](const std::string& call) -> Status {
      if (call == wrong) return Fail(ErrorCode::kIo, "no line");
      return {};
    })));
    EXPECT_EQ(failed.code, ErrorCode::kIo) << wrong;
    EXPECT_EQ(failed.message, "no line") << wrong;
  }
}

TEST_F(ProgramCodeTest, WhatIsThrownNeedBeNoException) {
  const Error error =
      EndOf(Builder().ForEachBatch([](const RowBatch&, const BatchInfo&) { throw 7; }));
  EXPECT_EQ(error.code, ErrorCode::kProgram);
  EXPECT_EQ(error.message, "the ForEachBatch function threw something that is no std::exception");
  EXPECT_EQ(error.place.batch, 0);
}

TEST_F(ProgramCodeTest, AFactoryThatThrowsOrGivesNothingFailsTheStart) {
  const Result<Query> threw =
      Builder()
          .Sink([](const TableDescription&) -> Result<std::unique_ptr<Sink>> {
            throw std::runtime_error("none left");
          })
          .Start();
  ASSERT_FALSE(threw);
  EXPECT_EQ(threw.error().message, "the sink threw: none left");
  const Result<Query> null = Builder()
                                 .Source("l",
                                         [](const TableDescription&, const std::vector<int>&)
                                             -> Result<std::unique_ptr<Source>> { return nullptr; })
                                 .Start();
  ASSERT_FALSE(null);
  EXPECT_EQ(null.error().message, "the source of l is null");
}

// A sink that waits for the world, in a call that does not return by itself.
class Gate {
 public:
  Status Wait() {
    std::unique_lock lock(mutex_);
    reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    return Fail(ErrorCode::kCancelled, "interrupted");
  }
  void AwaitReached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  bool open_ = false;
};

TEST_F(ProgramCodeTest, StopInterruptsASinkThatBlocks) {
  Gate gate;
  Query query = MustStart(Builder().Sink(
      Scripted([&](const std::string& call) { return call == "Write" ? gate.Wait() : Status(); },
               [&] { gate.Open(); })));
  gate.AwaitReached();
  EXPECT_TRUE(query.Status().is_trigger_active);
  EXPECT_THAT(query.Status().message, HasSubstr("batch 0"));
  query.Stop();
  EXPECT_TRUE(query.AwaitTermination());
}

TEST_F(ProgramCodeTest, TheHandlesEndInterruptsASinkThatBlocks) {
  Gate gate;
  {
    const Query query = MustStart(Builder().Sink(Scripted(
        [&](const std::string& call) { return call == "PublishBatch" ? gate.Wait() : Status(); },
        [&] { gate.Open(); })));
    gate.AwaitReached();
  }
}

// A source that throws where a test wants it to.
class ScriptedSource final : public Source {
 public:
  explicit ScriptedSource(std::string wrong) : wrong_(std::move(wrong)) {}

  std::string description() const override { return Do("description"), "ScriptedSource"; }
  bool is_finite() const override { return Do("is_finite"), true; }
  Status Open(const std::string& /*start*/) override { return Do("Open"), Status(); }
  Status StopAtLatest() override { return Do("StopAtLatest"), Status(); }
  Result<SourceNext> Next(const SliceLimits& /*limits*/) override {
    Do("Next");
    SourceNext next;
    next.kind = SourceNext::Kind::kEnd;
    return next;
  }
  Status Replay(const std::string&, const std::string&, const std::string&,
                const std::function<Status(SourceSlice)>&) override {
    return Do("Replay"), Status();
  }
  Status Commit(const std::string& /*end*/) override { return Do("Commit"), Status(); }
  std::string latest_offset() const override { return Do("latest_offset"), ""; }
  TriggerLimits trigger_limits() const override { return Do("trigger_limits"), TriggerLimits(); }

 private:
  void Do(const std::string& call) const {
    if (call == wrong_) throw std::runtime_error("in " + call);
  }

  std::string wrong_;
};

TEST_F(ProgramCodeTest, ASourceThatThrowsEndsTheQueryWhereverItDoes) {
  for (const std::string wrong : {"is_finite", "Open", "StopAtLatest", "Next", "trigger_limits"}) {
    QueryBuilder builder =
        Builder().Source("r",
                         [wrong](const TableDescription&,
                                 const std::vector<int>&) -> Result<std::unique_ptr<Source>> {
                           return std::make_unique<ScriptedSource>(wrong);
                         });
    // Only a query that takes what is there stops at the latest.
    const Error error = EndOf(std::move(builder).Trigger(Trigger::AvailableNow()));
    EXPECT_EQ(error.code, ErrorCode::kProgram) << wrong;
    EXPECT_EQ(error.message, "the source of r threw: in " + wrong);
  }
}

// A source that gives one slice, made by a test, and ends.
class SliceSource final : public Source {
 public:
  explicit SliceSource(SourceSlice slice) : slice_(std::move(slice)) {}

  std::string description() const override { return "SliceSource"; }
  bool is_finite() const override { return true; }
  Status Open(const std::string& /*start*/) override { return {}; }
  Status StopAtLatest() override { return {}; }
  Result<SourceNext> Next(const SliceLimits& /*limits*/) override {
    SourceNext next;
    next.kind = given_ ? SourceNext::Kind::kEnd : SourceNext::Kind::kSlice;
    if (!given_) next.slice = slice_;
    given_ = true;
    return next;
  }
  Status Replay(const std::string&, const std::string&, const std::string&,
                const std::function<Status(SourceSlice)>& consumer) override {
    return consumer(slice_);
  }
  Status Commit(const std::string& /*end*/) override { return {}; }

 private:
  SourceSlice slice_;
  bool given_ = false;
};

Column Numbers(DataType type, int64_t count) {
  ColumnBuilder builder(type);
  for (int64_t number = 0; number < count; ++number) builder.Append(number);
  return builder.Finish();
}

Column Nulls(DataType type, int64_t count) {
  ColumnBuilder builder(type);
  builder.AppendNulls(count);
  return builder.Finish();
}

TEST_F(ProgramCodeTest, ASliceThatIsNotWhatWasAskedForEndsTheQuery) {
  const DataType big = DataType::BigInt();
  const DataType time = DataType::Timestamp(3);
  struct Case {
    const char* name;
    std::vector<Column> columns;
    int64_t num_rows;
    std::string end;
    std::string message;  // Empty: it is fine.
    std::vector<ChangeKind> kinds = {};
  };
  const std::string other = "the source of r gave a slice of other columns: (k BIGINT, ts ";
  const Case cases[] = {
      {"right", {Numbers(big, 2), Numbers(time, 2)}, 2, "1", ""},
      {"no rows, no columns", {}, 0, "1", ""},
      {"no rows, other columns", {Numbers(big, 0)}, 0, "1", ""},
      {"too few", {Numbers(big, 2)}, 2, "1", other},
      {"too many", {Numbers(big, 2), Numbers(time, 2), Numbers(big, 2)}, 2, "1", other},
      {"other type", {Numbers(big, 2), Numbers(big, 2)}, 2, "1", other},
      {"other precision",
       {Numbers(big, 2), Numbers(DataType::Timestamp(6), 2)},
       2,
       "1",
       "the types given are (BIGINT, TIMESTAMP(6))"},
      {"short column", {Numbers(big, 2), Numbers(time, 1)}, 2, "1", "column ts does not have a"},
      {"long column", {Numbers(big, 3), Numbers(time, 2)}, 2, "1", "column k does not have a"},
      {"no values",
       {Numbers(big, 2), Column(time, 2, 0, nullptr, nullptr, nullptr, nullptr)},
       2,
       "1",
       "column ts has no values"},
      {"NULL", {Nulls(big, 2), Numbers(time, 2)}, 2, "1", "column k holds NULL, but is NOT NULL"},
      {"no offset", {Numbers(big, 2), Numbers(time, 2)}, 2, "", "without the offset of its end"},
      {"a deletion",
       {Numbers(big, 2), Numbers(time, 2)},
       2,
       "1",
       "gave a slice with a -D, but does not say gives_changes()",
       {ChangeKind::kInsert, ChangeKind::kDelete}},
  };
  for (const Case& each : cases) {
    SourceSlice slice;
    slice.rows = RowBatch(streams_.right->shared_schema(), each.columns, each.num_rows);
    if (!each.kinds.empty()) {
      slice.rows = RowBatch(streams_.right->shared_schema(), each.columns, each.kinds);
    }
    slice.end = each.end;
    Result<Query> query =
        engine_
            .Sql(
                "CREATE TABLE r (k BIGINT NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);\n"
                "SELECT k, ts FROM r")
            .Source("r",
                    [&](const TableDescription&,
                        const std::vector<int>&) -> Result<std::unique_ptr<Source>> {
                      return std::make_unique<SliceSource>(slice);
                    })
            .Sink(std::make_shared<MemoryResult>())
            .Start();
    ASSERT_TRUE(query) << each.name;
    const Status status = query->AwaitTermination();
    EXPECT_EQ(status.has_value(), each.message.empty()) << each.name;
    if (status) continue;
    EXPECT_EQ(status.error().code, ErrorCode::kProgram) << each.name;
    EXPECT_THAT(status.error().message, HasSubstr(each.message)) << each.name;
  }
}

// A source that always has another row, and names no limits.
class EndlessSource final : public Source {
 public:
  explicit EndlessSource(std::shared_ptr<const Schema> schema) : schema_(std::move(schema)) {}

  std::string description() const override { return "EndlessSource"; }
  bool is_finite() const override { return false; }
  Status Open(const std::string& /*start*/) override { return {}; }
  Status StopAtLatest() override { return {}; }
  Result<SourceNext> Next(const SliceLimits& /*limits*/) override {
    RowBatchBuilder rows(schema_);
    for (int row = 0; row < 10'000; ++row) rows.Append(next_++);
    SourceNext next;
    next.kind = SourceNext::Kind::kSlice;
    next.slice.rows = rows.Finish();
    next.slice.end = std::to_string(next_);
    return next;
  }
  Status Replay(const std::string&, const std::string&, const std::string&,
                const std::function<Status(SourceSlice)>&) override {
    return {};
  }
  Status Commit(const std::string& /*end*/) override { return {}; }

 private:
  std::shared_ptr<const Schema> schema_;
  int64_t next_ = 0;
};

TEST_F(ProgramCodeTest, ASourceThatAlwaysHasRowsIsTakenInBatches) {
  const auto result = std::make_shared<MemoryResult>();
  Query query = MustStart(
      engine_
          .Sql("CREATE TABLE r (k BIGINT, ts TIMESTAMP(3));\n"
               "SELECT k FROM r WHERE k < 0")
          .Source("r",
                  [&](const TableDescription&,
                      const std::vector<int>& columns) -> Result<std::unique_ptr<Source>> {
                    EXPECT_EQ(columns.size(), 1U);
                    return std::make_unique<EndlessSource>(
                        std::make_shared<const Schema>(Schema{{{"k", DataType::BigInt()}}}));
                  })
          .Sink(result));
  EXPECT_TRUE(result->AwaitBatch(2, std::chrono::seconds(60)));
  query.Stop();
  EXPECT_TRUE(query.AwaitTermination());
}

class ThrowingListener final : public QueryListener {
 public:
  explicit ThrowingListener(std::string wrong) : wrong_(std::move(wrong)) {}
  void OnStarted(const Identity& /*query*/) override { Do("OnStarted"); }
  void OnProgress(const BatchProgress& /*progress*/) override { Do("OnProgress"); }
  void OnTerminated(const Identity& /*query*/, const std::optional<Error>& /*error*/) override {
    Do("OnTerminated");
  }

 private:
  void Do(const std::string& call) const {
    if (call == wrong_) throw std::runtime_error("in " + call);
  }

  std::string wrong_;
};

TEST_F(ProgramCodeTest, AListenerThatThrowsEndsTheQuery) {
  for (const std::string wrong : {"OnStarted", "OnProgress", "OnTerminated"}) {
    const Error error = EndOf(Builder().Listener(std::make_shared<ThrowingListener>(wrong)));
    EXPECT_EQ(error.code, ErrorCode::kProgram) << wrong;
    EXPECT_EQ(error.message, "a query listener threw: in " + wrong);
  }
}

TEST_F(ProgramCodeTest, WhatIsNullIsRefusedAtTheStart) {
  Engine engine = MustCreate();
  engine.AddConnector("nothing", nullptr);
  const std::string table = "CREATE TABLE l (k BIGINT) WITH ('connector' = 'nothing');\n";
  const struct {
    QueryBuilder builder;
    const char* message;
  } cases[] = {
      {Builder().Listener(nullptr), "a query listener is null"},
      {Builder().Source("l", std::shared_ptr<MemoryStream>()), "the stream of the table l is null"},
      {Builder().Sink(std::shared_ptr<MemoryResult>()), "the result in memory is null"},
      {Builder().Source("l", SourceFactory()), "the source of l threw: bad_function_call"},
      {Builder().Sink(SinkFactory()), "the sink threw: bad_function_call"},
      {engine.Sql(table + "SELECT k FROM l"), "the connector of the table l is null"},
      {engine.Sql(table + "INSERT INTO l SELECT k FROM l"), "the connector of the table l is null"},
  };
  for (const auto& each : cases) {
    const Result<Query> query = each.builder.Start();
    ASSERT_FALSE(query) << each.message;
    EXPECT_EQ(query.error().message, each.message);
  }
}

TEST(ForEachBatchTest, ABatchThatFailedComesAgainWithItsIdAndRows) {
  const TemporaryFolder folder;
  TwoStreams streams;
  const Engine engine = MustCreate({.checkpoint_directory = folder / "checkpoint"});
  std::vector<std::string> seen;
  bool fails = true;
  const QueryBuilder builder = streams.Query(engine).ForEachBatch(
      [&](const RowBatch& rows, const BatchInfo& batch) -> Status {
        for (const std::string& row : TwoStreams::TextsOf({rows})) {
          seen.push_back(std::to_string(batch.id) + ": " + row);
        }
        if (fails) return Fail(ErrorCode::kIo, "not now");
        return {};
      });
  streams.PushLeft({{1, 10}});
  streams.PushRight({{1, 12}});
  {
    Query query = MustStart(builder);
    const Status status = query.AwaitTermination();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "not now");
  }
  fails = false;
  Query query = MustStart(builder);
  EXPECT_TRUE(query.ProcessAllAvailable());
  EXPECT_THAT(seen, ElementsAre("0: 1 10 12", "0: 1 10 12"));
}

}  // namespace
}  // namespace braid
