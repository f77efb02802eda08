// The live block of a run on a real (pseudo) terminal.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/command_runner.h"
#include "tests/cli/screen.h"
#include "tests/cli/terminal_command.h"

namespace braid {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Screen;
using testing::TemporaryDirectory;
using testing::TerminalCommand;

class LiveProgressTest : public ::testing::Test {
 protected:
  // A job that waits for more files until it is stopped.
  std::string WatchingJob() const {
    directory_.Write("l/1.csv", "1,2024-01-01 00:00:01.000\n2,2024-01-01 00:00:05.000\n");
    directory_.Write("r/1.csv", "1,2024-01-01 00:00:02.000\n");
    std::string text;
    for (const char* table : {"l", "r"}) {
      text += fmt::format(
          "CREATE TABLE {0} (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' "
          "= 'filesystem', 'path' = '{1}', 'format' = 'csv', 'source.monitor-interval' = '1 s');\n",
          table, directory_.File(table));
    }
    text += fmt::format(
        "CREATE TABLE o (a BIGINT, b BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', "
        "'format' = 'csv');\nINSERT INTO o SELECT l.id, r.id FROM l LEFT JOIN r ON l.id = r.id AND "
        "r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND;\n",
        directory_.File("out"));
    return directory_.Write("job.sql", text);
  }

  TemporaryDirectory directory_;
};

TEST_F(LiveProgressTest, TheBlockAppearsAndLeavesNothingBehind) {
  TerminalCommand command({"run", WatchingJob()}, TerminalCommand::Output::kTerminal,
                          {{"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}, {"NO_COLOR", ""}});
  ASSERT_TRUE(command.ReadUntil("wait for a match or NULLs")) << command.terminal_text();
  Screen shown;
  shown.Write(command.terminal_text());
  EXPECT_THAT(shown.rows(), Contains(HasSubstr("3 rows in  1 out")));
  EXPECT_THAT(shown.rows(), Contains(AllOf(HasSubstr("▶ r"), HasSubstr("3.0 s behind l"))));

  command.Signal(SIGINT);
  EXPECT_EQ(command.Wait(), 0);
  Screen left;
  left.Write(command.terminal_text());
  std::string text;
  for (const std::string& row : left.rows()) text += row + "\n";
  EXPECT_THAT(text, AllOf(HasSubstr("stopping after the running batch"),
                          HasSubstr("3 rows in, 1 row out"), Not(HasSubstr("3 rows in  1 out")),
                          Not(HasSubstr("waiting")), Not(HasSubstr("\x1b"))));
}

TEST_F(LiveProgressTest, NoEscapeCodesWhereTheyMeanNothing) {
  struct Case {
    const char* name;
    std::vector<std::string> more;
    std::string term;
  };
  for (const Case& c : {Case{"dumb terminal", {}, "dumb"},
                        Case{"told to be still", {"--progress", "none"}, "xterm"}}) {
    std::vector<std::string> arguments = {"run", WatchingJob(), "--trigger", "available-now"};
    arguments.insert(arguments.end(), c.more.begin(), c.more.end());
    TerminalCommand command(arguments, TerminalCommand::Output::kTerminal, {{"TERM", c.term}});
    EXPECT_EQ(command.Wait(), 0);
    EXPECT_THAT(command.terminal_text(), Not(HasSubstr("\x1b"))) << c.name;
    std::filesystem::remove_all(directory_.File("out"));
  }
  testing::RunningCommand redirected({"run", WatchingJob()});
  while (testing::SortedOutputLines(directory_.File("out")).empty() && !redirected.has_ended()) {
    sched_yield();
  }
  redirected.Signal(SIGINT);
  const testing::CommandResult result = redirected.Wait();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("3 rows in"), Not(HasSubstr("\x1b"))));
}

// Rows on the same terminal would tear the block.
TEST_F(LiveProgressTest, NoBlockWhereRowsArePrinted) {
  directory_.Write("in/1.csv", "41\n42\n");
  const std::string job = directory_.Write(
      "print.sql", fmt::format("CREATE TABLE t (id BIGINT) WITH ('connector' = 'filesystem', "
                               "'path' = '{}', 'format' = 'csv', 'source.monitor-interval' = "
                               "'1 s');\nSELECT id FROM t;\n",
                               directory_.File("in")));
  TerminalCommand command({"run", job}, TerminalCommand::Output::kTerminal, {{"TERM", "xterm"}});
  ASSERT_TRUE(command.ReadUntil("+I[42]"));
  // The next look for files is later than a block would have been drawn.
  directory_.Write("in/2.csv", "43\n");
  ASSERT_TRUE(command.ReadUntil("+I[43]"));
  command.Signal(SIGINT);
  EXPECT_EQ(command.Wait(), 0);
  EXPECT_THAT(command.terminal_text(), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace braid
