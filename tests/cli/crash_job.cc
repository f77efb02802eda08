#include "tests/cli/crash_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>

#include "state/rows/check.h"

namespace braid::testing {

namespace {

constexpr const char* kOutputs[] = {"result", "late", "unmatched"};

// Rows of a table in one of its files: one every other second, every ninth far behind its time,
// every seventh without a partner. The last line is no row.
std::string Rows(const char* table, int file) {
  constexpr int kRowsPerFile = 24;
  std::string text;
  for (int row = file * kRowsPerFile; row < (file + 1) * kRowsPerFile; ++row) {
    int second = 2 * row + (table[0] == 'r' ? 1 : 0);
    if (row > 40 && row % 9 == 0) second -= 75;
    const int lonely = (table[0] == 'r' ? 1'000 : 100) + row;
    const int key = row % 7 == 0 ? lonely : row % 5;
    text += fmt::format("{},2024-01-01 00:{:02}:{:02},{}{}\n", key, second / 60, second % 60, table,
                        row);
  }
  text += "7,no time,x\n";
  return text;
}

std::string TableText(const std::string& name, const std::string& columns, const std::string& path,
                      const std::string& more) {
  return fmt::format(
      "CREATE TABLE {} ({}) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = "
      "'csv'{});\n",
      name, columns, path, more);
}

// Killing needs no disk, and thousands of syncs would wait for one.
std::string FolderInMemory() {
  constexpr const char* kFolder = "/dev/shm";
  return access(kFolder, W_OK) == 0 ? kFolder : "";
}

}  // namespace

std::vector<CrashJob::Kind> CrashJob::Kinds() {
  return {{"MicroBatchInner", false, "JOIN"},
          {"MicroBatchLeft", false, "LEFT JOIN"},
          {"PerRecordInner", true, "JOIN"},
          {"PerRecordLeft", true, "LEFT JOIN"}};
}

CrashJob::CrashJob(const Kind& kind) : kind_(kind), directory_(FolderInMemory()) {
  WriteInput();
  Renew();
  const auto started = std::chrono::steady_clock::now();
  const CommandResult whole = Run(2);
  const auto took = std::chrono::steady_clock::now() - started;
  whole_run_micros_ = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  BRAID_CHECK(whole.exit_code == 0, whole.errors.c_str());
  expected_ = ReadOutput();
  Renew();
}

void CrashJob::WriteInput() const {
  for (const char* table : {"l", "r"}) {
    for (int file = 0; file < 3; ++file) {
      directory_.Write(fmt::format("in/{}/{}.csv", table, file), Rows(table, file));
    }
  }
}

// Of the joins record by record only this one refuses late rows.
bool CrashJob::is_datastream_join() const {
  return kind_.per_record && std::string_view(kind_.join) == "JOIN";
}

std::string CrashJob::folder() const { return directory_.File(fmt::format("life{}", life_)); }

void CrashJob::Renew() {
  std::error_code ignored;
  std::filesystem::remove_all(folder(), ignored);
  ++life_;
  std::string text = fmt::format(
      "SET 'execution.end-of-input' = 'flush';\nSET 'late-rows.table' = 'late';\n"
      "SET 'unmatched-rows.table' = 'unmatched';\nSET 'execution.checkpoint' = '{}/checkpoint';\n",
      folder());
  if (kind_.per_record) {
    text +=
        "SET 'execution.mode' = 'per-record';\nSET 'execution.checkpointing.interval' = '1 us';\n";
  }
  if (is_datastream_join()) text += "SET 'per-record.interval-join' = 'datastream';\n";
  for (const char* table : {"l", "r"}) {
    text += TableText(table,
                      "k BIGINT, ts TIMESTAMP(3), v STRING, WATERMARK FOR ts AS ts - INTERVAL '4' "
                      "SECOND",
                      fmt::format("{}/{}", directory_.File("in"), table),
                      fmt::format(", 'source.max-bytes-per-trigger' = '300', 'bad-records' = "
                                  "'drop', 'bad-records-path' = '{}/bad'",
                                  folder()));
  }
  const std::string reported = "table_name STRING, k BIGINT, ts TIMESTAMP(3), v STRING";
  text += TableText("late", reported, folder() + "/late", "");
  text +=
      TableText("unmatched", reported, folder() + "/unmatched", ", 'sink.min-file-size' = '500 b'");
  text += TableText("result", "k BIGINT, l STRING, r STRING", folder() + "/result", "");
  text += fmt::format(
      "INSERT INTO result SELECT l.k, l.v, r.v FROM l {} r ON l.k = r.k AND r.ts BETWEEN l.ts - "
      "INTERVAL '12' SECOND AND l.ts + INTERVAL '12' SECOND;\n",
      kind_.join);
  directory_.Write("job.sql", text);
}

std::vector<std::string> CrashJob::Arguments(int parallelism) const {
  std::vector<std::string> arguments = {"run", directory_.File("job.sql"), "--progress", "none"};
  if (!kind_.per_record) {
    arguments.insert(arguments.end(), {"--set", fmt::format("parallelism={}", parallelism)});
  }
  return arguments;
}

CommandResult CrashJob::Run(int parallelism, const std::string& fail_points) const {
  Environment environment;
  if (!fail_points.empty()) environment.emplace_back("BRAID_FAIL_POINT", fail_points);
  return RunBraid(Arguments(parallelism), environment);
}

CrashJob::Contents CrashJob::ReadOutput() const {
  Contents contents;
  contents["bad"] = {};
  for (const char* table : kOutputs) {
    contents[table] = SortedOutputLines(folder() + "/" + table);
  }
  for (const char* table : {"l", "r"}) {
    std::istringstream text(ReadFile(fmt::format("{}/bad/{}.json", folder(), table)));
    for (std::string line; std::getline(text, line);) contents["bad"].push_back(line);
  }
  return contents;
}

std::map<std::string, size_t> CrashJob::expected_counts() const {
  std::map<std::string, size_t> counts;
  for (const auto& [table, lines] : expected_) counts[table] = lines.size();
  return counts;
}

std::string CrashJob::Difference() const {
  std::string text;
  const Contents found = ReadOutput();
  for (const auto& [table, expected] : expected_) {
    const std::vector<std::string>& lines = found.at(table);
    std::vector<std::string> missing;
    std::vector<std::string> surplus;
    std::set_difference(expected.begin(), expected.end(), lines.begin(), lines.end(),
                        std::back_inserter(missing));
    std::set_difference(lines.begin(), lines.end(), expected.begin(), expected.end(),
                        std::back_inserter(surplus));
    for (const std::string& line : missing) text += fmt::format("{} lacks {}\n", table, line);
    for (const std::string& line : surplus) text += fmt::format("{} has {}\n", table, line);
  }
  for (const char* table : kOutputs) {
    for (const auto& entry : std::filesystem::directory_iterator(folder() + "/" + table)) {
      const std::string name = entry.path().filename().string();
      if (name.front() == '.') text += fmt::format("a temporary file was left: {}\n", name);
    }
  }
  return text;
}

}  // namespace braid::testing
