// Reports about output folders (K items), put to the built command. The flights are killed in
// tests/cli/kill_restart_test.cc, every step of the disk is cut in tests/connectors. K5 is about
// windows, which are refused by name (WrongRowReportsTest, WhatOneWatermarkCannotAnswer…); the
// watermark that released a row is in unmatched-rows.table (PerRecordRowTablesTest). S7 is here
// since it needs kills.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using ::testing::IsEmpty;
using testing::KillAfterChanges;
using testing::ReadFile;
using testing::RunBraid;
using testing::RunningCommand;
using testing::SortedOutputLines;
using testing::TemporaryDirectory;

// A left join of many small batches: each left row comes out once, every second one with a match.
class SinkReportsTest : public ::testing::Test {
 protected:
  // Writes the input and the job.
  void Prepare(int rows) {
    for (int file = 0; file < 3; ++file) {
      std::string left;
      std::string right;
      for (int key = file * rows / 3; key < (file + 1) * rows / 3; ++key) {
        left += fmt::format("{},{}\n", key, 10'000 + 100 * key);
        if (key % 2 == 0) right += fmt::format("{},{}\n", key, 10'500 + 100 * key);
        expected_.push_back(fmt::format("{},{}", key, key % 2 == 0));
      }
      directory_.Write(fmt::format("l/{}.csv", file), left);
      directory_.Write(fmt::format("r/{}.csv", file), right);
    }
    std::sort(expected_.begin(), expected_.end());
    std::string job = "SET 'parallelism' = '2';\nSET 'execution.end-of-input' = 'flush';\n";
    for (const char* table : {"l", "r"}) {
      job += fmt::format(
          "CREATE TABLE {0} (k BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts "
          "AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path' = '{1}', 'format' "
          "= 'csv', 'source.max-bytes-per-trigger' = '1 kb');\n",
          table, directory_.File(table));
    }
    job += fmt::format(
        "CREATE TABLE o (k BIGINT, matched BOOLEAN) WITH ('connector' = 'filesystem', 'path' = "
        "'{}', 'format' = 'csv');\nINSERT INTO o SELECT l.k, r.k IS NOT NULL FROM l LEFT JOIN r ON "
        "l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND;\n",
        output());
    arguments_ = {"run",          directory_.Write("job.sql", job),
                  "--checkpoint", directory_.File("checkpoint"),
                  "--trigger",    "20 ms"};
  }

  std::string output() const { return directory_.File("out"); }

  // One life that ends by a signal. False if it was done before the signal came.
  bool RunAndKill() {
    RunningCommand run(arguments_);
    KillAfterChanges(&run, output(), std::uniform_int_distribution(0, 2)(random_), &random_);
    const testing::CommandResult result = run.Wait();
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 128 + SIGKILL)) << result.errors;
    return result.exit_code != 0;
  }

  // Files that a plain reader sees and that end within a line.
  std::vector<std::string> TornFiles() const {
    std::vector<std::string> torn;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(output(), ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.front() == '.' || entry.path().extension() != ".csv") continue;
      const std::string text = ReadFile(entry.path().string());
      if (text.empty() || text.back() != '\n') torn.push_back(name);
    }
    return torn;
  }

  std::vector<std::string> HiddenFiles() const {
    std::vector<std::string> hidden;
    for (const auto& entry : std::filesystem::directory_iterator(output())) {
      const std::string name = entry.path().filename().string();
      if (name.front() == '.') hidden.push_back(name);
    }
    return hidden;
  }

  TemporaryDirectory directory_;
  std::vector<std::string> arguments_;
  std::vector<std::string> expected_;
  std::mt19937 random_{25'331};
};

// K1 (SPARK-25331)
TEST_F(SinkReportsTest, TwentyKillsLeaveEachRowOnceForAPlainReader) {
  Prepare(9'000);
  int kills = 0;
  while (kills < 20 && RunAndKill()) ++kills;
  EXPECT_EQ(kills, 20) << "the run ended before it could be killed so often";
  const testing::CommandResult last = RunBraid(arguments_);
  ASSERT_EQ(last.exit_code, 0) << last.errors;
  const std::vector<std::string> rows = SortedOutputLines(output());
  EXPECT_EQ(rows.size(), 9'000U);
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end()) << "sort | uniq -d";
  EXPECT_EQ(rows, expected_);
}

// S7 (arroyo#688, arroyo#802): what is cleaned up is never what a restart needs.
TEST_F(SinkReportsTest, KillsWithTwoRetainedVersionsRestoreEveryTime) {
  Prepare(3'000);
  arguments_.insert(arguments_.end(), {"--set", "state.retain-versions=2"});
  int kills = 0;
  while (kills < 8 && RunAndKill()) ++kills;
  EXPECT_GT(kills, 0);
  const testing::CommandResult last = RunBraid(arguments_);
  ASSERT_EQ(last.exit_code, 0) << last.errors;
  EXPECT_EQ(SortedOutputLines(output()), expected_);
  const testing::CommandResult versions = RunBraid({"state", directory_.File("checkpoint")});
  EXPECT_EQ(versions.exit_code, 0) << versions.errors;
}

// K3 (SPARK-24295): beside the rows there is nothing that grows with the batches.
TEST_F(SinkReportsTest, NoLogOfWrittenFilesGrowsInTheOutputFolder) {
  const auto bytes_beside_rows = [&] {
    uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(output())) {
      if (entry.is_regular_file() && entry.path().extension() != ".csv") bytes += entry.file_size();
    }
    return bytes;
  };
  Prepare(300);
  ASSERT_EQ(RunBraid(arguments_).exit_code, 0);
  const uintmax_t after_few = bytes_beside_rows();
  std::filesystem::remove_all(output());
  std::filesystem::remove_all(directory_.File("checkpoint"));
  expected_.clear();
  Prepare(6'000);
  ASSERT_EQ(RunBraid(arguments_).exit_code, 0);
  EXPECT_LE(bytes_beside_rows(), after_few);
  // A plain reader needs no more than the files of rows.
  EXPECT_EQ(SortedOutputLines(output()), expected_);
}

// K4 (Flink's "my file stays .inprogress"): visible with each batch, while the run goes on.
TEST_F(SinkReportsTest, RowsAreVisibleAfterEachBatchOfARunningJob) {
  directory_.Write("in/1.csv", "1\n");
  const std::string job = directory_.Write(
      "watch.sql",
      fmt::format("CREATE TABLE i (k BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', "
                  "'format' = 'csv', 'source.monitor-interval' = '10 ms');\nCREATE TABLE o (k "
                  "BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = "
                  "'csv');\nINSERT INTO o SELECT k FROM i;\n",
                  directory_.File("in"), output()));
  RunningCommand run({"run", job, "--checkpoint", directory_.File("watched")});
  for (int file = 1; file <= 3; ++file) {
    directory_.Write(fmt::format("in/{}.csv", file), fmt::format("{}\n", file));
    while (SortedOutputLines(output()).size() < static_cast<size_t>(file) && !run.has_ended()) {
      std::this_thread::yield();
    }
    EXPECT_EQ(SortedOutputLines(output()).size(), static_cast<size_t>(file));
  }
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait().exit_code, 0);
}

// K2 (SPARK-27210)
TEST_F(SinkReportsTest, NoKillShowsHalfAFileOrLeavesOneBehind) {
  Prepare(3'000);
  for (int kills = 0; kills < 5 && RunAndKill(); ++kills) EXPECT_THAT(TornFiles(), IsEmpty());
  const testing::CommandResult last = RunBraid(arguments_);
  ASSERT_EQ(last.exit_code, 0) << last.errors;
  EXPECT_THAT(TornFiles(), IsEmpty());
  EXPECT_THAT(HiddenFiles(), IsEmpty());
}

}  // namespace
}  // namespace braid
