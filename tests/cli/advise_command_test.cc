// braid advise, as a user types it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using nlohmann::json;
using testing::CommandResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunBraid;
using testing::TemporaryDirectory;

class AdviseCommandTest : public ::testing::Test {
 protected:
  // A thousand shows, a second apart, in a file; each with a click i % 100 seconds later, but in
  // the order of the shows, so up to 98 s behind.
  AdviseCommandTest() {
    std::string shows = "id,ts\n";
    std::string clicks = "id,ts\n";
    for (int index = 0; index < 1'000; ++index) {
      shows += fmt::format("{},{}\n", index, TimeAt(index));
      clicks += fmt::format("{},{}\n", index, TimeAt(index + index % 100));
    }
    shows_ = directory_.Write("shows.csv", shows);
    clicks_ = directory_.Write("clicks.csv", clicks);
  }

  static std::string TimeAt(int seconds) {
    return fmt::format("2024-01-01 {:02}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60,
                       seconds % 60);
  }

  // The two tables, with a watermark of `delay` on the clicks, and a statement behind them.
  std::string Job(const std::string& statement, const std::string& delay = "1",
                  const std::string& option = "") const {
    return directory_.Write(
        "job.sql",
        fmt::format("CREATE TABLE shows (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - "
                    "INTERVAL '1' SECOND)\nWITH ('connector' = 'filesystem', 'path' = '{}', "
                    "'format' = 'csv', 'csv.header' = 'true'{});\n"
                    "CREATE TABLE clicks (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - "
                    "INTERVAL '{}' SECOND)\nWITH ('connector' = 'filesystem', 'path' = '{}', "
                    "'format' = 'csv', 'csv.header' = 'true', 'source.max-bytes-per-trigger' = "
                    "'1 kb');\n{};\n",
                    shows_, option, delay, clicks_, statement));
  }

  TemporaryDirectory directory_;
  std::string shows_;
  std::string clicks_;
};

constexpr const char* kLeftJoin =
    "SELECT s.id, c.ts FROM shows s LEFT JOIN clicks c ON s.id = c.id AND c.ts BETWEEN s.ts AND "
    "s.ts + INTERVAL '49' SECOND";

TEST_F(AdviseCommandTest, PrintsBoundsAndDelays) {
  const CommandResult result = RunBraid({"advise", Job(kLeftJoin)});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, IsEmpty());
  for (const char* expected :
       {"shows (s): 1,000 rows, of which 1,000 can match\n",
        ("1,000 pairs of rows with equal keys, at most 1 h apart.\n"
         "1,000 of the s (100.0 %) have a partner.\n"),
        "c.ts - s.ts:\n", "     median                    49 s                    49 s\n",
        "        90 %  c.ts BETWEEN s.ts AND s.ts + INTERVAL '89' SECOND\n",
        "  99.9-100 %  c.ts BETWEEN", "The job's own bounds keep 50.0 % of the pairs.\n",
        "    WATERMARK FOR ts AS ts - INTERVAL '98.001' SECOND         no row late\n",
        "(the job's own: 1 s)"}) {
    EXPECT_THAT(result.output, HasSubstr(expected));
  }
}

TEST_F(AdviseCommandTest, FitsOnATerminal) {
  std::istringstream lines(RunBraid({"advise", Job(kLeftJoin)}).output);
  for (std::string line; std::getline(lines, line);) {
    const auto is_start = [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    };
    EXPECT_LE(std::count_if(line.begin(), line.end(), is_start), 80) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

// No mode runs this join: it is what advice is asked for.
TEST_F(AdviseCommandTest, AJobWithoutBoundsNeedsNone) {
  const std::string job = Job("SELECT s.id, c.ts FROM shows s LEFT JOIN clicks c ON s.id = c.id");
  EXPECT_EQ(RunBraid({"run", job}).exit_code, 2);
  const CommandResult result = RunBraid({"advise", job, "--max", "30 s", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const json advice = json::parse(result.output);
  EXPECT_EQ(advice["maxMicros"], 30'000'000);
  EXPECT_EQ(advice["pairs"]["count"], 310);
  EXPECT_EQ(advice["pairs"]["bounds"][3]["upperMicros"], 30'000'000);
  EXPECT_EQ(advice["pairs"]["bounds"][3]["sql"],
            "c.ts BETWEEN s.ts AND s.ts + INTERVAL '30' SECOND");
  EXPECT_EQ(advice["written"]["lowerMicros"], nullptr);
}

// What is advised is run, in batches of a few rows: with the delay no click is late, and the bound
// keeps all.
TEST_F(AdviseCommandTest, AdviceHolds) {
  const std::string statement =
      "SELECT s.id, c.ts FROM shows s JOIN clicks c ON s.id = c.id AND c.ts BETWEEN s.ts AND s.ts "
      "+ INTERVAL '99' SECOND";
  const CommandResult late = RunBraid({"run", Job(statement, "1")});
  EXPECT_THAT(late.errors, HasSubstr("late"));
  const CommandResult advised = RunBraid({"run", Job(statement, "98.001")});
  EXPECT_EQ(advised.exit_code, 0);
  EXPECT_THAT(advised.errors, Not(HasSubstr("late")));
  EXPECT_THAT(advised.errors, HasSubstr("1000 rows out"));
}

TEST_F(AdviseCommandTest, GivesTheSameInASmallMemory) {
  const std::string job = Job(kLeftJoin);
  EXPECT_EQ(RunBraid({"advise", job}).output, RunBraid({"advise", job, "--memory", "1 mb"}).output);
}

TEST_F(AdviseCommandTest, RefusesWhatItCannotRead) {
  const struct {
    std::string job;
    std::vector<std::string> arguments;
    const char* error;
  } cases[] = {
      {Job(kLeftJoin), {"--max", "soon"}, "--max soon: write a length of time"},
      {Job(kLeftJoin), {"--max", "0 s"}, "--max 0 s: write a length of time"},
      {Job(kLeftJoin), {"--memory", "12"}, "at least 1 mb"},
      {directory_.File("none.sql"), {}, "No such file"},
  };
  for (const auto& tested : cases) {
    std::vector<std::string> arguments = {"advise", tested.job};
    arguments.insert(arguments.end(), tested.arguments.begin(), tested.arguments.end());
    const CommandResult result = RunBraid(arguments);
    EXPECT_EQ(result.exit_code, 2) << tested.error;
    EXPECT_THAT(result.errors, HasSubstr(tested.error));
    EXPECT_THAT(result.output, IsEmpty());
  }
  const CommandResult single = RunBraid({"advise", Job("SELECT id FROM shows")});
  EXPECT_EQ(single.exit_code, 2);
  EXPECT_THAT(single.errors, HasSubstr("this query reads one"));
}

TEST_F(AdviseCommandTest, ReadsAWatchedFolderOnlyWhenToldTo) {
  const std::string job = Job(kLeftJoin, "1", ", 'source.monitor-interval' = '1 s'");
  const CommandResult refused = RunBraid({"advise", job});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("table shows does not end"));
  const CommandResult read = RunBraid({"advise", job, "--set", "execution.trigger=available-now"});
  EXPECT_EQ(read.exit_code, 0) << read.errors;
  EXPECT_THAT(read.output, HasSubstr("1,000 pairs"));
}

// As in a run: a clock that is far ahead makes all others late, unless it is not believed.
TEST_F(AdviseCommandTest, ATimeThatIsNotBelievedMakesNoRowLate) {
  directory_.Write("shows.csv",
                   "id,ts\n1,2024-01-01 00:00:00\n2,2222-01-01 00:00:00\n"
                   "3,2024-01-01 00:00:01\n");
  const struct {
    const char* option;
    int late;
  } cases[] = {{"", 1}, {", 'scan.watermark.max-ahead' = '1 d'", 0}};
  for (const auto& tested : cases) {
    const CommandResult result = RunBraid({"advise", Job(kLeftJoin, "1", tested.option), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(json::parse(result.output)["left"]["watermark"]["lateRowsAtWrittenDelay"],
              tested.late);
  }
}

TEST_F(AdviseCommandTest, ABadRowFailsIt) {
  directory_.Write("clicks.csv", "id,ts\n1,2024-01-01 00:00:00\nx,y\n");
  const CommandResult result = RunBraid({"advise", Job(kLeftJoin)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("clicks.csv:3"));
  EXPECT_THAT(result.output, IsEmpty());
}

TEST_F(AdviseCommandTest, SaysThatNothingMatches) {
  const CommandResult result =
      RunBraid({"advise", Job("SELECT s.id FROM shows s JOIN clicks c ON s.id = c.id + 5000")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("No pair of rows has equal keys"));
}

}  // namespace
}  // namespace braid
