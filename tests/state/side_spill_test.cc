// Side states whose payload does not fit into the budget. The model test runs them at random.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/state/side_rows.h"

namespace braid {
namespace {

using ::testing::HasSubstr;

SideStateOptions Options(std::shared_ptr<StateBudget> budget) {
  SideStateOptions options;
  options.has_time = true;
  options.track_matches = true;
  options.payload = SidePayloadTypes();
  options.collect_delta = false;
  options.budget = std::move(budget);
  return options;
}

// `count` rows from serial `first` on, one a millisecond.
std::vector<SideRow> Rows(int64_t first, int64_t count) {
  std::vector<SideRow> rows;
  for (int64_t serial = first; serial < first + count; ++serial) {
    rows.push_back({static_cast<uint64_t>(serial % 1'000), serial * 1'000, serial});
  }
  return rows;
}

// The descriptors of files of state rows that this process has open.
std::vector<int> OpenSpillFiles() {
  std::vector<int> descriptors;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.find("braid-state-rows-") == std::string::npos) continue;
    descriptors.push_back(std::stoi(entry.path().filename().string()));
  }
  return descriptors;
}

TEST(SideSpillTest, KeepsItsBudgetWhateverItHolds) {
  const auto budget = std::make_shared<StateBudget>(256 << 10, testing::TempDir());
  SideState left(Options(budget));
  SideState right(Options(budget));
  for (int64_t first = 0; first < 200'000; first += 5'000) {
    AppendTo(&left, Rows(first, 5'000));
    if (first < 50'000) AppendTo(&right, Rows(first, 5'000));
    // One open chunk a side may be beyond it, until it is large enough to be closed.
    EXPECT_LT(budget->used_bytes(), (256 << 10) + 2 * (160 << 10));
    left.ReleaseEvicted();
    right.ReleaseEvicted();
  }
  EXPECT_LE(budget->used_bytes(), 256 << 10);
  EXPECT_GT(left.spilled_bytes(), int64_t{2} << 20);
  EXPECT_GT(right.spilled_bytes(), 0);
  EXPECT_GT(left.index_bytes(), 200'000 * 16);
  const std::vector<RowId> live = left.LiveRows();
  const std::vector<int64_t> serials = SerialsOf(left, live);
  for (size_t i = 0; i < serials.size(); ++i) ASSERT_EQ(serials[i], static_cast<int64_t>(i));

  // What leaves gives its space back.
  const int64_t before = left.spilled_bytes();
  left.EvictBelow({150'000 * 1'000});
  left.ReleaseEvicted();
  EXPECT_LT(left.spilled_bytes(), before / 2);
  left.EvictAll();
  left.ReleaseEvicted();
  right.EvictAll();
  right.ReleaseEvicted();
  EXPECT_EQ(left.spilled_bytes(), 0);
  EXPECT_EQ(budget->used_bytes(), 0);
}

TEST(SideSpillTest, AProbeWithoutAHitReadsNothing) {
  const auto budget = std::make_shared<StateBudget>(0, testing::TempDir());
  SideState state(Options(budget));
  AppendTo(&state, Rows(0, 100'000));
  ASSERT_EQ(OpenSpillFiles().size(), 1U);
  // From here on the file cannot be read.
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, OpenSpillFiles()[0]);
  close(nothing);
  const SideRows arriving({{77, 1'000'000'000, 0}, {5'000, 77'000, 0}});
  ProbeCursor cursor;
  Matches matches;
  EXPECT_TRUE(state.Probe(arriving.All(), Interval{-1'000}, Interval{1'000}, &cursor, &matches));
  EXPECT_TRUE(matches.stored.empty());
  EXPECT_TRUE(state.spill_status());
}

TEST(SideSpillTest, AFailingReadOrWriteIsAnErrorThatNamesTheFile) {
  for (const bool writing : {false, true}) {
    SCOPED_TRACE(writing ? "write" : "read");
    const auto budget = std::make_shared<StateBudget>(0, testing::TempDir());
    SideState state(Options(budget));
    AppendTo(&state, Rows(0, 40'000));
    ASSERT_EQ(OpenSpillFiles().size(), 1U);
    const int full = open("/dev/full", O_RDWR);
    dup2(full, OpenSpillFiles()[0]);
    close(full);
    ASSERT_TRUE(state.spill_status());
    if (writing) {
      AppendTo(&state, Rows(40'000, 40'000));
    } else {
      // /dev/full gives zeros: the checksum tells.
      const std::vector<RowId> rows = state.LiveRows();
      EXPECT_EQ(state.GatherPayload(0, rows).length(), std::ssize(rows));
    }
    const Status status = state.spill_status();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, writing ? ErrorCode::kIo : ErrorCode::kCorruption);
    EXPECT_THAT(status.error().message, HasSubstr("braid-state-rows-"));
    EXPECT_EQ(state.num_rows(), writing ? 80'000 : 40'000);
  }
}

}  // namespace
}  // namespace braid
