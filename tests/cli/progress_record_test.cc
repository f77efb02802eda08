// docs/operations.md lists the fields of a progress record: all of them, and no others.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using testing::TemporaryDirectory;

// Names of fields, at any depth. Offsets are the sources' own affair.
void AddKeys(const nlohmann::json& json, std::set<std::string>* keys) {
  if (json.is_array()) {
    for (const nlohmann::json& element : json) AddKeys(element, keys);
  }
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    keys->insert(key);
    if (key.find("Offset") == std::string::npos) AddKeys(value, keys);
  }
}

// The records of a join with a late row, a bad record, a row error, a batch without input, and
// tables for late and unmatched rows.
std::set<std::string> KeysOfARun() {
  const TemporaryDirectory directory;
  directory.Write("l/1.csv", "1,2024-01-01 00:00:01.000,1\n2,2024-01-01 00:01:00.000,0\n");
  directory.Write("l/2.csv", "3,2024-01-01 00:00:02.000,1\nbad\n4,2024-01-01 00:02:00.000,1\n");
  directory.Write("r/1.csv", "1,2024-01-01 00:00:02.000,1\n9,2024-01-01 00:01:00.000,1\n");
  directory.Write("r/2.csv", "9,2024-01-01 00:02:00.000,1\n");
  std::string text;
  for (const char* table : {"l", "r"}) {
    text += fmt::format(
        "CREATE TABLE {0} (id BIGINT, ts TIMESTAMP(3), v INT, WATERMARK FOR ts AS ts) WITH "
        "('connector' = 'filesystem', 'path' = '{1}', 'format' = 'csv', 'bad-records' = 'drop', "
        "'bad-records-path' = '{2}', 'source.max-files-per-trigger' = '1');\n",
        table, directory.File(table), directory.File("bad"));
  }
  for (const char* kind : {"late", "unmatched"}) {
    text += fmt::format(
        "CREATE TABLE {0} (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{1}', 'format' = "
        "'csv');\nSET '{0}-rows.table' = '{0}';\n",
        kind, directory.File(kind));
  }
  text += fmt::format(
      "CREATE TABLE o (a BIGINT, b INT) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' "
      "= 'csv');\nSET 'execution.on-row-error' = 'drop';\nINSERT INTO o SELECT l.id, 10 / l.v FROM "
      "l LEFT JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '5' SECOND;\n",
      directory.File("out"));
  const CommandResult result =
      testing::RunBraid({"run", directory.Write("job.sql", text), "--progress", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::set<std::string> keys;
  std::istringstream lines(result.errors);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("{")) AddKeys(nlohmann::json::parse(line), &keys);
  }
  return keys;
}

// The names in backticks in the first column of the tables, and those that introduce a table.
std::set<std::string> KeysOfTheDocument() {
  const std::string document = testing::ReadFile(BRAID_SOURCE_DIR "/docs/operations.md");
  const size_t begin = document.find("`--progress json` prints one line a batch");
  const size_t end = document.find("\n## ", begin);
  EXPECT_NE(begin, std::string::npos);
  std::set<std::string> keys;
  std::istringstream lines(document.substr(begin, end - begin));
  for (std::string line; std::getline(lines, line);) {
    const bool is_row = line.starts_with("| `");
    if (!is_row && !line.starts_with("`")) continue;
    // `customMetrics` holds fields of its own, told in its second column.
    const bool whole = !is_row || line.starts_with("| `customMetrics`");
    std::string text = whole ? line : line.substr(0, line.find(" | ", 2));
    if (line.starts_with("`--progress")) continue;
    for (size_t open = text.find('`'); open != std::string::npos;) {
      const size_t close = text.find('`', open + 1);
      keys.insert(text.substr(open + 1, close - open - 1));
      open = text.find('`', close + 1);
    }
  }
  return keys;
}

TEST(ProgressRecordTest, EveryFieldIsDocumentedAndEveryDocumentedFieldExists) {
  const std::set<std::string> run = KeysOfARun();
  const std::set<std::string> document = KeysOfTheDocument();
  for (const std::string& key : run) EXPECT_TRUE(document.contains(key)) << key;
  for (const std::string& key : document) EXPECT_TRUE(run.contains(key)) << key;
}

}  // namespace
}  // namespace braid
