// A run that is killed at any moment and started again gives what an uninterrupted one gives, read
// by nothing cleverer than cat (reports K1, K2).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

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

// The example's job, but with its own output folder.
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
  return directory.Write(name + ".sql", text);
}

std::vector<std::string> FlightsArguments(const TemporaryDirectory& directory,
                                          const std::string& name) {
  return {"run",          WriteJob(directory, name),           "--trigger", "50 ms",
          "--checkpoint", directory.File(name + "-checkpoint")};
}

TEST(KillRestartTest, FlightsKilledTenTimesEqualTheUninterruptedRun) {
  const TemporaryDirectory directory;
  const CommandResult whole = RunBraid(FlightsArguments(directory, "whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  const std::vector<std::string> expected = SortedOutputLines(directory.File("whole-out"));
  ASSERT_EQ(expected.size(), 28'607U);

  std::mt19937 random(20'130'101);
  int kills = 0;
  while (kills < 10) {
    RunningCommand run(FlightsArguments(directory, "killed"));
    KillAfterChanges(&run, directory.File("killed-out"),
                     std::uniform_int_distribution(0, 4)(random), &random);
    const CommandResult result = run.Wait();
    if (result.exit_code == 0) break;  // It was done before the signal came.
    ASSERT_EQ(result.exit_code, 128 + SIGKILL) << result.errors;
    ++kills;
  }
  EXPECT_EQ(kills, 10) << "the run ended before it could be killed ten times";
  const CommandResult last = RunBraid(FlightsArguments(directory, "killed"));
  ASSERT_EQ(last.exit_code, 0) << last.errors;
  EXPECT_EQ(SortedOutputLines(directory.File("killed-out")), expected);

  for (const auto& entry : std::filesystem::directory_iterator(directory.File("killed-out"))) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name.front() != '.') << "a temporary file was left: " << name;
  }
}

}  // namespace
}  // namespace braid
