// What is beyond a limit (docs/limits.md) is refused by name and place; what is just within it
// runs.
#include "state/rows/limits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using ::testing::HasSubstr;
using testing::RunBraid;
using testing::TemporaryDirectory;

std::string Repeated(const std::string& part, size_t count) {
  std::string text;
  for (size_t index = 0; index < count; ++index) text += part;
  return text;
}

// "c0 INT, c1 INT" or, without a type, "c0,c1".
std::string Columns(size_t count, const std::string& type) {
  std::string text;
  for (size_t index = 0; index < count; ++index) {
    text += fmt::format("{}c{}{}", index == 0 ? "" : ",", index, type);
  }
  return text;
}

constexpr const char* kTable =
    "CREATE TABLE t (c INT, s STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1');\n";

TEST(LimitsTest, AJobBeyondALimitIsRefusedWithItsNameAndPlace) {
  struct Case {
    const char* what;
    std::string text;
    std::vector<std::string> expected;
  };
  std::string joins = "SET 'execution.mode' = 'per-record'; SELECT t.c FROM t";
  for (int join = 0; join < 33; ++join) joins += fmt::format(" JOIN t t{0} ON t.c = t{0}.c", join);
  const std::vector<Case> cases = {
      {"size of the text",
       kTable + ("SELECT '" + std::string(kMaxScriptBytes, 'x') + "' AS x FROM t"),
       {"job.sql: invalid query: the text has 8388", "SQL text may have 8388608"}},
      {"nesting",
       kTable + ("SELECT " + Repeated("(", kMaxNesting + 1) + "c" + Repeated(")", kMaxNesting + 1) +
                 " AS x FROM t"),
       {"job.sql:2:308", "nested more than 300 deep"}},
      {"columns of a table",
       "CREATE TABLE wide (" + Columns(kMaxColumns + 1, " INT") +
           ") WITH ('connector' = 'datagen'); SELECT c0 FROM wide",
       {"job.sql:1:", "4097 columns; there may be 4096"}},
      {"columns of a SELECT",
       kTable + ("SELECT " + Repeated("c, ", kMaxColumns) + "c FROM t"),
       {"job.sql:2:", "4097 columns; there may be 4096"}},
      {"joins", kTable + joins, {"33", "32"}},
      {"threads",
       kTable + fmt::format("SET 'parallelism' = '{}'; SELECT c FROM t", kParallelismMax + 1),
       {"parallelism", "256"}},
      {"versions",
       kTable + fmt::format("SET 'state.retain-versions' = '{}'; SELECT c FROM t",
                            kRetainVersionsMax + 1),
       {"state.retain-versions", "10000"}},
      {"a text that a function makes",
       kTable +
           fmt::format("SELECT CHAR_LENGTH(RPAD('x', {}, 'y')) AS n FROM t", kTextBytesMax + 1),
       {"64 MiB"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    const TemporaryDirectory directory;
    const CommandResult result = RunBraid({"run", directory.Write("job.sql", one.text)});
    EXPECT_NE(result.exit_code, 0);
    for (const std::string& part : one.expected) {
      EXPECT_THAT(result.errors.substr(0, 2'000), HasSubstr(part));
    }
  }
}

TEST(LimitsTest, ARecordBeyondTheLimitIsABadRecordOfItsLine) {
  const TemporaryDirectory directory;
  const std::string text(kRecordBytesMax + 1, 'x');
  const std::string csv = directory.Write("a.csv", "c,s\n1,y\n2," + text + "\n");
  const std::string json = directory.Write("a.json", "{\"c\":1}\n{\"s\":\"" + text + "\"}\n");
  for (const std::string& file : {csv, json}) {
    const std::string format = file.substr(file.rfind('.') + 1);
    const std::string header = format == "csv" ? ", 'csv.header' = 'true'" : "";
    const std::string job = directory.Write(
        "job.sql", fmt::format("CREATE TABLE t (c INT, s STRING) WITH ('connector' = 'filesystem', "
                               "'path' = '{}', 'format' = '{}'{}); SELECT c FROM t;",
                               file, format, header));
    const CommandResult result = RunBraid({"run", job});
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.errors, HasSubstr(format == "csv" ? "a.csv:3: " : "a.json:2: "));
    EXPECT_THAT(result.errors, HasSubstr("the record is too long: a record may have 16 MiB"));
  }
}

TEST(LimitsTest, AJoinKeyBeyondTheLimitIsTheRowsError) {
  const TemporaryDirectory directory;
  // The long key is made by the query: 40 MiB, twice. The rows 2 are those that join.
  directory.Write("l.csv", "1,1000\n2,1000\n");
  directory.Write("r.csv", "1,1000\n2,1000\n");
  const auto table = [&](const char* name) {
    return fmt::format(
        "CREATE TABLE {0} (k INT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS "
        "ts) WITH ('connector' = 'filesystem', 'path' = '{1}/{0}.csv', 'format' = 'csv');\n",
        name, directory.path());
  };
  const auto key = [](const char* side) {
    return fmt::format("RPAD('x', CASE WHEN {}.k = 1 THEN {} ELSE 3 END, '{}')", side,
                       kKeyBytesMax / 8 * 5, std::string(1'000, 'y'));
  };
  const std::string job = directory.Write(
      "job.sql", table("l") + table("r") + "SELECT l.k, r.k AS o FROM l JOIN r ON " + key("l") +
                     " = " + key("r") + " AND " + key("l") + " || 'a' = " + key("r") +
                     " || 'a' AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' SECOND;");
  for (const char* mode : {"micro-batch", "per-record"}) {
    SCOPED_TRACE(mode);
    const CommandResult failed = RunBraid({"run", job, "--mode", mode, "--output", "csv"});
    EXPECT_EQ(failed.exit_code, 1) << failed.output;
    EXPECT_THAT(failed.errors, HasSubstr("job.sql:3:"));
    EXPECT_THAT(failed.errors, HasSubstr("the join key is too long: a key may have 64 MiB"));
    const CommandResult dropped = RunBraid(
        {"run", job, "--mode", mode, "--output", "csv", "--set", "execution.on-row-error=drop"});
    EXPECT_EQ(dropped.exit_code, 0) << dropped.errors;
    EXPECT_THAT(dropped.output, HasSubstr("2,2\n"));
    EXPECT_THAT(dropped.output, ::testing::Not(HasSubstr("1,1\n")));
  }
}

TEST(LimitsTest, AFileWithTooManyColumnsIsNotGuessed) {
  const TemporaryDirectory directory;
  const std::string names = Columns(kMaxColumns + 1, "");
  const std::string file = directory.Write("wide.csv", names + "\n" + names + "\n");
  const CommandResult result = RunBraid({"query", "SELECT c0 FROM '" + file + "'"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.errors, HasSubstr("wide.csv: invalid query: 4097 columns; there may be 4096"));
}

TEST(LimitsTest, WhatIsJustWithinALimitRuns) {
  const TemporaryDirectory directory;
  // A key as long as a record can have it: joined, kept in the checkpoint, and read again.
  const std::string key(kRecordBytesMax - 100, 'k');
  for (const char* name : {"l", "r"}) directory.Write(fmt::format("{}/1.csv", name), key + ",1\n");
  const auto table = [&](const char* name) {
    return fmt::format(
        "CREATE TABLE {0} (k STRING, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS "
        "ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = '{1}/{0}', 'format' "
        "= 'csv');\n",
        name, directory.path());
  };
  const std::string job = directory.Write(
      "job.sql", table("l") + table("r") +
                     "SET 'execution.end-of-input' = 'hold';\nSELECT CHAR_LENGTH(l.k) AS n, 'x'" +
                     Repeated(" || 'y'", 3 * kMaxNesting) +
                     " AS s FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL "
                     "'1' SECOND;");
  const std::string checkpoint = directory.File("checkpoint");
  const CommandResult first = RunBraid({"run", job, "--checkpoint", checkpoint, "--output", "csv"});
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.output, HasSubstr(std::to_string(key.size()) + ",xyyy"));
  directory.Write("r/2.csv", key + ",1\n");
  const CommandResult second =
      RunBraid({"run", job, "--checkpoint", checkpoint, "--output", "csv"});
  ASSERT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_THAT(second.output, HasSubstr(std::to_string(key.size()) + ",xyyy"));
}

}  // namespace
}  // namespace braid
