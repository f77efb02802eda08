// Whole queries over sockets: a join that is killed between planning and commit, and stops.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/connectors/filesystem_connector.h"
#include "engine/connectors/socket_connector.h"
#include "engine/session/job.h"
#include "tests/connectors/row_texts.h"
#include "tests/connectors/tcp_peer.h"
#include "tests/connectors/temporary_folder.h"

namespace braid {
namespace {

using std::chrono::steady_clock;
using testing::IsEmpty;
using testing::Not;

constexpr int kKilled = 9;

// Notes each row in a file before it hands it on, and ends the process without further ado when
// batch 2 or a later one is to be published with rows.
class KillingSink final : public Sink {
 public:
  KillingSink(std::unique_ptr<Sink> sink, std::string file)
      : sink_(std::move(sink)), file_(std::move(file)) {}

  std::string description() const override { return sink_->description(); }
  Status Open(const SinkContext& context) override { return sink_->Open(context); }
  Status BeginBatch(int64_t batch_id) override {
    num_rows_ = 0;
    return sink_->BeginBatch(batch_id);
  }
  Status Write(int partition, const RowBatch& rows) override {
    std::ofstream file(file_, std::ios::app);
    for (const std::string& row : RowTexts(rows)) file << row << "\n";
    num_rows_ += rows.num_rows();
    return sink_->Write(partition, rows);
  }
  Status PublishBatch(int64_t batch_id) override {
    if (batch_id >= 2 && num_rows_ > 0) _exit(kKilled);
    return sink_->PublishBatch(batch_id);
  }

 private:
  std::unique_ptr<Sink> sink_;
  std::string file_;
  int64_t num_rows_ = 0;
};

// 'filesystem', as a sink that kills.
class KillingConnector final : public Connector {
 public:
  explicit KillingConnector(std::string file) : file_(std::move(file)) {}

  Result<std::unique_ptr<Source>> NewSource(const TableDescription& table,
                                            const std::vector<int>& read_columns,
                                            std::vector<std::string>* notes) const override {
    return FilesystemConnector().NewSource(table, read_columns, notes);
  }
  Result<std::unique_ptr<Sink>> NewSink(const TableDescription& table,
                                        std::vector<std::string>* notes) const override {
    Result<std::unique_ptr<Sink>> sink = FilesystemConnector().NewSink(table, notes);
    if (!sink) return sink;
    return std::make_unique<KillingSink>(std::move(*sink), file_);
  }

 private:
  std::string file_;
};

std::string SocketTable(const char* name, uint16_t port) {
  return fmt::format(
      "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) "
      "WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' = '{}', 'format' = 'csv');\n",
      name, port);
}

const char* const kModes[] = {"micro-batch", "per-record"};

std::string JoinText(const TemporaryFolder& folder, uint16_t left, uint16_t right,
                     const std::string& trigger, const std::string& mode) {
  return fmt::format(
             "SET 'execution.mode' = '{}';\nSET 'execution.checkpointing.interval' = '20 ms';\n",
             mode) +
         SocketTable("l", left) + SocketTable("r", right) +
         fmt::format(
             "CREATE TABLE joined (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', "
             "'path' = '{}', 'format' = 'csv');\n"
             "SET 'execution.checkpoint' = '{}';\nSET 'execution.trigger' = '{}';\n"
             "INSERT INTO joined SELECT l.id, r.ts FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN "
             "l.ts - INTERVAL '1' MINUTE AND l.ts + INTERVAL '1' MINUTE;\n",
             folder / "out", folder / "checkpoint", trigger);
}

Result<std::unique_ptr<Job>> OpenJob(const std::string& text, const ConnectorRegistry& registry,
                                     Clock* clock) {
  JobOptions options;
  options.connectors = &registry;
  options.clock = clock;
  Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
  if (!job) return job;
  if (Status opened = (*job)->Open(); !opened) return tl::unexpected(opened.error());
  return job;
}

[[noreturn]] void RunUntilKilled(const std::string& text, const std::string& written) {
  ConnectorRegistry registry;
  registry.Add("socket", std::make_shared<SocketConnector>());
  registry.Add("filesystem", std::make_shared<KillingConnector>(written));
  SystemClock clock;
  const Result<std::unique_ptr<Job>> job = OpenJob(text, registry, &clock);
  if (!job) _exit(1);
  _exit((*job)->Run() ? 2 : 3);
}

std::string Line(int id) {
  return fmt::format("{},2024-01-01 00:00:{:02}.{:03}\n", id, id / 1'000 % 60, id % 1'000);
}

std::vector<std::string> SortedLines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string AllOutput(const TemporaryFolder& folder) {
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("part-")) text += folder.Read("out/" + name);
  }
  return text;
}

// Sends the same rows to both tables, never waiting, until the process is gone.
int FeedUntilGone(pid_t process, TcpPeer left, TcpPeer right) {
  int status = 0;
  std::string bytes[2];
  int id = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    for (std::string& rest : bytes) {
      if (rest.size() < 10'000) rest += Line(id);
    }
    ++id;
    bytes[0].erase(0, left.SendSome(bytes[0]));
    bytes[1].erase(0, right.SendSome(bytes[1]));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SocketJobThreadsTest, ABatchKilledBetweenPlanningAndCommitRunsAgainWithTheSameLines) {
  const std::pair<const char*, const char*> kinds[] = {
      {"asap", "micro-batch"}, {"20 ms", "micro-batch"}, {"asap", "per-record"}};
  for (const auto& [trigger, mode] : kinds) {
    SCOPED_TRACE(mode);
    TemporaryFolder folder;
    TcpServer left;
    TcpServer right;
    const std::string text = JoinText(folder, left.port(), right.port(), trigger, mode);
    const pid_t process = fork();
    ASSERT_GE(process, 0);
    if (process == 0) {
      left.Close();
      right.Close();
      RunUntilKilled(text, folder / "written.csv");
    }
    TcpPeer left_peer = left.Accept();
    ASSERT_EQ(FeedUntilGone(process, std::move(left_peer), right.Accept()), kKilled) << trigger;
    const std::vector<std::string> before = SortedLines(AllOutput(folder));
    const std::vector<std::string> planned = SortedLines(folder.Read("written.csv"));
    ASSERT_THAT(planned, Not(IsEmpty()));
    ASSERT_LT(before.size(), planned.size()) << "what was killed was not published";

    // The senders are silent now: every line comes from the checkpoint.
    const ConnectorRegistry registry = BuiltInConnectors();
    SystemClock clock;
    const std::string once = JoinText(folder, left.port(), right.port(), "once", mode);
    const Result<std::unique_ptr<Job>> job = OpenJob(once, registry, &clock);
    ASSERT_TRUE(job) << job.error().ToString();
    const Status ran = (*job)->Run();
    ASSERT_TRUE(ran) << ran.error().ToString();
    EXPECT_EQ(SortedLines(AllOutput(folder)), planned) << trigger;
  }
}

TEST(SocketJobThreadsTest, StopsWithinASecondWhileNothingComesOrNobodyTakes) {
  TcpServer input;
  TcpServer output;  // Takes nothing.
  const std::string tables = fmt::format(
      "CREATE TABLE i (line STRING) WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' "
      "= '{}', 'format' = 'raw');\n"
      "CREATE TABLE o (line STRING) WITH ('connector' = 'socket', 'hostname' = '127.0.0.1', 'port' "
      "= '{}', 'format' = 'csv');\nINSERT INTO o SELECT line FROM i;\n",
      input.port(), output.port());
  for (const bool sends : {false, true}) {
    const ConnectorRegistry registry = BuiltInConnectors();
    SystemClock clock;
    const Result<std::unique_ptr<Job>> job = OpenJob(tables, registry, &clock);
    ASSERT_TRUE(job) << job.error().ToString();
    Status ran;
    std::thread runner([&] { ran = (*job)->Run(); });
    TcpPeer peer = input.Accept();
    if (sends) {
      // Until nothing moves any more: the output's receiver does not read.
      const std::string lines = std::string(99, 'a') + "\n";
      auto moved = steady_clock::now();
      while (steady_clock::now() - moved < std::chrono::milliseconds(500)) {
        if (peer.SendSome(lines) > 0) moved = steady_clock::now();
      }
    }
    const auto begun = steady_clock::now();
    (*job)->Stop();
    runner.join();
    EXPECT_LT(steady_clock::now() - begun, std::chrono::seconds(1));
    EXPECT_TRUE(ran) << ran.error().ToString();
  }
}

TEST(SocketJobThreadsTest, AvailableNowReadsUntilThePeersClose) {
  for (const char* mode : kModes) {
    TemporaryFolder folder;
    TcpServer left;
    TcpServer right;
    const ConnectorRegistry registry = BuiltInConnectors();
    SystemClock clock;
    const Result<std::unique_ptr<Job>> job = OpenJob(
        JoinText(folder, left.port(), right.port(), "available-now", mode), registry, &clock);
    ASSERT_TRUE(job) << job.error().ToString();
    Status ran;
    std::thread runner([&] { ran = (*job)->Run(); });
    {
      TcpPeer left_peer = left.Accept();
      TcpPeer right_peer = right.Accept();
      for (int id = 0; id < 5'000; ++id) {
        left_peer.Send(Line(id));
        right_peer.Send(Line(id));
      }
    }
    runner.join();
    EXPECT_TRUE(ran) << ran.error().ToString();
    EXPECT_EQ(SortedLines(AllOutput(folder)).size(), 5'000U) << mode;
  }
}

}  // namespace
}  // namespace braid
