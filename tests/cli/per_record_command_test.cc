// What the command shows of a job that runs record by record.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunBraid;
using testing::SortedOutputLines;
using testing::TemporaryDirectory;

class PerRecordCommandTest : public ::testing::Test {
 protected:
  PerRecordCommandTest() {
    directory_.Write("l/1.csv", "1,2024-01-01 00:00:10.000,a\n2,2024-01-01 00:00:20.000,b\n");
    directory_.Write("r/1.csv", "1,2024-01-01 00:00:12.000,x\n3,2024-01-01 00:00:21.000,y\n");
  }

  std::string Job(const std::string& join, const std::string& sink_options = "") const {
    std::string text;
    for (const char* table : {"l", "r"}) {
      text += fmt::format(
          "CREATE TABLE {0} (id BIGINT, ts TIMESTAMP(3), v STRING, WATERMARK FOR ts AS ts) WITH "
          "('connector' = 'filesystem', 'path' = '{1}', 'format' = 'csv');\n",
          table, directory_.File(table));
    }
    text += fmt::format(
        "CREATE TABLE o (id BIGINT, v STRING, w STRING) WITH ('connector' = 'filesystem', 'path' = "
        "'{}', 'format' = 'csv'{});\nINSERT INTO o SELECT l.id, l.v, r.v FROM l LEFT JOIN r ON {};",
        directory_.File("out"), sink_options, join);
    return directory_.Write("job.sql", text);
  }

  CommandResult Run(const std::string& job, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "run", job, "--mode", "per-record", "--checkpoint", directory_.File("checkpoint")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunBraid(arguments);
  }

  std::vector<std::string> Rows() const { return SortedOutputLines(directory_.File("out")); }

  const TemporaryDirectory directory_;
  const std::string bounded_ = "l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND";
};

TEST_F(PerRecordCommandTest, AFiniteInputIsFlushedByDefault) {
  const CommandResult result = Run(Job(bounded_));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Rows(), ElementsAre("1,a,x", "2,b,"));
  EXPECT_THAT(result.errors, HasSubstr("4 rows in, 2 rows out (1 of them padded)"));
  // It takes no more, and says so.
  directory_.Write("l/2.csv", "4,2024-01-01 00:01:00.000,c\n");
  const CommandResult again = Run(Job(bounded_));
  EXPECT_NE(again.exit_code, 0);
  EXPECT_THAT(again.errors, HasSubstr("finished with flush"));
}

TEST_F(PerRecordCommandTest, AHeldRunSaysWhatWaitsAndGoesOnLater) {
  const std::vector<std::string> hold = {"--set", "execution.end-of-input=hold"};
  const CommandResult held = Run(Job(bounded_), hold);
  EXPECT_EQ(held.exit_code, 0) << held.errors;
  EXPECT_THAT(Rows(), ElementsAre("1,a,x"));
  EXPECT_THAT(held.errors,
              HasSubstr("1 row of l waits in state for a match or for NULLs; the oldest leaves at "
                        "watermark 2024-01-01 00:00:25.001 (now 2024-01-01 00:00:20.000, held back "
                        "by l)"));
  directory_.Write("l/2.csv", "4,2024-01-01 00:01:00.000,c\n");
  directory_.Write("r/2.csv", "2,2024-01-01 00:00:24.000,z\n5,2024-01-01 00:01:00.000,w\n");
  EXPECT_EQ(Run(Job(bounded_), hold).exit_code, 0);
  EXPECT_THAT(Rows(), ElementsAre("1,a,x", "2,b,z"));
}

TEST_F(PerRecordCommandTest, AHeldRunThatGoesByTheClockEndsWithItsInput) {
  const CommandResult result =
      Run(Job("l.id = r.id", ", 'changelog.column' = 'op'"),
          {"--set", "execution.end-of-input=hold", "--set", "table.exec.state.ttl=60 s"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Rows(), ElementsAre("+I,1,a,", "+I,1,a,x", "+I,2,b,", "-D,1,a,"));
}

TEST_F(PerRecordCommandTest, ASinkThatCannotTakeRowsBackIsRefusedBeforeAnythingIsWritten) {
  const CommandResult result = Run(Job("l.id = r.id"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("takes rows back"));
  EXPECT_THAT(result.errors, HasSubstr("'changelog.column' = 'op'"));
  EXPECT_FALSE(std::filesystem::exists(directory_.File("out")));
  EXPECT_FALSE(std::filesystem::exists(directory_.File("checkpoint")));
}

TEST_F(PerRecordCommandTest, AChangelogIsWrittenWithItsKindsAndItsStateCanBeLookedAt) {
  const std::string job = Job("l.id = r.id", ", 'changelog.column' = 'op'");
  const CommandResult result = Run(job, {"--set", "execution.end-of-input=hold"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Rows(), ElementsAre("+I,1,a,", "+I,1,a,x", "+I,2,b,", "-D,1,a,"));
  EXPECT_THAT(result.errors, HasSubstr("runs as a regular join"));
  EXPECT_THAT(result.errors, Not(HasSubstr("in state for a match")));
  const CommandResult state =
      RunBraid({"state", directory_.File("checkpoint"), "--rows", "--json", "--side", "left"});
  EXPECT_EQ(state.output,
            "{\"side\":\"l\",\"matched\":true,\"row\":{\"id\":1,\"v\":\"a\"}}\n"
            "{\"side\":\"l\",\"matched\":false,\"row\":{\"id\":2,\"v\":\"b\"}}\n")
      << state.errors;
}

TEST_F(PerRecordCommandTest, ACheckpointOfOneModeIsNoneOfTheOther) {
  const std::string job = Job(bounded_);
  EXPECT_EQ(Run(job, {"--set", "execution.end-of-input=hold"}).exit_code, 0);
  const CommandResult other = RunBraid({"run", job, "--checkpoint", directory_.File("checkpoint")});
  EXPECT_NE(other.exit_code, 0);
  EXPECT_THAT(other.errors, HasSubstr("mode"));
}

TEST_F(PerRecordCommandTest, ExplainSaysWhichOperatorAndWhy) {
  const CommandResult bounded = RunBraid({"explain", Job(bounded_), "--mode", "per-record"});
  EXPECT_EQ(bounded.exit_code, 0) << bounded.errors;
  EXPECT_THAT(bounded.output, HasSubstr("operator: row-time interval join"));
  const CommandResult regular = RunBraid({"explain", Job("l.id = r.id"), "--mode", "per-record"});
  EXPECT_THAT(regular.output, HasSubstr("operator: regular join"));
  EXPECT_THAT(regular.output, HasSubstr("AND r.ts <= l.ts + INTERVAL"));
}

}  // namespace
}  // namespace braid
