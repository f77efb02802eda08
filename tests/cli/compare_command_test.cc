// braid compare, as a user types it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
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
using testing::ReadFile;
using testing::RunBraid;
using testing::TemporaryDirectory;

std::string TimeAt(int64_t millis) {
  return fmt::format("2024-01-01 {:02}:{:02}:{:02}.{:03}", millis / 3'600'000, millis / 60'000 % 60,
                     millis / 1'000 % 60, millis % 1'000);
}

class CompareCommandTest : public ::testing::Test {
 protected:
  // As examples/ad_clicks, with both tables in files: 5,000 impressions 100 ms apart, two in five
  // with a click within a minute. One click in a hundred comes 20 to 40 s after those of its time.
  CompareCommandTest() {
    std::mt19937 random(20'240'101);
    const auto below = [&random](int64_t end) { return static_cast<int64_t>(random()) % end; };
    struct Click {
      int64_t id;
      int64_t time;
      int64_t arrival;
    };
    std::string impressions;
    std::vector<Click> clicks;
    for (int64_t id = 0; id < 5'000; ++id) {
      const int64_t time = id * 100;
      impressions += fmt::format("{},{},c{}\n", id, TimeAt(time), id % 7);
      if (below(5) >= 2) continue;
      const int64_t clicked = time + below(60'000);
      const bool is_late = below(100) == 0;
      clicks.push_back({id, clicked, clicked + (is_late ? 20'000 + below(20'000) : 0)});
    }
    std::stable_sort(clicks.begin(), clicks.end(), [](const Click& first, const Click& second) {
      return first.arrival < second.arrival;
    });
    std::string lines;
    for (const Click& click : clicks) lines += fmt::format("{},{}\n", click.id, TimeAt(click.time));
    directory_.Write("impressions.csv", impressions);
    directory_.Write("clicks.csv", lines);
  }

  std::string AdClicks(const std::string& type = "LEFT JOIN") const {
    const auto table = [this](const std::string& name, const std::string& more) {
      return fmt::format(
          "CREATE TABLE {} (ad_id BIGINT, ts TIMESTAMP(3){},\n"
          "  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem',\n"
          "  'path' = '{}', 'format' = 'csv', 'source.max-bytes-per-trigger' = '4 kb');\n",
          name, more, directory_.File(name + ".csv"));
    };
    return directory_.Write(
        "job.sql",
        table("impressions", ", campaign STRING") + table("clicks", "") +
            "CREATE TABLE attributed (ad_id BIGINT, shown TIMESTAMP(3), clicked TIMESTAMP(3))\n"
            "  WITH ('connector' = 'filesystem', 'path' = '" +
            directory_.File("out") +
            "', 'format' = 'csv');\n"
            "INSERT INTO attributed SELECT i.ad_id, i.ts, CAST(c.ts AS TIMESTAMP(3))\n"
            "FROM impressions AS i " +
            type +
            " clicks AS c ON i.ad_id = c.ad_id\n"
            "  AND c.ts BETWEEN i.ts AND i.ts + INTERVAL '60' SECOND;\n");
  }

  // A job whose two rows are joined in both modes.
  std::string SmallJob(const std::string& select =
                           "SELECT l.id FROM l JOIN r ON l.id = r.id AND "
                           "r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' "
                           "MINUTE") const {
    std::string text;
    for (const char* table : {"l", "r"}) {
      const std::string path =
          directory_.Write(std::string(table) + ".csv", "1,2024-01-01 00:00:00\n");
      text += fmt::format(
          "CREATE TABLE {} (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' "
          "SECOND) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'csv');\n",
          table, path);
    }
    return directory_.Write("small.sql", text + select);
  }

  TemporaryDirectory directory_;
};

TEST_F(CompareCommandTest, FlightsAreTheSameInBothModes) {
  const std::string text = ReadFile(BRAID_SOURCE_DIR "/examples/flights/job.sql");
  std::string job = text;
  const std::string folder = "'examples/";
  for (size_t at = 0; (at = job.find(folder, at)) != std::string::npos; ++at) {
    job.insert(at + 1, std::string(BRAID_SOURCE_DIR) + "/");
  }
  const CommandResult result =
      RunBraid({"compare", directory_.Write("flights.sql", job), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const json comparison = json::parse(result.output);
  EXPECT_EQ(comparison["agree"], true);
  EXPECT_EQ(comparison["equalRows"], 28'607);
  EXPECT_EQ(comparison["equalPaddedRows"], 24'732);
  for (const char* mode : {"microBatch", "perRecord"}) {
    EXPECT_EQ(comparison[mode]["delay"]["matched"]["rows"], 3'875);
    EXPECT_EQ(comparison[mode]["only"]["count"], 0);
  }
}

TEST_F(CompareCommandTest, LateClicksAreNamedAndCounted) {
  const CommandResult result = RunBraid({"compare", AdClicks(), "--json"});
  ASSERT_EQ(result.exit_code, 1) << result.errors;
  const json comparison = json::parse(result.output);
  const json& micro_batch = comparison["microBatch"];
  const json& per_record = comparison["perRecord"];
  const int64_t late = micro_batch["lateRows"];
  EXPECT_GT(late, 1);
  EXPECT_EQ(per_record["lateRows"], 0);
  // An impression has one click at most: where that was late, the other mode pads. The rest is what
  // one mode padded before its click came, and both lists have it.
  const json& only_micro_batch = micro_batch["only"]["byReason"];
  const json& only_per_record = per_record["only"]["byReason"];
  EXPECT_GT(only_per_record["late"], 0);
  EXPECT_LE(only_per_record["late"], late);
  EXPECT_EQ(only_micro_batch["partner-late"], only_per_record["late"]);
  EXPECT_GT(only_micro_batch["padded-early"], 0);
  EXPECT_EQ(only_micro_batch["padded-early"], only_per_record["padded-early"]);
  EXPECT_EQ(only_micro_batch.size(), 2U);
  EXPECT_EQ(only_per_record.size(), 2U);
  const int64_t differing = per_record["only"]["count"];
  EXPECT_EQ(micro_batch["only"]["count"], differing);
  EXPECT_EQ(comparison["equalRows"].get<int64_t>() + differing, 5'000);
  // With --json all of them are listed.
  EXPECT_EQ(per_record["only"]["rows"].size(), static_cast<size_t>(differing));
}

TEST_F(CompareCommandTest, PrintsTablesThatFitATerminal) {
  const CommandResult result = RunBraid({"compare", AdClicks(), "--rows", "3"});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  for (const char* expected :
       {"micro-batch", "per-record", "rows dropped for being late", "most rows in state",
        "From the row to its result, in event time", "Over event time: how far the watermark",
        "The final rows differ: ", "Only in micro-batch mode: ",
        "its partner was late in micro-batch and dropped", "Only in per-record mode: ",
        "a row of it was late in micro-batch and dropped", "The first 3:"}) {
    EXPECT_THAT(result.output, HasSubstr(expected));
  }
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST_F(CompareCommandTest, WritesNothing) {
  EXPECT_EQ(RunBraid({"compare", AdClicks()}).exit_code, 1);
  EXPECT_EQ(RunBraid({"compare", AdClicks("JOIN"), "--set",
                      "execution.checkpoint=" + directory_.File("checkpoint")})
                .exit_code,
            1);
  EXPECT_EQ(ReadFile(directory_.File("out")), "");
  EXPECT_EQ(ReadFile(directory_.File("checkpoint/CURRENT")), "");
}

std::set<std::string> MembersOf(const json& object) {
  std::set<std::string> members;
  for (const auto& [name, value] : object.items()) members.insert(name);
  return members;
}

// What docs/operations.md lists is what there is.
TEST_F(CompareCommandTest, JsonHasTheMembersThatAreDocumented) {
  const json comparison = json::parse(RunBraid({"compare", AdClicks(), "--json"}).output);
  std::set<std::string> members = MembersOf(comparison);
  const json& mode = comparison["microBatch"];
  members.merge(MembersOf(mode));
  members.merge(MembersOf(mode["delay"]["matched"]));
  members.merge(MembersOf(mode["only"]));
  members.merge(MembersOf(mode["only"]["rows"][0]));
  members.merge(MembersOf(mode["samples"][0]));
  EXPECT_EQ(MembersOf(mode), MembersOf(comparison["perRecord"]));
  EXPECT_EQ(MembersOf(mode["delay"]), (std::set<std::string>{"matched", "padded", "retracted"}));
  const std::string page = ReadFile(BRAID_SOURCE_DIR "/docs/operations.md");
  for (const std::string& member : members) EXPECT_THAT(page, HasSubstr("`" + member + "`"));
}

TEST_F(CompareCommandTest, WritesAPageThatNeedsNoNetwork) {
  const std::string file = directory_.File("page.html");
  const CommandResult result = RunBraid({"compare", AdClicks(), "--json", "--html", file});
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  const std::string page = ReadFile(file);
  EXPECT_THAT(page, HasSubstr("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_THAT(page, Not(HasSubstr("@LIBRARY")));
  EXPECT_THAT(page, Not(HasSubstr("@SCRIPT@")));
  EXPECT_THAT(page, HasSubstr("Dan Vanderkam"));
  for (const char* loads : {" src=", "<link", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(std::string(loads) + "\"http"))) << loads;
  }
  // What stands in it is what --json prints.
  const std::string mark = "id=\"comparison\">";
  const size_t begin = page.find(mark) + mark.size();
  const std::string data = page.substr(begin, page.find("</script>", begin) - begin);
  EXPECT_EQ(json::parse(data)["equalRows"], json::parse(result.output)["equalRows"]);

  const CommandResult refused =
      RunBraid({"compare", SmallJob(), "--html", directory_.File("none/page.html")});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.errors, HasSubstr("none/page.html' cannot be written: No such file"));
}

TEST_F(CompareCommandTest, EndsWithItsOwnExitCodes) {
  const std::string job = SmallJob();
  const std::string left = directory_.File("l.csv");
  EXPECT_EQ(RunBraid({"compare", job}).exit_code, 0);
  EXPECT_EQ(RunBraid({"compare", job, "--rows", "-1"}).exit_code, 2);
  EXPECT_EQ(RunBraid({"compare", job, "--trigger", "soon"}).exit_code, 2);
  EXPECT_EQ(RunBraid({"compare", directory_.File("none.sql")}).exit_code, 2);
  directory_.Write("l.csv", "1,2024-01-01 00:00:00\nx,y\n");
  const CommandResult failed = RunBraid({"compare", job});
  EXPECT_EQ(failed.exit_code, 4);
  EXPECT_THAT(failed.errors, HasSubstr("in micro-batch mode: "));
  EXPECT_THAT(failed.errors, HasSubstr("l.csv:2"));
  EXPECT_THAT(failed.output, IsEmpty());
}

TEST_F(CompareCommandTest, RefusesWhatCannotBeCompared) {
  const struct {
    std::string job;
    const char* error;
  } cases[] = {
      {SmallJob("SELECT l.id FROM l LEFT JOIN r ON l.id = r.id"), "in micro-batch mode: "},
      {directory_.Write("in.sql",
                        "CREATE TABLE s (id BIGINT) WITH ('connector' = 'filesystem', 'path' = "
                        "'-', 'format' = 'csv'); SELECT id FROM s"),
       "cannot be read twice"},
      {directory_.Write("socket.sql",
                        "CREATE TABLE s (id BIGINT) WITH ('connector' = 'socket', 'hostname' = "
                        "'localhost', 'port' = '9', 'format' = 'csv'); SELECT id FROM s"),
       "does not end: compare reads the same input twice"},
  };
  for (const auto& tested : cases) {
    const CommandResult result = RunBraid({"compare", tested.job});
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(tested.error));
    EXPECT_THAT(result.errors, Not(IsEmpty()));
    EXPECT_THAT(result.output, IsEmpty());
  }
}

}  // namespace
}  // namespace braid
