// What TakeDelta says, and what becomes of it when it is restored.
#include "state/pending_delta.h"

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
using testing::SizeIs;

constexpr uint32_t kLineage = 9;

SideStateOptions Options() {
  SideStateOptions options;
  options.has_time = true;
  options.track_matches = true;
  options.payload = SidePayloadTypes();
  options.lineage = kLineage;
  return options;
}

std::vector<SideRow> Rows(int64_t first, int64_t count) {
  std::vector<SideRow> rows;
  for (int64_t i = first; i < first + count; ++i) {
    rows.push_back({static_cast<uint64_t>(i % 50), i * 1'000, i});
  }
  return rows;
}

PersistentId Id(uint64_t sequence) { return MakePersistentId(kLineage, sequence); }

std::vector<int64_t> SerialsIn(const StateRows& run) {
  std::vector<int64_t> serials;
  for (int64_t row = 0; row < run.num_rows; ++row) {
    serials.push_back(StoredRowAt(run, row).row.serial);
  }
  return serials;
}

std::vector<RowId> Find(const SideState& state, std::vector<int64_t> serials) {
  std::vector<RowId> rows;
  for (const int64_t serial : serials) rows.push_back(FindSerial(state, serial));
  return rows;
}

TEST(PendingDeltaTest, AWholeBatchSharesItsColumns) {
  SideState state(Options());
  const SideRows batch(Rows(0, 2'000));
  state.Append(batch.All(), {});
  const SideDelta delta = state.TakeDelta();
  ASSERT_THAT(delta.rows, SizeIs(1));
  const StateRows& run = delta.rows[0];
  EXPECT_EQ(run.first_id, Id(0));
  EXPECT_THAT(run.ids, IsEmpty());
  EXPECT_EQ(run.num_rows, 2'000);
  EXPECT_EQ(run.words, batch.All().keys->words);
  EXPECT_THAT(run.linkable, IsEmpty());
  EXPECT_EQ(run.times->raw_values(), batch.All().times->raw_values());
  for (size_t column = 0; column < run.payload.size(); ++column) {
    EXPECT_EQ(run.payload[column].raw_values(), batch.All().payload[column].raw_values());
  }
  EXPECT_TRUE(state.TakeDelta().empty());
}

TEST(PendingDeltaTest, SomeRowsOfABatchArePicked) {
  SideState state(Options());
  std::vector<SideRow> rows = Rows(0, 4'000);
  rows[2].word.reset();
  const SideRows batch(rows);
  std::vector<int32_t> even;
  for (int32_t i = 0; i < 4'000; i += 2) even.push_back(i);
  std::vector<uint8_t> matched(even.size(), 0);
  matched[3] = 1;
  state.Append(batch.Some(even), matched);
  const SideDelta delta = state.TakeDelta();
  ASSERT_THAT(delta.rows, SizeIs(1));
  ASSERT_EQ(delta.rows[0].num_rows, 2'000);
  for (int64_t i = 0; i < 2'000; ++i) {
    const StoredRow expected = {rows[static_cast<size_t>(2 * i)], i == 3};
    ASSERT_EQ(StoredRowAt(delta.rows[0], i), expected);
    ASSERT_EQ(delta.rows[0].IdAt(i), Id(static_cast<uint64_t>(i)));
  }
}

TEST(PendingDeltaTest, RowsThatComeOneByOneAreOneRun) {
  SideState state(Options());
  for (int64_t i = 0; i < 100; ++i) AppendTo(&state, Rows(i, 1));
  const SideDelta delta = state.TakeDelta();
  ASSERT_THAT(delta.rows, SizeIs(1));
  std::vector<int64_t> serials(100);
  std::iota(serials.begin(), serials.end(), 0);
  EXPECT_EQ(SerialsIn(delta.rows[0]), serials);
  AppendTo(&state, Rows(100, 1));
  EXPECT_EQ(state.TakeDelta().rows[0].first_id, Id(100));
}

TEST(PendingDeltaTest, NewRowsCarryTheirFlagsAndOlderOnesAreListedOnce) {
  SideState state(Options());
  AppendTo(&state, Rows(0, 10));
  state.MarkMatched(Find(state, {3}));
  SideDelta delta = state.TakeDelta();
  EXPECT_THAT(delta.matched, IsEmpty());
  EXPECT_TRUE(StoredRowAt(delta.rows[0], 3).matched);
  EXPECT_FALSE(StoredRowAt(delta.rows[0], 4).matched);
  AppendTo(&state, Rows(10, 10));
  state.MarkMatched(Find(state, {8, 15, 3, 2}));
  state.MarkMatched(Find(state, {8, 5}));
  delta = state.TakeDelta();
  EXPECT_THAT(delta.matched, ElementsAre(Id(2), Id(5), Id(8)));
  EXPECT_TRUE(StoredRowAt(delta.rows[0], 5).matched);
  state.MarkMatched(Find(state, {8, 15}));
  EXPECT_TRUE(state.TakeDelta().empty());
}

TEST(PendingDeltaTest, RemovedRowsAreListedUnlessTheyAreNew) {
  SideState state(Options());
  AppendTo(&state, Rows(0, 10));
  state.Remove(Find(state, {4}));
  SideDelta delta = state.TakeDelta();
  EXPECT_THAT(delta.removed, IsEmpty());
  EXPECT_THAT(SerialsIn(delta.rows[0]), ElementsAre(0, 1, 2, 3, 5, 6, 7, 8, 9));
  EXPECT_EQ(delta.rows[0].IdAt(4), Id(5));
  AppendTo(&state, Rows(10, 2));
  state.Remove(Find(state, {9, 10, 2}));
  // The chunk leaves before the delta is taken; its removals must not be lost.
  state.EvictBelow({11'000});
  state.ReleaseEvicted();
  delta = state.TakeDelta();
  EXPECT_THAT(delta.removed, ElementsAre(Id(2), Id(9)));
  EXPECT_THAT(SerialsIn(delta.rows[0]), ElementsAre(11));
}

TEST(PendingDeltaTest, RemovalsOfReleasedChunksAreKept) {
  SideStateOptions options = Options();
  options.limits.chunk_bits = 3;
  SideState state(options);
  AppendTo(&state, Rows(0, 40));
  state.TakeDelta();
  state.Remove(Find(state, {1, 30}));
  state.EvictBelow({35'000});
  state.ReleaseEvicted();
  EXPECT_THAT(state.TakeDelta().removed, ElementsAre(Id(1), Id(30)));
}

TEST(PendingDeltaTest, RowsEvictedInTheirOwnBatchAreLeftOut) {
  SideState state(Options());
  const SideRows batch(Rows(0, 2'000));
  state.Append(batch.All(), {});
  state.EvictBelow({3'000'000});
  state.ReleaseEvicted();
  EXPECT_TRUE(state.TakeDelta().empty());
  EXPECT_EQ(state.num_rows(), 0);
}

TEST(PendingDeltaTest, WithoutCollectionThereIsNoDelta) {
  SideStateOptions options = Options();
  options.collect_delta = false;
  SideState state(options);
  AppendTo(&state, Rows(0, 10));
  state.MarkMatched(Find(state, {4}));
  state.Remove(Find(state, {5}));
  EXPECT_TRUE(state.TakeDelta().empty());
}

TEST(PendingDeltaTest, ARestoredSideGoesOnWithTheOldIds) {
  SideState before(Options());
  std::vector<SideRow> rows = Rows(0, 100);
  rows[7].word.reset();
  rows[9].time.reset();
  AppendTo(&before, rows);
  before.MarkMatched(Find(before, {20}));
  const StateRows run = before.TakeDelta().rows[0];

  SideStateOptions options = Options();
  options.lineage = kLineage + 1;
  SideState after(options);
  // Only the rows of one partition.
  std::vector<int32_t> taken;
  for (int32_t i = 0; i < 100; ++i) {
    if (i % 10 != 1) taken.push_back(i);
  }
  after.Restore(run, taken);
  after.RestoreThreshold(EventTime{5'000});
  after.CheckInvariants();
  EXPECT_EQ(after.num_rows(), 86) << "90 taken, of which 0, 2, 3 and 4 are below the threshold";
  EXPECT_EQ(after.num_matched(), 1);
  EXPECT_TRUE(after.TakeDelta().empty());
  EXPECT_EQ(FindSerial(after, 11), kNoRow);
  EXPECT_THAT(Partners(&after, {20, 0}), ElementsAre(20, 70));

  AppendTo(&after, Rows(100, 1));
  after.MarkMatched(Find(after, {22, 20, 100}));
  after.Remove(Find(after, {50, 33}));
  const SideDelta delta = after.TakeDelta();
  EXPECT_EQ(delta.rows[0].first_id, MakePersistentId(kLineage + 1, 0));
  EXPECT_THAT(delta.matched, ElementsAre(Id(22)));
  EXPECT_THAT(delta.removed, ElementsAre(Id(33), Id(50)));
}

}  // namespace
}  // namespace braid
