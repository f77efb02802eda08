// Runs whose state does not fit into state.memory.budget give what they give without one.
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

using testing::CommandResult;
using testing::RunBraid;
using testing::SortedOutputLines;
using testing::TemporaryDirectory;

constexpr const char* kBudget = "256 kb";
constexpr int64_t kRows = 16'000;

// A row every ten milliseconds, up to 300 ms out of order. One in 29 has one and the same key,
// and of table l one in a thousand is an hour ahead. Strings of about a hundred bytes.
std::string CsvRows(char table, int64_t first, int64_t end) {
  std::string text;
  for (int64_t row = first; row < end; ++row) {
    const int64_t key = row % 29 == 0 ? 7 : row * (table == 'l' ? 5 : 3) % 5'003;
    int64_t millis = row * 10 - row * 37 % 300 + 1'000;
    if (table == 'l' && row % 1'000 == 500) millis += 3'600'000;
    const int64_t seconds = millis / 1'000;
    text += fmt::format("{},2024-01-01 {:02}:{:02}:{:02}.{:03},{},{}\n", key, seconds / 3'600,
                        seconds / 60 % 60, seconds % 60, millis % 1'000, row,
                        row % 50 == 0 ? std::string() : std::string(60 + row % 80, table));
  }
  return text;
}

struct Shape {
  std::string name;
  std::string query;
  std::vector<std::string> settings = {};
  bool changes = false;
};

// The result is as wide as a row, so that every payload column is read back.
std::string Join(const std::string& type, const std::string& more = "",
                 const std::string& key = "l.k = r.k") {
  const bool left_only = type.find("SEMI") != type.npos || type.find("ANTI") != type.npos;
  return fmt::format(
      "SELECT l.k, l.v, l.text, {} FROM l {} JOIN r ON {} AND r.ts BETWEEN l.ts - INTERVAL '1' "
      "SECOND AND l.ts + INTERVAL '40' SECOND{}",
      left_only ? "0, ''" : "r.v, r.text", type, key, more);
}

const std::vector<std::string> kPerRecord = {"execution.mode=per-record"};

const Shape kShapes[] = {
    {"Inner", Join("")},
    {"Left", Join("LEFT")},
    {"Full", Join("FULL")},
    {"Semi", Join("LEFT SEMI")},
    {"Anti", Join("LEFT ANTI")},
    {"StringKeys",
     Join("LEFT", "", "CONCAT('k', CAST(l.k AS STRING)) = CONCAT('k', CAST(r.k AS STRING))")},
    {"Filtered", Join("LEFT", " AND CHAR_LENGTH(l.text) < CHAR_LENGTH(r.text)")},
    {"Partitions", Join("FULL"), {"parallelism=3"}},
    {"PerRecordInner", Join(""), kPerRecord},
    {"PerRecordFull", Join("FULL"), kPerRecord},
    {"PerRecordAnti", Join("LEFT ANTI"), kPerRecord},
    {"PerRecordStepByStep",
     Join("LEFT"),
     {"execution.mode=per-record", "table.exec.interval-join.min-cleanup-interval=2 s"}},
    {"PerRecordRegular",
     "SELECT l.k, l.v, l.text, r.v, r.text FROM l LEFT JOIN r ON l.k = r.k AND l.k <> 7 AND "
     "l.v % 3 = r.v % 4",
     kPerRecord, true},
    {"PerRecordThreeTables",
     "SELECT l.k, l.v, l.text, r.v, s.text FROM l JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND "
     "l.ts + INTERVAL '20' SECOND LEFT JOIN s ON l.v = s.v AND s.ts BETWEEN l.ts - INTERVAL '30' "
     "SECOND AND l.ts + INTERVAL '30' SECOND",
     kPerRecord},
};

class StateBudgetTest : public ::testing::Test {
 protected:
  std::string WriteJob(const std::string& name, const Shape& shape) const {
    std::string text;
    for (const char table : {'l', 'r', 's'}) {
      text += fmt::format(
          "CREATE TABLE {0} (k BIGINT, ts TIMESTAMP(3), v BIGINT, text STRING, WATERMARK FOR ts AS "
          "ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path' = '{1}', 'format' = "
          "'csv', 'source.max-bytes-per-trigger' = '300 kb');\n",
          table, directory_.File(std::string(1, table)));
    }
    text += fmt::format(
        "CREATE TABLE joined (k BIGINT, a BIGINT, t1 STRING, b BIGINT, t2 STRING{}) WITH "
        "('connector' = 'filesystem', 'path' = '{}', 'format' = 'csv'{});\nINSERT INTO joined "
        "{};\n",
        shape.changes ? ", op STRING" : "", directory_.File(name + "-out"),
        shape.changes ? ", 'changelog.column' = 'op'" : "", shape.query);
    return directory_.Write(name + ".sql", text);
  }

  std::vector<std::string> Arguments(const std::string& name, const Shape& shape) const {
    std::vector<std::string> arguments = {"run", WriteJob(name, shape), "--progress", "json"};
    for (const std::string& setting : shape.settings) {
      arguments.push_back("--set");
      arguments.push_back(setting);
    }
    return arguments;
  }

  static std::vector<std::string> With(std::vector<std::string> arguments,
                                       const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) {
      arguments.push_back("--set");
      arguments.push_back(setting);
    }
    return arguments;
  }

  void WriteTables(int64_t first, int64_t end, const std::string& file) const {
    for (const char table : {'l', 'r', 's'}) {
      directory_.Write(std::string(1, table) + "/" + file, CsvRows(table, first, end));
    }
  }

  // The most bytes that progress records tell of.
  static int64_t SpilledBytesMax(const std::string& records) {
    int64_t most = 0;
    std::istringstream lines(records);
    for (std::string line; std::getline(lines, line);) {
      const auto record = nlohmann::json::parse(line, nullptr, false);
      if (record.is_discarded() || !record.contains("stateOperators")) continue;
      for (const auto& state : record["stateOperators"]) {
        most = std::max(most, state["spilledBytes"].get<int64_t>());
      }
    }
    return most;
  }

  TemporaryDirectory directory_;
};

TEST_F(StateBudgetTest, EveryShapeGivesTheSameRowsUnderATinyBudget) {
  WriteTables(0, kRows, "all.csv");
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    const CommandResult whole = RunBraid(Arguments(shape.name, shape));
    ASSERT_EQ(whole.exit_code, 0) << whole.errors;
    EXPECT_EQ(SpilledBytesMax(whole.errors), 0);
    const std::vector<std::string> expected =
        SortedOutputLines(directory_.File(shape.name + "-out"));
    EXPECT_GT(expected.size(), 1'000U);

    const CommandResult small = RunBraid(With(Arguments(shape.name + "-small", shape),
                                              {fmt::format("state.memory.budget={}", kBudget),
                                               "state.spill-directory=" + directory_.File("spill"),
                                               "execution.checkpointing.interval=5 ms"}));
    ASSERT_EQ(small.exit_code, 0) << small.errors;
    EXPECT_GT(SpilledBytesMax(small.errors), 100'000);
    EXPECT_EQ(SortedOutputLines(directory_.File(shape.name + "-small-out")), expected);
  }
}

TEST_F(StateBudgetTest, ARestartWithOtherPartitionsKeepsItsBudget) {
  for (const Shape& shape : kShapes) {
    if (shape.name != "Full" && shape.name != "PerRecordFull" && shape.name != "StringKeys")
      continue;
    SCOPED_TRACE(shape.name);
    WriteTables(0, kRows / 2, "1.csv");
    const auto run = [&](const std::string& name, const std::vector<std::string>& settings) {
      const CommandResult result =
          RunBraid(With(With(Arguments(name, shape),
                             {"execution.checkpoint=" + directory_.File(name + "-state")}),
                        settings));
      ASSERT_EQ(result.exit_code, 0) << result.errors;
    };
    const std::string budget = fmt::format("state.memory.budget={}", kBudget);
    const std::string hold = "execution.end-of-input=hold";
    const std::string flush = "execution.end-of-input=flush";
    run(shape.name, {hold});
    run(shape.name + "-small", {hold, budget, "parallelism=2"});
    WriteTables(kRows / 2, kRows, "2.csv");
    run(shape.name, {flush});
    run(shape.name + "-small", {flush, budget, "parallelism=3"});
    EXPECT_EQ(SortedOutputLines(directory_.File(shape.name + "-small-out")),
              SortedOutputLines(directory_.File(shape.name + "-out")));
    for (const char table : {'l', 'r', 's'}) {
      std::remove((directory_.File(std::string(1, table)) + "/2.csv").c_str());
    }
  }
}

TEST_F(StateBudgetTest, AFolderThatCannotBeWrittenToEndsTheRunWithItsName) {
  WriteTables(0, kRows, "all.csv");
  const CommandResult result = RunBraid(With(
      Arguments("refused", kShapes[0]),
      {fmt::format("state.memory.budget={}", kBudget), "state.spill-directory=/proc/nowhere"}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, ::testing::HasSubstr("/proc/nowhere/braid-state-rows-"));
}

}  // namespace
}  // namespace braid
