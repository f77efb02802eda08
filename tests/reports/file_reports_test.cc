// Reports about files and time zones (F items, W26, and the parts of T1 and T2 that need the
// command), put to the built command. F2 (ages and orders of files), F5 (what becomes of files that
// were read) and F12 (Kafka) are about options and sources that there are
// not: every file is read once, oldest first, and none is ever deleted. F4 (many files) is tested
// with the file source, F10 with the socket source.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using ::testing::AllOf;
using testing::CommandResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ReadFile;
using testing::RunBraid;
using testing::RunningCommand;
using ::testing::SizeIs;
using testing::SortedOutputLines;
using testing::TemporaryDirectory;

class FileReportsTest : public ::testing::Test {
 protected:
  std::string Table(const std::string& name, const std::string& columns,
                    const std::string& options = "") const {
    return fmt::format(
        "CREATE TABLE `{0}` ({1}) WITH ('connector' = 'filesystem', 'path' = '{2}', 'format' = "
        "'csv'{3});\n",
        name, columns, directory_.File(name), options);
  }

  // A job that copies the table `in` to the folder `out`.
  std::string Copy(const std::string& options) const {
    return directory_.Write("copy.sql", Table("in", "k BIGINT, ms BIGINT, v STRING", options) +
                                            Table("out", "k BIGINT, ms BIGINT, v STRING") +
                                            "INSERT INTO `out` SELECT k, ms, v FROM `in`;\n");
  }

  std::vector<std::string> Output() const { return SortedOutputLines(directory_.File("out")); }

  std::string Gzip(const std::string& name, const std::string& text) const {
    const std::string path = directory_.Write("packed/" + name, text);
    EXPECT_EQ(std::system(("gzip -f " + path).c_str()), 0);
    return ReadFile(path + ".gz");
  }

  TemporaryDirectory directory_;
};

// F1 (Spark guide: "must be atomically placed")
TEST_F(FileReportsTest, AFileThatIsStillWrittenGivesEachRowOnce) {
  directory_.Write("in/a.csv", "1,10000,a\n2,11");
  for (const char* name : {"in/_b.csv", "in/.c.csv", "in/d.csv.tmp", "in/_e/f.csv"}) {
    directory_.Write(name, "9,9,not yet\n");
  }
  const std::string job =
      Copy(", 'source.monitor-interval' = '10 ms', 'source.settle-time' = '1 h'");
  RunningCommand run({"run", job, "--checkpoint", directory_.File("checkpoint")});
  while (Output().empty() && !run.has_ended()) std::this_thread::yield();
  EXPECT_THAT(Output(), ElementsAre("1,10000,a"));
  std::ofstream(directory_.File("in/a.csv"), std::ios::app) << "000,b\n";
  while (Output().size() < 2 && !run.has_ended()) std::this_thread::yield();
  EXPECT_THAT(Output(), ElementsAre("1,10000,a", "2,11000,b"));
  std::filesystem::rename(directory_.File("in/_b.csv"), directory_.File("in/b.csv"));
  while (Output().size() < 3 && !run.has_ended()) std::this_thread::yield();
  run.Signal(SIGTERM);
  const CommandResult result = run.Wait();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Output(), ElementsAre("1,10000,a", "2,11000,b", "9,9,not yet"));
}

// F6 (FLINK-20746)
TEST_F(FileReportsTest, OnlyDataRowsComeOutWhateverTheLinesOfAFileAre) {
  directory_.Write("in/1.csv", "k,ms,v\n1,1,a\n");
  directory_.Write("in/2.csv", "k,ms,v\n");
  directory_.Write("in/3.csv", "");
  directory_.Write("in/4.csv", "\xEF\xBB\xBFk,ms,v\n2,2,b\n");
  directory_.Write("in/5.csv", "k,ms,v\r\n3,3,c\r\n");
  directory_.Write("in/6.csv", "k,ms,v\n4,4,d");
  directory_.Write("in/7.csv", "\n\nk,ms,v\n\n5,5,e\n\n\r\n6,6,f\n\n");
  directory_.Write("in/8.csv", "v,k,ms\ng,7,7\n");
  directory_.Write("in/9.csv", "k,ms,v");
  const CommandResult result = RunBraid({"run", Copy(", 'csv.header' = 'true'")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Output(), ElementsAre("1,1,a", "2,2,b", "3,3,c", "4,4,d", "5,5,e", "6,6,f", "7,7,g"));
}

// F8 (SPARK-13792)
TEST_F(FileReportsTest, BadRowsAreAllCountedAndKeptButFewAreLogged) {
  std::string text;
  for (int row = 0; row < 5'000; ++row) {
    text += row % 2 == 0 ? fmt::format("{0},{0},good\n", row) : fmt::format("row {},x\n", row);
  }
  directory_.Write("in/a.csv", text);
  const CommandResult result =
      RunBraid({"run", Copy(fmt::format(", 'bad-records' = 'drop', 'bad-records-path' = '{}'",
                                        directory_.File("bad")))});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Output(), SizeIs(2'500));
  EXPECT_THAT(result.errors, AllOf(HasSubstr("2500 bad records"), HasSubstr("a.csv:2")));
  EXPECT_LT(std::count(result.errors.begin(), result.errors.end(), '\n'), 20) << result.errors;
  const std::string kept = ReadFile(directory_.File("bad/in.json"));
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), 2'500);
  EXPECT_THAT(kept, AllOf(HasSubstr("\"line\":5000"), HasSubstr("row 4999,x")));
}

// F9 (gz files)
TEST_F(FileReportsTest, CompressedFilesAreReadByTheirNamesMemberByMember) {
  directory_.Write("in/a.csv.gz", Gzip("a.csv", "1,1,a\n2,2") + Gzip("b.csv", ",b\n3,3,c\n"));
  directory_.Write("in/b.csv", "4,4,d\n");
  const CommandResult result = RunBraid({"run", Copy("")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Output(), ElementsAre("1,1,a", "2,2,b", "3,3,c", "4,4,d"));
}

// F9 (gz files)
TEST_F(FileReportsTest, ADamagedOrMisnamedFileIsNamedAndGivesNoHalfFile) {
  std::string text;
  for (int row = 0; row < 2'000; ++row) text += fmt::format("{0},{0},row {0}\n", row * 7919);
  const std::string packed = Gzip("a.csv", text);
  struct Case {
    const char* name;
    const char* file;
    std::string content;
  };
  for (const Case& c :
       {Case{"truncated", "in/truncated.csv.gz", packed.substr(0, 900)},
        Case{"without its last byte", "in/short.csv.gz", packed.substr(0, packed.size() - 1)},
        Case{"text named gz", "in/text.csv.gz", text},
        Case{"gz named csv", "in/packed.csv", packed}}) {
    directory_.Write(c.file, c.content);
    const CommandResult result = RunBraid({"run", Copy("")});
    EXPECT_EQ(result.exit_code, 1) << c.name;
    EXPECT_THAT(result.errors, HasSubstr(directory_.File(c.file))) << c.name;
    EXPECT_THAT(Output(), IsEmpty()) << c.name;
    std::filesystem::remove_all(directory_.File("in"));
    std::filesystem::remove_all(directory_.File("out"));
  }
}

// F9 (encodings)
TEST_F(FileReportsTest, BytesThatAreNoUtf8AreReplacedAndZerosKept) {
  directory_.Write("in/a.csv", std::string("1,1,caf\xE9\n2,2,a\0b\n3,3,caf\xC3\xA9\n", 27));
  const CommandResult result = RunBraid({"run", Copy("")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(Output(),
              ElementsAre("1,1,caf\xEF\xBF\xBD", std::string("2,2,a\0b", 7), "3,3,caf\xC3\xA9"));
}

// A left join of two tables of the columns k and ms.
std::string LeftJoin() {
  return "INSERT INTO `out` SELECT l.k, l.ms, r.ms FROM l LEFT JOIN r ON l.k = r.k AND r.ts "
         "BETWEEN "
         "l.ts AND l.ts + INTERVAL '5' SECOND;\n";
}

constexpr const char* kTimed =
    "k BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts";

// T1 (SPARK-24157)
TEST_F(FileReportsTest, AHeldRunSaysWhichRowsWaitForWhat) {
  directory_.Write("l/1.csv", "1,10000\n");
  directory_.Write("r/1.csv", "");
  const std::string job = directory_.Write(
      "job.sql", Table("l", kTimed) + Table("r", kTimed) +
                     Table("out", "k BIGINT, ms BIGINT, other BIGINT") + LeftJoin());
  const std::vector<std::string> arguments = {"run", job, "--checkpoint",
                                              directory_.File("checkpoint")};
  const CommandResult held = RunBraid(arguments);
  EXPECT_EQ(held.exit_code, 0) << held.errors;
  EXPECT_THAT(Output(), IsEmpty());
  EXPECT_THAT(held.errors,
              AllOf(HasSubstr("1 row of l waits"), HasSubstr("1970-01-01 00:00:15.001"),
                    HasSubstr("now unset: r has shown no row time yet")));
  std::vector<std::string> flush = arguments;
  flush.insert(flush.end(), {"--set", "execution.end-of-input=flush"});
  const CommandResult flushed = RunBraid(flush);
  EXPECT_EQ(flushed.exit_code, 0) << flushed.errors;
  EXPECT_THAT(Output(), ElementsAre("1,10000,"));
  EXPECT_THAT(flushed.errors, Not(HasSubstr("wait")));
}

// T2 (SPARK-36533)
TEST_F(FileReportsTest, AvailableNowReadsAllFilesOneATriggerAndPadsBeforeItEnds) {
  directory_.Write("l/1.csv", "1,10000\n");
  directory_.Write("l/2.csv", "8,100000\n");
  directory_.Write("r/1.csv", "9,100000\n");
  const std::string one = ", 'source.max-files-per-trigger' = '1'";
  const std::string job = directory_.Write(
      "job.sql", Table("l", kTimed, one + ", 'source.monitor-interval' = '1 s'") +
                     Table("r", kTimed, one) + Table("out", "k BIGINT, ms BIGINT, other BIGINT") +
                     LeftJoin());
  const std::vector<std::string> arguments = {
      "run",           job,          "--checkpoint", directory_.File("checkpoint"), "--trigger",
      "available-now", "--progress", "json"};
  const CommandResult first = RunBraid(arguments);
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(Output(), ElementsAre("1,10000,"));
  EXPECT_THAT(first.errors, AllOf(HasSubstr("\"batchId\":2"), HasSubstr("\"noData\":true")));
  directory_.Write("l/3.csv", "7,200000\n");
  directory_.Write("r/2.csv", "7,201000\n");
  const CommandResult second = RunBraid(arguments);
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_THAT(Output(), ElementsAre("1,10000,", "7,200000,201000", "8,100000,"));
}

// W26 (time zones and daylight saving)
TEST_F(FileReportsTest, AZoneReadsTimesAndChangesNoDistance) {
  struct Case {
    const char* zone;
    std::string left;
    std::string right;
  };
  // The night in which Los Angeles loses an hour: 23.5 hours apart, then 24 hours and a minute.
  for (const Case& c :
       {Case{"America/Los_Angeles", "2024-03-10 01:30:00",
             "1,2024-03-11 02:00:00\n1,2024-03-11 02:31:00\n"},
        Case{"UTC", "2024-03-10T09:30Z", "1,2024-03-11T09:00Z\n1,2024-03-11T09:31Z\n"},
        Case{"America/Los_Angeles", "2024-03-10T09:30:00+00:00",
             "1,2024-03-11T10:00+01:00\n1,2024-03-11T09:31Z\n"}}) {
    directory_.Write("l/1.csv", fmt::format("1,{}\n", c.left));
    directory_.Write("r/1.csv", c.right);
    for (const char* length : {"'24' HOUR", "'1' DAY"}) {
      const std::string columns = "k BIGINT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts";
      const std::string job = directory_.Write(
          "job.sql",
          fmt::format("SET 'table.local-time-zone' = '{}';\n", c.zone) + Table("l", columns) +
              Table("r", columns) +
              Table("out", "l TIMESTAMP_LTZ(3), r TIMESTAMP_LTZ(3)",
                    ", 'sink.existing' = 'overwrite'") +
              fmt::format("INSERT INTO `out` SELECT l.ts, r.ts FROM l LEFT JOIN r ON l.k = r.k AND "
                          "r.ts BETWEEN l.ts AND l.ts + INTERVAL {};\n",
                          length));
      for (const char* mode : {"micro-batch", "per-record"}) {
        const CommandResult result = RunBraid({"run", job, "--mode", mode});
        EXPECT_EQ(result.exit_code, 0) << result.errors;
        EXPECT_THAT(Output(), ElementsAre("2024-03-10 09:30:00.000Z,2024-03-11 09:00:00.000Z"))
            << c.zone << " " << length << " " << mode;
      }
    }
  }
}

// W26 (time zones and daylight saving)
TEST_F(FileReportsTest, TimesThatAClockSkipsOrShowsTwiceAreReadAlikeEverywhere) {
  directory_.Write("l/1.csv",
                   "2024-03-10 02:30:00,2024-03-10 02:30:00\n"
                   "2024-11-03 01:30:00,2024-11-03 01:30:00\n");
  const std::string job = directory_.Write(
      "job.sql", "SET 'table.local-time-zone' = 'America/Los_Angeles';\n" +
                     Table("l", "read TIMESTAMP_LTZ(3), text STRING") +
                     Table("out", "a TIMESTAMP_LTZ(3), b TIMESTAMP_LTZ(3)",
                           ", 'sink.existing' = 'overwrite'") +
                     "INSERT INTO `out` SELECT read, CAST(text AS TIMESTAMP_LTZ(3)) FROM l;\n");
  for (const char* mode : {"micro-batch", "per-record"}) {
    const CommandResult result = RunBraid({"run", job, "--mode", mode});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(Output(), ElementsAre("2024-03-10 10:30:00.000Z,2024-03-10 10:30:00.000Z",
                                      "2024-11-03 08:30:00.000Z,2024-11-03 08:30:00.000Z"))
        << mode;
  }
}

}  // namespace
}  // namespace braid
