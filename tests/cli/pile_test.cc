// Many rows of one key on both sides in one batch: every row of one matches every row of the other.
// They go to the sink as they are found, and memory stays as it is.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "tests/cli/command_runner.h"

namespace braid {
namespace {

using testing::CommandResult;
using testing::RunBraid;
using testing::TemporaryDirectory;

// The thread sanitizer keeps four words for each that is in use; that of addresses keeps up to 256
// MB that were freed.
#if defined(__SANITIZE_THREAD__)
constexpr int64_t kMemoryFactor = 5;
#elif defined(__SANITIZE_ADDRESS__)
constexpr int64_t kMemoryFactor = 10;
#else
constexpr int64_t kMemoryFactor = 1;
#endif

// Of the largest process that was waited for so far.
int64_t PeakMegabytesOfChildren() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss / 1'024;
}

class PileTest : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  // Joins `rows` x `rows` rows in one batch.
  void Join(int rows) {
    const auto [mode, sink] = GetParam();
    const TemporaryDirectory directory;
    for (const char* table : {"l", "r"}) {
      std::string text;
      for (int row = 0; row < rows; ++row) text += fmt::format("1,{},1767225600000\n", row);
      directory.Write(fmt::format("{}/1.csv", table), text);
    }
    std::string tables;
    for (const char* table : {"l", "r"}) {
      tables += fmt::format(
          "CREATE TABLE {0} (k BIGINT, n BIGINT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), "
          "WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '{1}/{0}', "
          "'format' = 'csv', 'source.max-bytes-per-trigger' = '256 mb');\n",
          table, directory.path());
    }
    const bool is_file = std::string(sink) == "filesystem";
    tables += fmt::format(
        "CREATE TABLE o (k BIGINT, a BIGINT, b BIGINT) WITH ('connector' = '{}'{});\n", sink,
        is_file ? fmt::format(", 'path' = '{}', 'format' = 'csv', 'sink.min-file-size' = '1 gb'",
                              directory.File("out"))
                : "");
    const CommandResult result =
        RunBraid({"run",
                  directory.Write(
                      "job.sql", tables + "INSERT INTO o SELECT l.k, l.n, r.n FROM l JOIN r ON l.k "
                                          "= r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '1' "
                                          "SECOND;"),
                  "--mode", mode});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_NE(result.errors.find(fmt::format("{} rows out", int64_t{rows} * rows)),
              std::string::npos)
        << result.errors;
  }
};

TEST_P(PileTest, AllMatchesOfOneKeyStreamOutInLittleMemory) {
  Join(100);
  const int64_t before = PeakMegabytesOfChildren();
  // 4 million rows of three numbers: 96 MB, if they were kept.
  Join(2'000);
  EXPECT_LT(PeakMegabytesOfChildren(), before + 40 * kMemoryFactor);
}

INSTANTIATE_TEST_SUITE_P(ModesAndSinks, PileTest,
                         ::testing::Combine(::testing::Values("micro-batch", "per-record"),
                                            ::testing::Values("blackhole", "filesystem", "print")));

}  // namespace
}  // namespace braid
