// How a run is stopped from a keyboard.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/cli/command_runner.h"
#include "tests/cli/terminal_command.h"

namespace braid {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryDirectory;
using testing::TerminalCommand;

class StopTest : public ::testing::Test {
 protected:
  // More rows than a pipe holds, printed by one batch: it cannot end while nobody reads.
  std::string StuckJob() const {
    std::string rows;
    for (int row = 0; row < 20'000; ++row) rows += fmt::format("{}\n", row);
    directory_.Write("in/1.csv", rows);
    return directory_.Write(
        "job.sql", fmt::format("CREATE TABLE t (id BIGINT) WITH ('connector' = 'filesystem', "
                               "'path' = '{}', 'format' = 'csv');\nSELECT id FROM t;\n",
                               directory_.File("in")));
  }

  TemporaryDirectory directory_;
};

TEST_F(StopTest, TheSecondSignalEndsAtOnce) {
  struct Case {
    int signal;
    int exit_code;
  };
  for (const Case& c : {Case{SIGINT, 130}, Case{SIGTERM, 143}}) {
    TerminalCommand command({"run", StuckJob()}, TerminalCommand::Output::kPipe);
    ASSERT_TRUE(command.WaitUntilOutputIsFull()) << command.terminal_text();
    command.Signal(SIGINT);
    ASSERT_TRUE(command.ReadUntil("stopping after the running batch; once more (Ctrl-C) ends"));
    command.Signal(c.signal);
    EXPECT_EQ(command.Wait(), c.exit_code);
    EXPECT_THAT(command.terminal_text(), HasSubstr("the running batch was not committed"));
  }
}

TEST_F(StopTest, WhatTheSecondSignalCutOffRunsAgain) {
  const std::string checkpoint = directory_.File("checkpoint");
  const std::string job = StuckJob();
  {
    TerminalCommand command({"run", job, "--checkpoint", checkpoint},
                            TerminalCommand::Output::kPipe);
    ASSERT_TRUE(command.WaitUntilOutputIsFull()) << command.terminal_text();
    command.Signal(SIGINT);
    ASSERT_TRUE(command.ReadUntil("stopping"));
    command.Signal(SIGINT);
    EXPECT_EQ(command.Wait(), 130);
    EXPECT_THAT(command.terminal_text(), HasSubstr("the next run on the checkpoint runs it again"));
  }
  const testing::CommandResult again = testing::RunBraid({"run", job, "--checkpoint", checkpoint});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.errors, HasSubstr("20000 rows in, 20000 rows out"));
}

}  // namespace
}  // namespace braid
