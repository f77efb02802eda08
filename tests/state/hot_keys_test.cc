// What a side does with keys that have very many rows. Costs are counted in the rows and entries
// that probes look at, not in time.
#include "state/hot_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "state/side_state.h"
#include "tests/state/side_rows.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kHot = 77;
constexpr int64_t kRows = 50'000;

SideStateOptions Options(bool has_time) {
  SideStateOptions options;
  options.has_time = has_time;
  options.track_matches = true;
  options.collect_delta = false;
  options.payload = SidePayloadTypes();
  return options;
}

// Rows `first` .. `first + count` of the hot key, one a millisecond, in a shuffled order.
std::vector<SideRow> HotRows(int64_t first, int64_t count) {
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t serial = first + i * 7'919 % count;
    rows.push_back({kHot, serial * 1'000, serial});
  }
  return rows;
}

int64_t StepsOf(SideState* state, const SideRow& arriving, std::optional<int64_t> lower,
                std::optional<int64_t> upper) {
  const int64_t before = state->probe_steps();
  Partners(state, arriving, lower, upper);
  return state->probe_steps() - before;
}

TEST(HotKeysTest, AProbeOfAHotKeyLooksAtItsMatchesOnly) {
  SideState state(Options(true));
  AppendTo(&state, HotRows(0, kRows));
  EXPECT_GE(StepsOf(&state, {kHot, 0}, 0, 0), kRows) << "the first probe finds out";
  EXPECT_EQ(state.num_hot_keys(), 1);
  for (const int64_t matches : {0, 1, 10, 1'000}) {
    EXPECT_LE(StepsOf(&state, {kHot, 20'000'500}, 0, matches * 1'000), matches + 2);
  }
  AppendTo(&state, HotRows(kRows, 1'000));
  EXPECT_EQ(Partners(&state, {kHot, (kRows - 10) * 1'000}, 0, 19'000).size(), 20U);
  EXPECT_LE(StepsOf(&state, {kHot, kRows * 1'000}, 0, 9'000), 12);
  state.CheckInvariants();
}

TEST(HotKeysTest, KeysThatShareTheBucketOfAHotKeyStayCheap) {
  SideState state(Options(true));
  std::vector<SideRow> rows = HotRows(0, kRows);
  for (uint64_t word = 1'000; word < 3'000; ++word) rows.push_back({word, 0, 1});
  AppendTo(&state, rows);
  Partners(&state, {kHot, 0}, 0, 0);
  int64_t steps = 0;
  for (uint64_t word = 1'000; word < 3'000; ++word) steps += StepsOf(&state, {word, 0}, 0, 0);
  EXPECT_LE(steps, 2'000 * 3);
}

TEST(HotKeysTest, AKeyThatBecomesHotLeavesItsNeighboursInTheBucket) {
  // Words of the hot key's bucket as long as there are 256 heads.
  std::vector<uint64_t> neighbours;
  for (uint64_t word = 0; neighbours.size() < 10; ++word) {
    if (word != kHot && MixKeyWord(word) >> 56 == MixKeyWord(kHot) >> 56)
      neighbours.push_back(word);
  }
  SideState state(Options(true));
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < 100; ++i) {
    rows.push_back({kHot, i * 1'000, i});
    if (i % 5 == 0) rows.push_back({neighbours[static_cast<size_t>(i / 5 % 10)], 0, 1'000 + i});
  }
  AppendTo(&state, rows);
  EXPECT_EQ(Partners(&state, {kHot, 0}).size(), 100U);
  EXPECT_EQ(state.num_hot_keys(), 1);
  state.CheckInvariants();
  for (const uint64_t word : neighbours) EXPECT_EQ(Partners(&state, {word, 0}).size(), 2U);
}

TEST(HotKeysTest, AKeyBecomesHotAlsoByTheProbesOfItsNeighbours) {
  SideState state(Options(true));
  std::vector<SideRow> rows = HotRows(0, kRows);
  AppendTo(&state, rows);
  // 50,000 rows have 2^17 heads: the upper 17 bits of the mixed word choose one.
  uint64_t neighbour = kHot + 1;
  while (MixKeyWord(neighbour) >> 47 != MixKeyWord(kHot) >> 47) ++neighbour;
  EXPECT_GE(StepsOf(&state, {neighbour, 0}, 0, 0), kRows);
  EXPECT_EQ(state.num_hot_keys(), 1);
  EXPECT_LE(StepsOf(&state, {neighbour, 0}, 0, 0), 2);
  EXPECT_LE(StepsOf(&state, {kHot, 0}, 0, 0), 3);
}

TEST(HotKeysTest, RenumberedRowsOfAHotKeyAreFound) {
  for (const bool has_time : {true, false}) {
    SideStateOptions options = Options(has_time);
    options.limits.chunk_bits = 5;
    options.limits.first_chunk = (0xffffffffU >> 5) - 40;
    SideState state(options);
    AppendTo(&state, HotRows(0, 600));
    Partners(&state, {kHot, 0});
    EXPECT_EQ(state.num_hot_keys(), 1);
    const RowId before = state.LiveRows()[0];
    AppendTo(&state, HotRows(600, 1'000));
    EXPECT_LT(state.LiveRows()[0], before);
    EXPECT_EQ(Partners(&state, {kHot, 0}).size(), 1'600U);
    state.CheckInvariants();
  }
}

TEST(HotKeysTest, AKeyOfFewRowsIsNotHot) {
  SideState state(Options(true));
  AppendTo(&state, HotRows(0, 40));
  EXPECT_EQ(Partners(&state, {kHot, 0}).size(), 40U);
  EXPECT_EQ(state.num_hot_keys(), 0);
}

TEST(HotKeysTest, RowsWithoutTimeAreFoundInOrderOfArrivalAtTheCostOfTheMatches) {
  SideState state(Options(false));
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < 3'000; ++i) rows.push_back({kHot, std::nullopt, i});
  AppendTo(&state, rows);
  Partners(&state, {kHot, std::nullopt});
  EXPECT_EQ(state.num_hot_keys(), 1);
  EXPECT_EQ(StepsOf(&state, {kHot, std::nullopt}, std::nullopt, std::nullopt), 3'001);
  std::vector<RowId> removed = state.LiveRows();
  removed.resize(2'000);
  EXPECT_EQ(state.Remove(removed), 2'000);
  EXPECT_EQ(Partners(&state, {kHot, std::nullopt}).size(), 1'000U);
  EXPECT_EQ(StepsOf(&state, {kHot, std::nullopt}, std::nullopt, std::nullopt), 1'001)
      << "removed rows are swept out";
  state.CheckInvariants();
}

TEST(HotKeysTest, NullTimesOfAHotKeyAreFoundWithoutABound) {
  SideState state(Options(true));
  std::vector<SideRow> rows = HotRows(0, 200);
  rows.push_back({kHot, std::nullopt, 1'000});
  AppendTo(&state, rows);
  Partners(&state, {kHot, 0});
  EXPECT_EQ(state.num_hot_keys(), 1);
  EXPECT_EQ(Partners(&state, {kHot, 0}).size(), 201U);
  EXPECT_EQ(Partners(&state, {kHot, std::nullopt}).size(), 201U);
  EXPECT_EQ(Partners(&state, {kHot, 0}, -1'000'000'000).size(), 200U);
  state.EvictBelow({1'000'000'000});
  EXPECT_THAT(Partners(&state, {kHot, 0}), ElementsAre(1'000));
}

TEST(HotKeysTest, EvictedRowsOfAHotKeyAreCutOffAndLateOnesFoundOnce) {
  SideState state(Options(true));
  AppendTo(&state, HotRows(0, 1'000));
  Partners(&state, {kHot, 0});
  EXPECT_EQ(state.EvictBelow({500'000}).removed, 500);
  EXPECT_LE(StepsOf(&state, {kHot, 0}, 0, 500'000), 3) << "one row is left in the window";
  AppendTo(&state, {{kHot, 100'000, 5'000}, {kHot, 200'000, 5'001}});
  EXPECT_THAT(Partners(&state, {kHot, 0}, 0, 499'000), ElementsAre(5'000, 5'001));
  EXPECT_EQ(state.EvictBelow({500'000}).removed, 2);
  EXPECT_THAT(Partners(&state, {kHot, 0}, 0, 499'000), IsEmpty());
  state.CheckInvariants();
}

TEST(HotKeysTest, RemovedRowsOfAHotKeyAreNotFound) {
  SideState state(Options(true));
  AppendTo(&state, HotRows(0, 1'000));
  Partners(&state, {kHot, 0});
  std::vector<RowId> odd;
  const std::vector<RowId> live = state.LiveRows();
  for (size_t i = 1; i < live.size(); i += 2) odd.push_back(live[i]);
  state.Remove(odd);
  EXPECT_EQ(Partners(&state, {kHot, 0}, 0, 10'000'000).size(), 500U);
  state.CheckInvariants();
}

TEST(HotKeysTest, AHotKeyWithoutRowsIsForgotten) {
  SideState state(Options(true));
  std::vector<SideRow> rows;
  for (uint64_t word = 0; word < 50; ++word) {
    for (int64_t i = 0; i < 100; ++i) rows.push_back({word, i * 1'000, i});
  }
  rows.push_back({1'000, 900'000, 1});
  AppendTo(&state, rows);
  for (uint64_t word = 0; word < 50; ++word) Partners(&state, {word, 0});
  EXPECT_EQ(state.num_hot_keys(), 50);
  state.EvictBelow({800'000});
  for (int batch = 0; batch < 20; ++batch) state.ReleaseEvicted();
  EXPECT_EQ(state.num_hot_keys(), 0);
  AppendTo(&state, {{3, 900'000, 2}});
  EXPECT_THAT(Partners(&state, {3, 900'000}, 0, 0), ElementsAre(2));
  state.CheckInvariants();
}

TEST(HotKeysTest, HashedWordsBecomeHotToo) {
  SideStateOptions options = Options(true);
  options.key_kind = KeyWordKind::kHash;
  SideState state(options);
  AppendTo(&state, HotRows(0, 1'000));
  Partners(&state, {kHot, 0});
  EXPECT_EQ(state.num_hot_keys(), 1);
  EXPECT_EQ(Partners(&state, {kHot, 0}, 0, 4'000).size(), 5U);
}

}  // namespace
}  // namespace braid
