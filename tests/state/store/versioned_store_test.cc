// Both stores must pass these.
#include "state/versioned_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "state/store/memory_storage.h"
#include "state/store/record_store.h"
#include "tests/state/store/test_rows.h"
#include "tests/state/store/test_store.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class VersionedStoreTest : public testing::TestWithParam<StoreKind> {
 protected:
  void Open(int retain_versions = 10, bool has_time = true) {
    store_ = std::make_unique<TestStore>(GetParam(), StoreOptions{retain_versions});
    ASSERT_TRUE(store()->Create(TestIdentity(has_time)));
    has_time_ = has_time;
  }

  VersionedStore* store() { return store_->get(); }
  // Closes and opens what can be closed.
  void Reopen() { store_->Reopen(); }

  // `count` rows of one lineage with one time a row, from `first_time` on.
  StateRows Rows(uint64_t sequence, int64_t count, int64_t first_time, uint32_t lineage = 0) {
    std::vector<TestRow> rows;
    for (int64_t i = 0; i < count; ++i) {
      TestRow& row = rows.emplace_back();
      row.id = MakePersistentId(lineage, sequence + static_cast<uint64_t>(i));
      row.word = row.id * 31;
      if (has_time_) row.time = first_time + i;
      row.number = i;
      row.text = "text of row " + std::to_string(i);
    }
    return MakeRun(rows, has_time_);
  }

  // Commits the next version.
  void Commit(SideDelta delta, std::optional<int64_t> threshold = std::nullopt) {
    BatchCommit commit;
    commit.batch_id = next_version_++;
    if (threshold) commit.thresholds[0] = EventTime{*threshold};
    const Status status = store()->Commit(commit, std::span(&delta, 1), nullptr);
    ASSERT_TRUE(status.has_value()) << status.error().ToString();
    store_->CheckInvariants();
  }

  static SideDelta Added(StateRows rows) {
    SideDelta delta;
    delta.rows.push_back(std::move(rows));
    return delta;
  }

  std::unique_ptr<TestStore> store_;
  int64_t next_version_ = 0;
  bool has_time_ = true;
};

PersistentId Id(uint64_t sequence, uint32_t lineage = 0) {
  return MakePersistentId(lineage, sequence);
}

TEST_P(VersionedStoreTest, ANewStoreIsEmpty) {
  const TestStore store(GetParam(), {});
  EXPECT_FALSE(store.get()->identity());
  EXPECT_THAT(*store.get()->Versions(), IsEmpty());
  EXPECT_FALSE(*store.get()->LatestVersion());
  EXPECT_FALSE(*store.get()->PendingPlan());
  EXPECT_EQ(store.get()->ReadTimers(0, 0).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store.get()->Commit({}, {}, nullptr).error().code, ErrorCode::kInternal);
}

TEST_P(VersionedStoreTest, TheIdentityIsWrittenOnce) {
  TestStore store(GetParam(), {});
  const StoreIdentity identity = TestIdentity();
  ASSERT_TRUE(store.get()->Create(identity));
  store.Reopen();
  ASSERT_TRUE(store.get()->identity());
  EXPECT_EQ(store.get()->identity()->query_id, identity.query_id);
  EXPECT_EQ(store.get()->identity()->fingerprint, identity.fingerprint);
  EXPECT_EQ(store.get()->identity()->sides, identity.sides);
  EXPECT_EQ(store.get()->Create(identity).error().code, ErrorCode::kConflict);
}

TEST_P(VersionedStoreTest, AVersionIsReadAsItWasCommitted) {
  Open(2);
  Commit(Added(Rows(1, 3, 10)));
  SideDelta matched;
  matched.matched = {Id(3)};
  Commit(matched, 11);
  SideDelta removed;
  removed.removed = {Id(2)};
  Commit(removed, 11);

  EXPECT_EQ(store()->ReadSide(0, 0, nullptr).error().code, ErrorCode::kNotFound);
  const std::vector<TestRow> before = ReadRows(store(), 1, 0);
  ASSERT_THAT(before, SizeIs(2));
  EXPECT_EQ(before[0].id, Id(2));
  EXPECT_FALSE(before[0].matched);
  EXPECT_TRUE(before[1].matched);
  EXPECT_EQ(before[1].text, "text of row 2");
  EXPECT_THAT(ReadIds(store(), 2, 0), ElementsAre(Id(3)));
  EXPECT_THAT(ReadRows(store(), 2, 1), IsEmpty());
}

TEST_P(VersionedStoreTest, RowsAtTheThresholdLiveAndNullTimesNeverDie) {
  Open();
  std::vector<TestRow> rows(3);
  for (size_t i = 0; i < 3; ++i) rows[i].id = Id(i + 1);
  rows[0].time = 19;
  rows[1].time = 20;
  Commit(Added(MakeRun(rows)), 20);
  EXPECT_THAT(ReadIds(store(), 0, 0), ElementsAre(Id(2), Id(3)));
  for (int i = 0; i < 20; ++i) Commit({}, 1'000'000);
  Reopen();
  EXPECT_THAT(ReadIds(store(), 20, 0), ElementsAre(Id(3)));
}

TEST_P(VersionedStoreTest, AFinishedVersionHasNoRows) {
  Open(1);
  Commit(Added(Rows(1, 3, 10)));
  BatchCommit last;
  last.batch_id = 1;
  last.finished = true;
  ASSERT_TRUE(store()->Commit(last, {}, nullptr));
  EXPECT_THAT(ReadIds(store(), 1, 0), IsEmpty());
  EXPECT_EQ(store()->counters().chunks, 0);
  last.batch_id = 2;
  EXPECT_EQ(store()->Commit(last, {}, nullptr).error().code, ErrorCode::kInternal);
}

TEST_P(VersionedStoreTest, CommitsKeepAllTheirFields) {
  Open(3);
  BatchCommit commit;
  commit.batch_id = 7;
  commit.no_data = true;
  commit.watermark = Watermark{-5};
  commit.next_watermark = Watermark::Infinity();
  commit.tables = {{"impressions", EventTime{12}, Watermark{-3}}, {"clicks", {}, {}}};
  commit.thresholds[1] = EventTime{INT64_MIN};
  commit.num_state_rows = {4, 5};
  commit.extension = std::string("\0bytes of a mode\xff", 17);
  commit.source_ends_table = {"impressions", "clicks"};
  commit.source_ends = {std::string("\0\xff offset", 9), ""};
  ASSERT_TRUE(store()->Commit(commit, {}, nullptr));
  Reopen();
  const BatchCommit read = (*store()->LatestVersion())->commit;
  EXPECT_EQ(read.batch_id, 7);
  EXPECT_TRUE(read.no_data);
  EXPECT_FALSE(read.finished);
  EXPECT_EQ(read.watermark, commit.watermark);
  EXPECT_EQ(read.next_watermark, commit.next_watermark);
  EXPECT_EQ(read.tables, commit.tables);
  EXPECT_EQ(read.thresholds[0], std::nullopt);
  EXPECT_EQ(read.thresholds[1], commit.thresholds[1]);
  EXPECT_THAT(read.num_state_rows, ElementsAre(4, 5));
  EXPECT_EQ(read.source_ends_table, commit.source_ends_table);
  EXPECT_EQ(read.source_ends, commit.source_ends);
  EXPECT_EQ(read.extension, commit.extension);
}

TEST_P(VersionedStoreTest, TheSidesOfManyJoinsAreKeptApart) {
  store_ = std::make_unique<TestStore>(GetParam(), StoreOptions{2});
  StoreIdentity identity;
  for (int side = 0; side < kSidesMax; ++side) {
    identity.sides.push_back(TestLayout("side " + std::to_string(side), true));
  }
  ASSERT_TRUE(store()->Create(identity));
  std::vector<SideDelta> deltas;
  for (uint8_t side = 0; side < kSidesMax; ++side) {
    SideDelta& delta = deltas.emplace_back(Added(Rows(1, 3, side)));
    delta.side = side;
    delta.timers = {{side, {}, side}};
    delta.counts = {{Id(1), side + 1}};
  }
  BatchCommit commit;
  commit.thresholds.resize(kSidesMax);
  commit.num_state_rows.assign(kSidesMax, 3);
  ASSERT_TRUE(store()->Commit(commit, deltas, nullptr));
  commit.batch_id = 1;
  commit.thresholds[63] = EventTime{65};
  commit.num_state_rows[63] = 1;
  SideDelta removed;
  removed.side = 62;
  removed.removed = {Id(2)};
  ASSERT_TRUE(store()->Commit(commit, std::span(&removed, 1), nullptr));
  Reopen();
  store_->CheckInvariants();

  EXPECT_EQ(store()->identity()->sides, identity.sides);
  EXPECT_EQ((*store()->LatestVersion())->commit.thresholds, commit.thresholds);
  EXPECT_EQ((*store()->LatestVersion())->commit.num_state_rows, commit.num_state_rows);
  for (uint8_t side = 0; side < 62; ++side) {
    SCOPED_TRACE(int{side});
    EXPECT_THAT(ReadIds(store(), 1, side), ElementsAre(Id(1), Id(2), Id(3)));
    EXPECT_EQ(ReadRows(store(), 1, side)[0].time, side);
    EXPECT_EQ(store()->ReadTimers(1, side)->at(0).time_ms, side);
    EXPECT_EQ(store()->ReadCounts(1, side)->at(0).count, side + 1);
  }
  EXPECT_THAT(ReadIds(store(), 1, 62), ElementsAre(Id(1), Id(3)));
  EXPECT_THAT(ReadIds(store(), 1, 63), ElementsAre(Id(3)));
  EXPECT_THAT(ReadIds(store(), 0, 63), SizeIs(3));

  commit.batch_id = 2;
  commit.thresholds[63] = EventTime{64};
  EXPECT_EQ(store()->Commit(commit, {}, nullptr).error().code, ErrorCode::kInternal);
}

TEST_P(VersionedStoreTest, MoreSidesThanAStoreHoldsAreRefused) {
  const TestStore store(GetParam(), {});
  StoreIdentity identity;
  identity.sides.assign(kSidesMax + 1, TestLayout("side", true));
  const Status created = store.get()->Create(identity);
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().message, HasSubstr("at most 64 sides"));
}

TEST_P(VersionedStoreTest, APlanIsPendingUntilItsBatchIsCommitted) {
  Open();
  BatchPlan plan;
  plan.batch_id = 0;
  plan.flush = true;
  plan.watermark = Watermark{10};
  plan.processing_time = {99};
  plan.extension = std::string("a\0b", 3);
  plan.sources = {{"clicks", "", "file 1", std::string("raw\0line\n", 9)}};
  ASSERT_TRUE(store()->WritePlan(plan));
  Reopen();
  EXPECT_EQ(*store()->PendingPlan(), plan);

  BatchPlan next = plan;
  next.batch_id = 1;
  next.sources[0].replay.clear();
  BatchCommit commit;
  ASSERT_TRUE(store()->Commit(commit, {}, &next));
  Reopen();
  EXPECT_EQ(*store()->PendingPlan(), next);
  commit.batch_id = 1;
  ASSERT_TRUE(store()->Commit(commit, {}, nullptr));
  Reopen();
  EXPECT_EQ(*store()->PendingPlan(), std::nullopt);
}

TEST_P(VersionedStoreTest, OnlyRetainedVersionsAreLeft) {
  Open(3);
  for (int i = 0; i < 5; ++i) Commit({});
  Reopen();
  std::vector<int64_t> versions;
  const std::vector<VersionInfo> infos = *store()->Versions();
  for (const VersionInfo& info : infos) versions.push_back(info.version);
  EXPECT_THAT(versions, ElementsAre(2, 3, 4));
  EXPECT_EQ((*store()->LatestVersion())->version, 4);
}

TEST_P(VersionedStoreTest, CommitsThatContradictTheStoreAreRefused) {
  Open();
  Commit(Added(Rows(5, 3, 10)), 10);
  BatchCommit next;
  next.batch_id = 1;
  next.thresholds[0] = EventTime{10};
  const auto refused = [&](const BatchCommit& commit, const SideDelta& delta) {
    const Status status = store()->Commit(commit, std::span(&delta, 1), nullptr);
    return !status && status.error().code == ErrorCode::kInternal;
  };
  BatchCommit again = next;
  again.batch_id = 0;
  EXPECT_TRUE(refused(again, {}));
  BatchCommit lower = next;
  lower.thresholds[0] = EventTime{9};
  EXPECT_TRUE(refused(lower, {}));
  lower.thresholds[0].reset();
  EXPECT_TRUE(refused(lower, {}));
  BatchCommit wider = next;
  wider.thresholds.resize(3);
  EXPECT_TRUE(refused(wider, {}));
  wider = next;
  wider.num_state_rows.resize(4);
  EXPECT_TRUE(refused(wider, {}));
  EXPECT_TRUE(refused(next, Added(Rows(7, 1, 10))));  // An id that is stored already.
  SideDelta twice = Added(Rows(20, 4, 10));
  twice.rows.push_back(Rows(23, 1, 10));
  EXPECT_TRUE(refused(next, twice));
  SideDelta third;
  third.side = 2;
  EXPECT_TRUE(refused(next, third));
  StateRows without_words = Rows(9, 2, 10);
  without_words.words.clear();
  EXPECT_TRUE(refused(next, Added(without_words)));
  StateRows without_time = Rows(9, 2, 10);
  without_time.times.reset();
  EXPECT_TRUE(refused(next, Added(without_time)));
  StateRows with_fewer_columns = Rows(9, 2, 10);
  with_fewer_columns.payload.pop_back();
  EXPECT_TRUE(refused(next, Added(with_fewer_columns)));
  SideDelta falling;
  falling.matched = {Id(6), Id(5)};
  EXPECT_TRUE(refused(next, falling));

  next_version_ = 1;
  Commit(Added(Rows(8, 1, 10)), 10);
  EXPECT_THAT(ReadIds(store(), 1, 0), ElementsAre(Id(5), Id(6), Id(7), Id(8)));
}

SideLayout Adapted(const StoreIdentity& identity, std::vector<Field> payload) {
  SideLayout layout = identity.sides[0];
  layout.payload.fields = std::move(payload);
  return layout;
}

// Number and text of the test's rows: the text alone, then the key word beside it.
TEST_P(VersionedStoreTest, RowsOfEarlierLayoutsComeInTheCurrentOne) {
  Open(/*retain_versions=*/1);
  StoreIdentity identity = *store()->identity();
  const std::vector<SideLayout> others(identity.sides.begin() + 1, identity.sides.end());
  const auto adapt = [&](const SideLayout& layout, const std::vector<uint16_t>& kept) {
    std::vector<SideLayout> sides = {layout};
    std::vector<std::vector<uint16_t>> all_kept = {kept};
    for (const SideLayout& other : others) {
      sides.push_back(other);
      all_kept.push_back({0, 1});
    }
    return store()->Adapt("adapted", sides, all_kept, {{"out", "table o", 7}});
  };
  uint32_t lineage = *store()->NextLineage();
  Commit(Added(Rows(1, 3, 10, lineage)));
  const Field text = identity.sides[0].payload.fields[1];
  EXPECT_FALSE(adapt(Adapted(identity, {{"number", DataType::Double()}}), {0}));
  EXPECT_FALSE(adapt(Adapted(identity, {text}), {7}));
  EXPECT_EQ(store()->identity()->fingerprint, identity.fingerprint);
  ASSERT_TRUE(adapt(Adapted(identity, {text}), {1}));
  // Not durable before something is written.
  if (store_->can_reopen()) {
    Reopen();
    EXPECT_EQ(store()->identity()->fingerprint, identity.fingerprint);
    ASSERT_TRUE(adapt(Adapted(identity, {text}), {1}));
  }
  const auto texts = [&](int64_t version, size_t column) {
    std::vector<std::string> found;
    EXPECT_TRUE(store()->ReadSide(version, 0, [&](StateRows rows) -> Status {
      for (int64_t row = 0; row < rows.num_rows; ++row) {
        found.emplace_back(rows.payload[column].String(row));
      }
      return {};
    }));
    return found;
  };
  EXPECT_THAT(texts(0, 0), ElementsAre("text of row 0", "text of row 1", "text of row 2"));
  EXPECT_TRUE(store()->WritePlan({}));
  Reopen();
  EXPECT_EQ(store()->identity()->fingerprint, "adapted");
  EXPECT_THAT(store()->identity()->former_outputs, ElementsAre(FormerOutput{"out", "table o", 7}));

  // New rows are stored beside the old ones, which are rewritten in time.
  lineage = *store()->NextLineage();
  for (int64_t version = 1; version < 40; ++version) {
    StateRows rows = Rows(static_cast<uint64_t>(10 * version), 2, 100 + version, lineage);
    rows.payload.erase(rows.payload.begin());
    Commit(Added(std::move(rows)));
  }
  Reopen();
  EXPECT_THAT(texts(39, 0), SizeIs(3 + 2 * 39));
  EXPECT_EQ(texts(39, 0)[2], "text of row 2");
  EXPECT_EQ(texts(39, 0)[4], "text of row 1");
  SideLayout with_word = Adapted(identity, {{"word", DataType::BigInt()}, text});
  EXPECT_FALSE(adapt(with_word, {kKeyWordColumn, 0}));  // Nobody knows what the words are.
}

TEST_P(VersionedStoreTest, LineagesAreDurableWithACommit) {
  Open();
  EXPECT_EQ(*store()->NextLineage(), 0U);
  EXPECT_EQ(*store()->NextLineage(), 1U);
  Commit({});
  EXPECT_EQ(*store()->NextLineage(), 2U);
  Reopen();
  EXPECT_EQ(*store()->NextLineage(), store_->can_reopen() ? 2U : 3U);
}

TEST_P(VersionedStoreTest, RowsOfALineageOfAnEarlierStartAreRefused) {
  Open();
  const uint32_t lineage = *store()->NextLineage();
  Commit(Added(Rows(1, 3, 10, lineage)));
  Reopen();
  const SideDelta delta = Added(Rows(4, 3, 10, lineage));
  BatchCommit commit;
  commit.batch_id = 1;
  EXPECT_EQ(store()->Commit(commit, std::span(&delta, 1), nullptr).has_value(),
            !store_->can_reopen());
}

TEST_P(VersionedStoreTest, TheConsumersErrorEndsTheReading) {
  Open();
  Commit(Added(Rows(1, 3, 10)));
  const Status status = store()->ReadSide(
      0, 0, [](StateRows) -> Status { return Fail(ErrorCode::kCancelled, "enough"); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
}

TEST_P(VersionedStoreTest, DeadChunksAreDeletedOnceNoVersionNeedsThem) {
  Open(3);
  for (int64_t i = 0; i < 50; ++i) {
    const int64_t now = i * 1'000;
    Commit(Added(Rows(static_cast<uint64_t>(i) * 1'500 + 1, 1'500, now)), now - 2'000);
  }
  // Two batches of rows are alive, and three versions retained.
  EXPECT_LE(store()->counters().chunks, 6);
  // After nothing has come for a while, all that is left can go.
  for (int64_t i = 50; i < 55; ++i) Commit({}, i * 1'000'000);
  EXPECT_EQ(store()->counters().chunks, 0);
}

TEST_P(VersionedStoreTest, TinyBatchesDoNotLeaveAChunkEach) {
  Open(2);
  for (uint64_t i = 0; i < 400; ++i) Commit(Added(Rows(3 * i + 1, 3, 0)));
  EXPECT_LE(store()->counters().chunks, 40);
  EXPECT_THAT(ReadIds(store(), 399, 0), SizeIs(1'200));
  Reopen();
  EXPECT_THAT(ReadIds(store(), 398, 0), SizeIs(1'197));
}

TEST_P(VersionedStoreTest, ManyRestartsWithFewRowsDoNotLeaveAChunkEach) {
  Open(2);
  for (int i = 0; i < 100; ++i) {
    const uint32_t lineage = *store()->NextLineage();
    Commit(Added(Rows(1, 2, 0, lineage)));
    Reopen();
  }
  EXPECT_THAT(ReadIds(store(), 99, 0), SizeIs(200));
  if (store_->can_reopen()) {
    EXPECT_LE(store()->counters().chunks, 20);
  }
}

TEST_P(VersionedStoreTest, OneRowFarInTheFutureDoesNotPinItsChunk) {
  Open(2);
  std::vector<TestRow> rows(2'000);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = Id(i + 1);
    rows[i].time = static_cast<int64_t>(i);
    rows[i].text = std::string(50, 'x');
  }
  rows[1'000].time = 1'000'000'000;
  rows[1'001].time.reset();
  Commit(Added(MakeRun(rows)));
  const size_t bytes = store_->record_bytes();
  for (int64_t i = 1; i < 6; ++i) Commit({}, 100'000 * i);
  EXPECT_LT(store_->record_bytes(), bytes / 10);
  EXPECT_THAT(ReadIds(store(), 5, 0), ElementsAre(Id(1'001), Id(1'002)));
}

TEST_P(VersionedStoreTest, RemovedRowsGiveTheirSpaceBack) {
  Open(2, /*has_time=*/false);
  Commit(Added(Rows(1, 3'000, 0)));
  for (uint64_t i = 0; i < 30; ++i) {
    SideDelta delta;
    for (uint64_t row = 0; row < 100; ++row) delta.removed.push_back(Id(1 + 30 * row + i));
    Commit(delta);
    if (i == 20) {
      EXPECT_THAT(ReadIds(store(), 21, 0), SizeIs(900));
      EXPECT_THAT(ReadIds(store(), 20, 0), SizeIs(1'000));
    }
  }
  for (int i = 0; i < 5; ++i) Commit({});
  EXPECT_EQ(store()->counters().chunks, 0);
  EXPECT_THAT(store_->record_counts(),
              UnorderedElementsAre(testing::Pair('I', 1), testing::Pair('V', 2)));
}

TEST_P(VersionedStoreTest, MarksDoNotGrowForEver) {
  Open(2);
  for (uint64_t i = 0; i < 600; ++i) {
    SideDelta delta = Added(Rows(10 * i + 1, 10, static_cast<int64_t>(i) * 10));
    for (uint64_t row = 0; i > 5 && row < 10; row += 2)
      delta.matched.push_back(Id(10 * (i - 5) + 1 + row));
    Commit(delta, static_cast<int64_t>(i) * 10 - 200);
  }
  EXPECT_LE(store_->record_counts()['L'], 40);
  EXPECT_LE(store_->record_bytes(), 30'000U);
  const std::vector<TestRow> rows = ReadRows(store(), 599, 0);
  ASSERT_THAT(rows, SizeIs(210));
  int matched = 0;
  for (const TestRow& row : rows) matched += row.matched ? 1 : 0;
  EXPECT_EQ(matched, 80);
}

TEST_P(VersionedStoreTest, ManyMarksAtOnceHold) {
  Open(2);
  constexpr uint64_t kRows = 40'000;
  Commit(Added(Rows(1, kRows, 0)));
  for (uint64_t parity = 0; parity < 2; ++parity) {
    SideDelta delta;
    for (uint64_t row = parity; row < kRows; row += 2) delta.matched.push_back(Id(1 + row));
    Commit(delta);
  }
  for (uint64_t i = 0; i < 20; ++i) {
    SideDelta delta = Added(Rows(kRows + 1 + i, 1, 0));
    if (i > 0) delta.matched.push_back(Id(kRows + i));
    Commit(delta);
  }
  Reopen();
  const std::vector<TestRow> rows = ReadRows(store(), 22, 0);
  ASSERT_THAT(rows, SizeIs(kRows + 20));
  size_t matched = 0;
  for (const TestRow& row : rows) matched += row.matched ? 1 : 0;
  EXPECT_EQ(matched, kRows + 19);
}

TEST_P(VersionedStoreTest, OverwrittenTimersAndCountsDoNotGrowForEver) {
  Open(2);
  Commit(Added(Rows(1, 50, 0)));
  for (int64_t i = 1; i < 600; ++i) {
    SideDelta delta;
    delta.timers.push_back({static_cast<uint64_t>(i % 20), {'k'}, i});
    delta.timers.push_back({static_cast<uint64_t>(1'000 + i), {}, i});
    if (i > 10) delta.timers.push_back({static_cast<uint64_t>(990 + i), {}, std::nullopt});
    delta.counts.push_back({Id(static_cast<uint64_t>(1 + i % 50)), i % 3});
    Commit(delta);
  }
  EXPECT_LE(store_->record_counts()['L'], 80);
  EXPECT_LE(store_->record_bytes(), 30'000U);
  EXPECT_THAT(*store()->ReadTimers(599, 0), SizeIs(30));
  Reopen();
  const std::vector<TimerChange> timers = *store()->ReadTimers(598, 0);
  ASSERT_THAT(timers, SizeIs(30));
  EXPECT_EQ(timers[5].word, 5U);
  EXPECT_EQ(timers[5].key, std::vector<uint8_t>{'k'});
  EXPECT_EQ(timers[5].time_ms, 585);
  EXPECT_EQ(timers[29].word, 1'598U);
}

TEST_P(VersionedStoreTest, EachRowIsRewrittenSeldom) {
  Open(2);
  int64_t payload = 0;
  for (uint64_t i = 0; i < 2'000; ++i) {
    StateRows rows = Rows(5 * i + 1, 5, 0);
    for (const Column& column : rows.payload) payload += column.byte_size();
    Commit(Added(std::move(rows)));
  }
  // A tiny chunk is mostly overhead; rewriting comes on top at most three times.
  EXPECT_LE(store()->counters().bytes_written, 20 * payload);
  EXPECT_LE(store()->counters().chunks, 60);
}

TEST_P(VersionedStoreTest, LargeBatchesAndLongStringsAreCutIntoChunks) {
  Open();
  Commit(Added(Rows(1, 40'000, 0)));
  EXPECT_EQ(store()->counters().chunks, 3);
  std::vector<TestRow> rows(3);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].id = Id(100'000 + i);
    rows[i].text = std::string(3 << 20, static_cast<char>('a' + i));
  }
  Commit(Added(MakeRun(rows)));
  EXPECT_EQ(store()->counters().chunks, 6);
  Reopen();
  const std::vector<TestRow> read = ReadRows(store(), 1, 0);
  ASSERT_THAT(read, SizeIs(40'003));
  EXPECT_EQ(read[40'002].text, rows[2].text);
  EXPECT_EQ(read[17'000].number, 17'000);
}

// The records of `store` in a storage of their own; `change` may alter or leave out (empty) one.
std::unique_ptr<RecordStorage> CopyRecords(
    VersionedStore* store,
    const std::function<std::string(std::string_view, std::string_view)>& change) {
  auto copy = std::make_unique<MemoryStorage>();
  dynamic_cast<RecordStore*>(store)->VisitRecords(
      [&](std::string_view key, std::string_view record) {
        const std::string changed = change(key, record);
        if (!changed.empty()) copy->Put(key, changed);
      });
  EXPECT_TRUE(copy->Write().has_value());
  return copy;
}

TEST_P(VersionedStoreTest, RecordsThatAreMissingOrDamagedAreNamed) {
  Open(2);
  Commit(Added(Rows(1, 5, 0)));
  SideDelta second = Added(Rows(6, 5, 0));
  second.matched = {Id(1)};
  Commit(second);
  struct Case {
    char tag;
    bool missing;
    const char* message;
  };
  const Case cases[] = {
      {'I', true, "identity: it is missing"},
      {'I', false, "identity: the checksum is"},
      {'V', true, "are missing"},
      {'V', false, "commit of version 0: the checksum is"},
      {'H', true, "are missing"},
      {'H', false, "head of the chunk of side 0, version 0, number 0: the checksum is"},
      {'L', true, "are missing"},
      {'L', false, "matched rows of side 0, version 1: the checksum is"},
      {'C', true, "chunk of side 0, version 0, number 0: it is missing"},
      {'C', false, "chunk of side 0, version 0, number 0: the checksum is"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(1, c.tag) + (c.missing ? " missing" : " damaged"));
    bool done = false;
    auto records = CopyRecords(store(), [&](std::string_view key, std::string_view record) {
      std::string copy(record);
      if (key[0] != c.tag || done) return copy;
      done = true;
      if (c.missing) return std::string();
      copy.back() = static_cast<char>(copy.back() ^ 4);
      return copy;
    });
    ASSERT_TRUE(done);
    auto opened = RecordStore::Open(std::move(records), {}, /*read_only=*/false);
    const Status status =
        opened ? (*opened)->ReadSide(1, 0, [](const StateRows&) -> Status { return {}; })
               : Status(tl::unexpected(opened.error()));
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(status.error().message, HasSubstr(c.message));
    EXPECT_THAT(status.error().message, HasSubstr("in memory"));
  }
}

TEST_P(VersionedStoreTest, RecordsWithUnknownTagsAreLeftAlone) {
  Open();
  Commit(Added(Rows(1, 5, 0)));
  auto records = CopyRecords(
      store(), [](std::string_view, std::string_view record) { return std::string(record); });
  records->Put("X of a later version", "something");
  ASSERT_TRUE(records->Write().has_value());
  auto opened = RecordStore::Open(std::move(records), {}, /*read_only=*/false);
  ASSERT_TRUE(opened.has_value());
  EXPECT_THAT(ReadIds(opened->get(), 0, 0), SizeIs(5));
}

TEST_P(VersionedStoreTest, ReadingErrorsNameTheStore) {
  Open();
  const Status status = store()->ReadSide(3, 0, nullptr);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("version 3"));
}

INSTANTIATE_TEST_SUITE_P(Both, VersionedStoreTest,
                         testing::Values(StoreKind::kMemory, StoreKind::kLevelDb),
                         [](const auto& kind) { return StoreKindName(kind.param); });

}  // namespace
}  // namespace braid
