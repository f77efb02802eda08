// What stands on the command line, and what goes to standard output and standard error.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunBraid;
using testing::TemporaryDirectory;

// The exit code of a line of the shell, "$BRAID" in it being the command.
int RunShell(const std::string& line) {
  const std::string text = fmt::format("BRAID='{}'; {}", BRAID_BINARY, line);
  const int status = std::system(fmt::format("bash -c '{}'", text).c_str());  // NOLINT
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() { directory_.Write("in/1.csv", "1,2024-01-01 00:00:01.000\n"); }

  // A job that prints the rows of `path`; `head` stands in front, `options` within WITH.
  std::string Job(const std::string& path, const std::string& head = "",
                  const std::string& options = "") const {
    return directory_.Write(
        "job.sql", fmt::format("{}CREATE TABLE t (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS "
                               "ts) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = "
                               "'csv'{});\nSELECT id FROM t;\n",
                               head, path, options));
  }
  std::string Job() const { return Job(directory_.File("in")); }

  TemporaryDirectory directory_;
};

TEST_F(CommandLineTest, EveryHelpHasAnExample) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"run", "--help"},
                                             {"query", "--help"},
                                             {"explain", "--help"},
                                             {"state", "--help"}}) {
    const CommandResult result = RunBraid(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.output, HasSubstr("Example")) << arguments.front();
  }
}

TEST_F(CommandLineTest, AJobThatIsNoFileIsAnErrorOfTheCommandLine) {
  struct Case {
    std::string job;
    std::string error;
  };
  for (const Case& test : {Case{directory_.path(), "Is a directory"},
                           Case{directory_.File("none.sql"), "No such file or directory"},
                           Case{directory_.File("in/1.csv/x"), "Not a directory"}}) {
    for (const char* command : {"run", "explain"}) {
      const CommandResult result = RunBraid({command, test.job});
      EXPECT_EQ(result.exit_code, 2) << command << " " << test.job << ": " << result.errors;
      EXPECT_THAT(result.errors, HasSubstr(test.job));
      EXPECT_THAT(result.errors, HasSubstr(test.error));
    }
  }
}

// As a variable of a shell that is not set gives it: nothing may be done without a checkpoint that
// was asked for.
TEST_F(CommandLineTest, EmptyAndImpossibleValuesAreRefused) {
  const std::string job = Job();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"run", job, "--checkpoint", ""},
           {"run", job, "--set", "execution.checkpoint="},
           {"run", job, "--trigger", ""},
           {"run", job, "--mode", ""},
           {"run", job, "--progress", ""},
           {"run", ""},
           {"state", directory_.path(), "--side", "left"},
           {"state", directory_.path(), "--limit", "3"},
           {"state", directory_.path(), "--limit", "0", "--json"},
           {"state", directory_.path(), "--version", "-3"},
           {"state", directory_.path(), "--rows", "--limit", "-1"},
           {"state", directory_.path(), "--rows", "--side", ""}}) {
    const CommandResult result = RunBraid(arguments);
    EXPECT_EQ(result.exit_code, 2) << fmt::format("{}", fmt::join(arguments, " "));
    EXPECT_THAT(result.output, IsEmpty());
    EXPECT_THAT(result.errors, Not(IsEmpty()));
  }
}

// An error names the flag that was written, as it was written.
TEST_F(CommandLineTest, AnErrorOfAFlagNamesIt) {
  const std::string job = Job();
  struct Case {
    std::vector<std::string> flags;
    std::string error;
  };
  for (const Case& test : {
           Case{{"--trigger", "x"}, "--trigger: invalid option: 'x' is no trigger: write once"},
           Case{{"--trigger", "10"}, "--trigger: invalid option: '10' is no trigger: write once"},
           Case{{"--mode", "x"}, "--mode: invalid option: 'execution.mode' = 'x' must be one of"},
           Case{{"--set", "parallelism=0"}, "--set: invalid option: 'parallelism' = '0' must be"},
           Case{{"--set", "paralelism=2"},
                "--set: invalid option: unknown option 'paralelism'; did"},
           Case{{"--chekpoint", "c"}, "there is no option --chekpoint; did you mean --checkpoint?"},
           Case{{"--chekpoint=c"}, "there is no option --chekpoint; did you mean --checkpoint?"},
           Case{{"--zzzzzz"}, "there is no option --zzzzzz; `braid run --help` lists them"},
           Case{{"other.sql", "c"}, "nothing more was expected than the job: other.sql c"},
       }) {
    std::vector<std::string> arguments = {"run", job};
    arguments.insert(arguments.end(), test.flags.begin(), test.flags.end());
    const CommandResult result = RunBraid(arguments);
    EXPECT_EQ(result.exit_code, 2) << test.error;
    EXPECT_THAT(result.output, IsEmpty());
    EXPECT_THAT(result.errors, HasSubstr(test.error));
  }
}

// Which options exclude each other says the foot: on every line it would hide what they mean.
TEST_F(CommandLineTest, TheHelpOfStateIsALineAnOption) {
  const std::string help = RunBraid({"state", "--help"}).output;
  EXPECT_THAT(help, Not(HasSubstr("Excludes")));
  EXPECT_THAT(help, HasSubstr("  --rows                      print the state rows"));
  EXPECT_THAT(help, HasSubstr("go with no other option"));
}

TEST_F(CommandLineTest, OneRowIsNoRows) {
  const std::string table =
      "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = "
      "'filesystem', 'path' = '{}', 'format' = 'csv');\n";
  std::string text;
  for (const char* name : {"l", "r"}) {
    text += fmt::format(fmt::runtime(table), name, directory_.File("in"));
  }
  const std::string job = directory_.Write(
      "join.sql", text +
                      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + "
                      "INTERVAL '1' SECOND;");
  EXPECT_THAT(RunBraid({"compare", job}).output, HasSubstr("agree: 1 equal row.\n"));
  EXPECT_THAT(RunBraid({"advise", job}).output, HasSubstr("state: 1 row of l, 1 of r; "));
}

TEST_F(CommandLineTest, WhatIsSetLaterWinsUnderAnyOfItsNames) {
  const std::string job =
      Job(directory_.File("in"), "SET 'parallelism.default' = '4';\nSET 'parallelism' = '3';\n");
  for (const char* setting : {"parallelism=2", "spark.sql.shuffle.partitions=2"}) {
    const CommandResult result = RunBraid({"run", job, "--set", setting});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }
  const CommandResult bad = RunBraid({"run", job, "--set", "parallelism.default=many"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.errors, HasSubstr("'many'"));
}

TEST_F(CommandLineTest, AnErrorLeavesStandardOutputEmpty) {
  std::filesystem::create_directories(directory_.File("empty"));
  for (const std::string& directory : {directory_.File("none"), directory_.File("empty")}) {
    for (const char* what : {"--rows", "--json", "--version=3"}) {
      const CommandResult result = RunBraid({"state", directory, what});
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_THAT(result.output, IsEmpty());
      EXPECT_THAT(result.errors, HasSubstr(directory));
      EXPECT_THAT(result.errors, Not(HasSubstr(directory + "/state")));
    }
  }
}

TEST_F(CommandLineTest, OutputThatCannotBeWrittenFailsEveryCommand) {
  const std::string job = Job();
  const std::string checkpoint = directory_.File("checkpoint");
  ASSERT_EQ(RunBraid({"run", job, "--checkpoint", checkpoint}).exit_code, 0);
  for (const std::string& command :
       {"run " + job, "explain " + job, "state " + checkpoint, std::string("--help")}) {
    EXPECT_EQ(RunShell(fmt::format("\"$BRAID\" {} > /dev/full 2> /dev/null", command)), 1)
        << command;
  }
}

// A service may be started without them: what it says must not land in a file that got the number.
TEST_F(CommandLineTest, ClosedStandardStreamsLeaveTheCheckpointWhole) {
  directory_.Write("in/2.csv", "2,2024-01-01 00:00:02.000\n");
  const std::string job = directory_.Write(
      "job.sql",
      fmt::format("CREATE TABLE t (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
                  "('connector' = 'filesystem', 'path' = '{}', 'format' = 'csv', "
                  "'source.max-files-per-trigger' = '1');\n"
                  "CREATE TABLE o (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}', "
                  "'format' = 'csv');\nINSERT INTO o SELECT id FROM t;\n",
                  directory_.File("in"), directory_.File("out")));
  const std::string checkpoint = directory_.File("checkpoint");
  ASSERT_EQ(RunShell(fmt::format("\"$BRAID\" run {} --checkpoint {} --progress json <&- >&- 2>&-",
                                 job, checkpoint)),
            0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(checkpoint)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(testing::ReadFile(entry.path()), Not(HasSubstr("\"batchId\""))) << entry.path();
  }
  EXPECT_THAT(testing::SortedOutputLines(directory_.File("out")), ElementsAre("1", "2"));
  EXPECT_EQ(RunShell(fmt::format("\"$BRAID\" run {} >&- 2>&-", Job())), 1);
}

// As every command of a pipe: the reader has enough, and the writer ends without a word.
TEST_F(CommandLineTest, AClosedPipeEndsTheRunQuietlyAndLeavesTheCheckpointWhole) {
  std::string rows;
  for (int row = 0; row < 20'000; ++row) rows += fmt::format("{},2024-01-01 00:00:01.000\n", row);
  directory_.Write("in/1.csv", rows);
  const std::string job = Job();
  const std::string checkpoint = directory_.File("checkpoint");
  EXPECT_EQ(RunShell(fmt::format("\"$BRAID\" run {} --checkpoint {} --progress none 2> {} | head "
                                 "-1 > /dev/null; exit ${{PIPESTATUS[0]}}",
                                 job, checkpoint, directory_.File("errors"))),
            0);
  EXPECT_THAT(testing::ReadFile(directory_.File("errors")), Not(HasSubstr("braid: ")));
  const CommandResult again = RunBraid({"run", job, "--checkpoint", checkpoint});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.output, HasSubstr("+I[0]\n"));
  EXPECT_THAT(again.output, HasSubstr("+I[19999]\n"));
}

TEST_F(CommandLineTest, AnExplainInTheFileWarnsAsExplainDoes) {
  const std::string job = Job();
  std::string text = testing::ReadFile(job);
  text.replace(text.find("SELECT"), 6, "EXPLAIN SELECT");
  const std::string explaining = directory_.Write("explain.sql", text);
  const CommandResult explained = RunBraid({"explain", job});
  EXPECT_THAT(explained.output, HasSubstr("warning: "));
  EXPECT_THAT(explained.errors, IsEmpty()) << "a warning is shown once";
  for (const char* command : {"run", "explain"}) {
    const CommandResult result = RunBraid({command, explaining});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.output, explained.output);
    EXPECT_EQ(result.errors, explained.errors);
  }
}

// What a run writes must not come back as input.
TEST_F(CommandLineTest, WhatARunKeepsIsNotReadAsInput) {
  const std::string input = directory_.File("in");
  const std::string bad = ", 'bad-records' = 'drop', 'bad-records-path' = '{}'";
  struct Case {
    std::string path;
    std::string checkpoint;
    std::string bad_records;
    int exit_code;
  };
  for (const Case& test : {
           Case{input, input, "", 2},
           Case{input, input + "/checkpoint", "", 2},
           Case{input + "/*", input + "/c", "", 2},
           Case{input, input + "/_c", "", 0},
           Case{input, directory_.path(), "", 0},
           Case{input, directory_.File("c1"), input, 2},
           Case{input, directory_.File("c1"), input + "/bad", 2},
           Case{input, directory_.File("c1"), input + "/_bad", 0},
           Case{input + "/*.csv", directory_.File("c2"), input, 0},
           Case{input + "/1.csv", directory_.File("c3"), input, 0},
       }) {
    const std::string options =
        test.bad_records.empty() ? "" : fmt::format(fmt::runtime(bad), test.bad_records);
    const CommandResult result =
        RunBraid({"run", Job(test.path, "", options), "--checkpoint", test.checkpoint});
    EXPECT_EQ(result.exit_code, test.exit_code)
        << test.path << " " << test.checkpoint << " " << test.bad_records << result.errors;
    if (test.exit_code == 0) continue;
    EXPECT_THAT(result.errors, HasSubstr("would read"));
    EXPECT_FALSE(std::filesystem::exists(test.checkpoint + "/state")) << "nothing was made";
  }
}

}  // namespace
}  // namespace braid
