// A run that is killed at any moment and started again gives what an uninterrupted one gives, read
// by nothing cleverer than cat (reports K1, K2).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using testing::KillAfterChanges;
using testing::RunBraid;
using testing::RunningCommand;
using testing::SortedOutputLines;
using testing::TemporaryDirectory;

// The example's job, but with its own output folder, and the rows without a partner in another.
std::string WriteJob(const TemporaryDirectory& directory, const std::string& name) {
  const std::string source = BRAID_SOURCE_DIR;
  std::string text = testing::ReadFile(source + "/examples/flights/job.sql");
  const auto replace = [&text](const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  };
  replace("'examples/flights/data", "'" + source + "/examples/flights/data");
  replace("'out/flights'", "'" + directory.File(name + "-out") + "'");
  text =
      fmt::format(
          "SET 'unmatched-rows.table' = 'unmatched';\nCREATE TABLE unmatched (table_name STRING, "
          "ts TIMESTAMP(3), origin STRING, flight INT, temp DOUBLE, batch_id BIGINT) WITH "
          "('connector' = 'filesystem', 'path' = '{}', 'format' = 'csv', 'csv.null-literal' = "
          "'NA');\n",
          directory.File(name + "-unmatched")) +
      text;
  return directory.Write(name + ".sql", text);
}

std::vector<std::string> FlightsArguments(const TemporaryDirectory& directory,
                                          const std::string& name,
                                          const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"run", WriteJob(directory, name), "--checkpoint",
                                        directory.File(name + "-checkpoint")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Which batch a row falls into depends on when the runs were killed: without the last column.
std::vector<std::string> WithoutBatches(std::vector<std::string> lines) {
  for (std::string& line : lines) line.resize(line.rfind(','));
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Runs flights with these arguments, once in one go and once killed ten times.
void ExpectKilledEqualsWhole(const std::vector<std::string>& more) {
  const TemporaryDirectory directory;
  const CommandResult whole = RunBraid(FlightsArguments(directory, "whole", more));
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  const std::vector<std::string> expected = SortedOutputLines(directory.File("whole-out"));
  ASSERT_EQ(expected.size(), 28'607U);
  const std::vector<std::string> expected_unmatched =
      WithoutBatches(SortedOutputLines(directory.File("whole-unmatched")));
  // A flight that matches nothing is in both, with NULLs in the result.
  const auto count = [](const std::vector<std::string>& lines, const auto& holds) {
    return std::count_if(lines.begin(), lines.end(), holds);
  };
  const auto padded =
      count(expected, [](const std::string& line) { return line.ends_with(",NA,NA,NA"); });
  const auto flights =
      count(expected_unmatched, [](const std::string& line) { return line.starts_with("f,"); });
  EXPECT_GT(padded, 0);
  EXPECT_EQ(flights, padded);
  EXPECT_LT(flights, static_cast<std::ptrdiff_t>(expected_unmatched.size()));

  // A job that is done before it was killed often enough is followed by another one.
  std::mt19937 random(20'130'101);
  int kills = 0;
  for (int job = 0; kills < 10; ++job) {
    ASSERT_LT(job, 100) << "the jobs end before they can be killed";
    const std::string name = fmt::format("killed{}", job);
    while (kills < 10) {
      RunningCommand run(FlightsArguments(directory, name, more));
      KillAfterChanges(&run, directory.File(name + "-out"),
                       std::uniform_int_distribution(0, 4)(random), &random);
      const CommandResult result = run.Wait();
      if (result.exit_code == 0) break;
      ASSERT_EQ(result.exit_code, 128 + SIGKILL) << result.errors;
      ++kills;
    }
    const CommandResult last = RunBraid(FlightsArguments(directory, name, more));
    ASSERT_EQ(last.exit_code, 0) << last.errors;
    EXPECT_EQ(SortedOutputLines(directory.File(name + "-out")), expected);
    EXPECT_EQ(WithoutBatches(SortedOutputLines(directory.File(name + "-unmatched"))),
              expected_unmatched);
    for (const char* folder : {"-out", "-unmatched"}) {
      for (const auto& entry : std::filesystem::directory_iterator(directory.File(name + folder))) {
        const std::string file = entry.path().filename().string();
        EXPECT_TRUE(file.front() != '.') << "a temporary file was left: " << file;
      }
    }
  }
}

TEST(KillRestartTest, FlightsKilledTenTimesEqualTheUninterruptedRun) {
  ExpectKilledEqualsWhole({"--trigger", "50 ms"});
}

TEST(KillRestartTest, FlightsRecordByRecordKilledTenTimesEqualTheUninterruptedRun) {
  ExpectKilledEqualsWhole(
      {"--mode", "per-record", "--set", "execution.checkpointing.interval=2 ms"});
}

}  // namespace
}  // namespace braid
