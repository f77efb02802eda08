// braid stop: how a run is stopped from another process.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "tests/cli/command_runner.h"
#include "tests/cli/terminal_command.h"

namespace braid {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::RunBraid;
using testing::RunningCommand;
using testing::TemporaryDirectory;
using testing::TerminalCommand;

class StopCommandTest : public ::testing::Test {
 protected:
  std::string checkpoint() const { return directory_.File("checkpoint"); }

  // Rows of one table after the other, for ever.
  std::string EndlessJob() const {
    return directory_.Write(
        "job.sql",
        fmt::format("CREATE TABLE t (id BIGINT) WITH ('connector' = 'datagen', "
                    "'rows-per-second' = '1000', 'fields.id.kind' = 'sequence');\n"
                    "CREATE TABLE o (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', "
                    "'format' = 'csv');\nINSERT INTO o SELECT id FROM t;\n",
                    directory_.File("out")));
  }

  // So many rows on each side, all with one key, in one batch. `condition`: of a pair.
  std::string HugeJob(int rows, const std::string& condition) const {
    std::string lines;
    for (int row = 0; row < rows; ++row) lines += "1,2024-01-01 00:00:00\n";
    directory_.Write("left/1.csv", lines);
    directory_.Write("right/1.csv", lines);
    std::string job;
    for (const char* table : {"left", "right"}) {
      job += fmt::format(
          "CREATE TABLE {0}_rows (k BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
          "('connector' = 'filesystem', 'path' = '{1}', 'format' = 'csv');\n",
          table, directory_.File(table));
    }
    job += fmt::format(
        "CREATE TABLE o (k BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = "
        "'csv');\nINSERT INTO o SELECT l.k FROM left_rows l JOIN right_rows r ON l.k = r.k AND "
        "r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' MINUTE AND {};\n",
        directory_.File("out"), condition);
    return directory_.Write("job.sql", job);
  }

  // Until a file in the folder of the output is so large; false if the run ends before.
  bool WaitForOutput(RunningCommand* run, uintmax_t bytes) const {
    while (!run->has_ended()) {
      std::error_code error;
      for (const auto& entry : std::filesystem::directory_iterator(directory_.File("out"), error)) {
        if (entry.file_size(error) >= bytes && !error) return true;
      }
      std::this_thread::yield();
    }
    return false;
  }

  TemporaryDirectory directory_;
};

TEST_F(StopCommandTest, TheRunEndsAfterItsBatch) {
  RunningCommand run({"run", EndlessJob(), "--checkpoint", checkpoint()});
  ASSERT_TRUE(WaitForOutput(&run, 1)) << run.Wait().errors;
  const CommandResult stopped = RunBraid({"stop", checkpoint()});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.errors;
  // It has let go of the checkpoint: the next run may start at once.
  RunningCommand next({"run", EndlessJob(), "--checkpoint", checkpoint()});
  EXPECT_EQ(run.Wait().exit_code, 0);
  // It may not have begun yet.
  while (!next.has_ended() && RunBraid({"stop", checkpoint()}).exit_code != 0) {
  }
  const CommandResult ended = next.Wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
}

TEST_F(StopCommandTest, ARollbackBesideARunNamesIt) {
  RunningCommand run({"run", EndlessJob(), "--checkpoint", checkpoint()});
  ASSERT_TRUE(WaitForOutput(&run, 1)) << run.Wait().errors;
  const CommandResult back = RunBraid({"state", checkpoint(), "--rollback", "0"});
  EXPECT_EQ(back.exit_code, 3);
  EXPECT_THAT(back.errors, HasSubstr("end it first: braid stop " + checkpoint()));
  EXPECT_EQ(RunBraid({"stop", checkpoint()}).exit_code, 0);
  EXPECT_EQ(run.Wait().exit_code, 0);
}

TEST_F(StopCommandTest, NowEndsAHugeBatch) {
  for (const char* mode : {"micro-batch", "per-record"}) {
    SCOPED_TRACE(mode);
    std::filesystem::remove_all(checkpoint());
    std::filesystem::remove_all(directory_.File("out"));
    RunningCommand run({"run", HugeJob(50'000, "l.k + r.k < 0"), "--checkpoint", checkpoint(),
                        "--set", fmt::format("execution.mode={}", mode)});
    // The right table is opened last.
    while (!run.has_ended() &&
           !std::filesystem::exists(checkpoint() + "/sources/right_rows/files")) {
      std::this_thread::yield();
    }
    const CommandResult stopped = RunBraid({"stop", checkpoint(), "--now"});
    EXPECT_EQ(stopped.exit_code, 0) << stopped.errors;
    const CommandResult ended = run.Wait();
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.errors, HasSubstr("the running batch was not committed"));
  }
}

// As after a kill.
TEST_F(StopCommandTest, WhatNowCutOffRunsAgain) {
  for (const char* mode : {"micro-batch", "per-record"}) {
    SCOPED_TRACE(mode);
    std::filesystem::remove_all(checkpoint());
    std::filesystem::remove_all(directory_.File("out"));
    const std::vector<std::string> run = {"run",          HugeJob(700, "l.k > 0"),
                                          "--checkpoint", checkpoint(),
                                          "--set",        fmt::format("execution.mode={}", mode)};
    {
      RunningCommand first(run);
      // Whatever it is at: starting, joining, committing, or at its end already.
      while (!first.has_ended() && RunBraid({"stop", checkpoint(), "--now"}).exit_code != 0) {
      }
      EXPECT_EQ(first.Wait().exit_code, 0);
    }
    const CommandResult again = RunBraid(run);
    EXPECT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_EQ(testing::SortedOutputLines(directory_.File("out")).size(), 700U * 700U);
  }
}

// A sink that cannot be interrupted: nobody reads what it prints.
TEST_F(StopCommandTest, NowEndsARunWhoseReaderDoesNotRead) {
  std::string rows;
  for (int row = 0; row < 20'000; ++row) rows += fmt::format("{}\n", row);
  directory_.Write("in/1.csv", rows);
  const std::string job = directory_.Write(
      "job.sql", fmt::format("CREATE TABLE t (id BIGINT) WITH ('connector' = 'filesystem', "
                             "'path' = '{}', 'format' = 'csv');\nSELECT id FROM t;\n",
                             directory_.File("in")));
  TerminalCommand command({"run", job, "--checkpoint", checkpoint()},
                          TerminalCommand::Output::kPipe);
  ASSERT_TRUE(command.WaitUntilOutputIsFull()) << command.terminal_text();
  const CommandResult stopped = RunBraid({"stop", checkpoint(), "--now"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.errors;
  EXPECT_EQ(command.Wait(), 0);
  EXPECT_THAT(command.terminal_text(), HasSubstr("the next run on the checkpoint runs it again"));
  const CommandResult again = RunBraid({"run", job, "--checkpoint", checkpoint()});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.errors, HasSubstr("20000 rows in, 20000 rows out"));
}

TEST_F(StopCommandTest, WhereNothingRunsItSaysSo) {
  std::filesystem::create_directories(checkpoint());
  const CommandResult nothing = RunBraid({"stop", checkpoint()});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.errors, HasSubstr("no query runs on " + checkpoint()));
  const CommandResult missing = RunBraid({"stop", directory_.File("missing"), "--now"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.errors, HasSubstr("missing"));
}

}  // namespace
}  // namespace braid
