// A row a batch, thousands of them: what is left does not grow with their number
// (bench/comparison/entries/small_batches.py has 200,000).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using testing::RunBraid;
using testing::TemporaryDirectory;

constexpr int kRowsASecond = 10;  // Of event time: state is bounded by the watermark.

std::string Rows(int first, int count) {
  std::string text;
  for (int row = first; row < first + count; ++row) {
    text += fmt::format("{},{}\n", row, 1'767'225'600'000 + row * 1'000 / kRowsASecond);
  }
  return text;
}

std::string Table(const std::string& name, const std::string& folder) {
  return fmt::format(
      "CREATE TABLE {0} (k BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), "
      "WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', "
      "'path' = '{1}/{0}', 'format' = 'csv', 'source.max-bytes-per-trigger' = '1');\n",
      name, folder);
}

struct FolderSize {
  int64_t files = 0;
  int64_t bytes = 0;
};

FolderSize SizeOf(const std::string& folder) {
  FolderSize size;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++size.files;
    size.bytes += static_cast<int64_t>(entry.file_size());
  }
  return size;
}

class SmallBatchesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SmallBatchesTest, LeaveACheckpointAndAnOutputFolderThatDoNotGrowWithThem) {
  constexpr int kRowsARun = 250;
  constexpr int kRuns = 3;
  const TemporaryDirectory directory;
  const std::string job = directory.Write(
      "job.sql", Table("l", directory.path()) + Table("r", directory.path()) +
                     fmt::format("CREATE TABLE o (k BIGINT, a BIGINT, b BIGINT) WITH ('connector' "
                                 "= 'filesystem', 'path' = '{}/out', 'format' = 'csv', "
                                 "'sink.min-file-size' = '8 kb');\n"
                                 "INSERT INTO o SELECT l.k, l.ms, r.ms FROM l JOIN r ON l.k = r.k "
                                 "AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' SECOND;",
                                 directory.path()));
  for (int run = 0; run < kRuns; ++run) {
    for (const char* table : {"l", "r"}) {
      directory.Write(fmt::format("{}/{}.csv", table, run), Rows(run * kRowsARun, kRowsARun));
    }
    // Another number of partitions each time.
    const CommandResult result =
        RunBraid({"run", job, "--mode", GetParam(), "--checkpoint", directory.File("checkpoint"),
                  "--set", "execution.checkpointing.interval=1 us", "--set",
                  "execution.end-of-input=hold", "--set", fmt::format("parallelism={}", 1 + run)});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_LT(SizeOf(directory.File("checkpoint")).bytes, 24 << 20);
  }
  const std::vector<std::string> lines = testing::SortedOutputLines(directory.File("out"));
  ASSERT_EQ(lines.size(), static_cast<size_t>(kRowsARun * kRuns));
  for (size_t line = 1; line < lines.size(); ++line) ASSERT_NE(lines[line - 1], lines[line]);
  const FolderSize out = SizeOf(directory.File("out"));
  // Full ones, one that grows for each partition, the owner and the index.
  EXPECT_LE(out.files, out.bytes / 8'192 + kRuns + 2);
  EXPECT_LT(SizeOf(directory.File("checkpoint")).files, 30);
}

INSTANTIATE_TEST_SUITE_P(BothModes, SmallBatchesTest,
                         ::testing::Values("micro-batch", "per-record"));

}  // namespace
}  // namespace braid
