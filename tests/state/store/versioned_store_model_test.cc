// Random commits: after each of them every retained version must read as the model says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/state/store/model_store.h"
#include "tests/state/store/test_rows.h"
#include "tests/state/store/test_store.h"

namespace braid {
namespace {

// What a run is like. Probabilities in percent.
struct Profile {
  const char* name;
  int commits = 100;
  int retain_versions = 3;
  int rows_max = 20;  // A run.
  bool has_time = true;
  int64_t window = 0;       // Rows live that long; 0: no threshold ever.
  int threshold_moves = 0;  // Else it stays.
  int null_time = 0;
  int far_future = 0;
  int matched = 0;  // Of the live rows, each commit.
  int removed = 0;
  int timers = 0;
  int reopen = 0;  // Each commit; with other lineages afterwards.
};

constexpr Profile kProfiles[] = {
    {.name = "InnerJoinWithoutBounds", .rows_max = 5, .reopen = 4},
    {.name = "InnerJoinWindow",
     .rows_max = 40,
     .window = 5'000,
     .threshold_moves = 70,
     .null_time = 1},
    {.name = "OuterJoinWithOutliers",
     .commits = 120,
     .retain_versions = 5,
     .rows_max = 25,
     .window = 6'000,
     .threshold_moves = 60,
     .null_time = 1,
     .far_future = 1,
     .matched = 10,
     .reopen = 3},
    {.name = "SemiJoin",
     .commits = 120,
     .rows_max = 25,
     .window = 15'000,
     .threshold_moves = 50,
     .far_future = 2,
     .removed = 20,
     .reopen = 3},
    {.name = "PerRecordWithTimers",
     .commits = 100,
     .rows_max = 12,
     .has_time = false,
     .matched = 5,
     .removed = 8,
     .timers = 50,
     .reopen = 3},
    {.name = "OnlyTheNewestVersion",
     .commits = 100,
     .retain_versions = 1,
     .rows_max = 30,
     .window = 3'000,
     .threshold_moves = 80,
     .matched = 20,
     .removed = 5,
     .reopen = 5},
};

void PrintTo(const Profile& profile, std::ostream* stream) { *stream << profile.name; }

class RandomRun {
 public:
  RandomRun(const Profile& profile, StoreKind kind, uint32_t seed)
      : profile_(profile),
        random_(seed),
        store_(kind, {profile.retain_versions}),
        model_(profile.retain_versions) {
    EXPECT_TRUE(store_.get()->Create(TestIdentity(profile.has_time)));
    TakeLineages();
  }

  void Step() {
    if (Chance(profile_.reopen) && store_.can_reopen()) {
      store_.Reopen();
      TakeLineages();
    }
    BatchCommit commit;
    commit.batch_id = version_++;
    now_ += Number(1'000);
    std::vector<SideDelta> deltas;
    for (uint8_t side = 0; side < 2; ++side) {
      if (profile_.window > 0 && Chance(profile_.threshold_moves)) {
        thresholds_[side] = EventTime{now_ - profile_.window};
      }
      commit.thresholds[side] = thresholds_[side];
      AddDeltas(side, &deltas);
    }
    const Status status = store_.get()->Commit(commit, deltas, nullptr);
    ASSERT_TRUE(status.has_value()) << status.error().ToString();
    model_.Commit(commit, deltas);
    store_.CheckInvariants();
  }

  void Compare() {
    std::vector<int64_t> versions;
    const std::vector<VersionInfo> infos = *store_.get()->Versions();
    for (const VersionInfo& info : infos) versions.push_back(info.version);
    std::vector<int64_t> expected;
    for (const auto& [version, commit] : model_.versions()) expected.push_back(version);
    ASSERT_EQ(versions, expected);
    for (const int64_t version : versions) {
      for (uint8_t side = 0; side < 2; ++side) CompareSide(version, side);
    }
  }

  int64_t chunks() const { return store_.get()->counters().chunks; }

 private:
  struct Lineage {
    uint8_t side = 0;
    uint32_t number = 0;
    uint64_t next = 1;
  };

  int64_t Number(int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random_);
  }
  bool Chance(int percent) { return Number(100) < percent; }

  // As a run does: new numbers for one to three partitions a side.
  void TakeLineages() {
    lineages_.clear();
    const int64_t partitions = 1 + Number(3);
    for (int64_t i = 0; i < partitions; ++i) {
      for (uint8_t side = 0; side < 2; ++side) {
        lineages_.push_back({side, *store_.get()->NextLineage(), 1});
      }
    }
  }

  StateRows NewRows(Lineage* lineage) {
    std::vector<TestRow> rows(static_cast<size_t>(Number(profile_.rows_max)));
    for (TestRow& row : rows) {
      // Rows that died before the commit leave gaps.
      lineage->next += Chance(10) ? 3 : 1;
      row.id = MakePersistentId(lineage->number, lineage->next);
      row.word = static_cast<uint64_t>(Number(1'000'000));
      if (profile_.has_time && !Chance(profile_.null_time)) {
        row.time = Chance(profile_.far_future) ? now_ + 1'000'000 : now_ - Number(4'000);
      }
      if (!Chance(10)) row.number = Number(1'000'000) - 500'000;
      if (!Chance(10)) row.text = std::string(static_cast<size_t>(Number(20)), 'x');
      row.linkable = !Chance(5);
      row.matched = Chance(profile_.matched);
    }
    return MakeRun(rows, profile_.has_time);
  }

  void AddDeltas(uint8_t side, std::vector<SideDelta>* deltas) {
    std::vector<TestRow> live;
    if (!model_.versions().empty()) live = model_.Rows(model_.versions().rbegin()->first, side);
    for (Lineage& lineage : lineages_) {
      if (lineage.side != side) continue;
      SideDelta& delta = deltas->emplace_back();
      delta.side = side;
      delta.rows.push_back(NewRows(&lineage));
      if (Chance(30)) delta.rows.push_back(NewRows(&lineage));
    }
    // The rows of a side belong to its partitions in any way.
    for (const TestRow& row : live) {
      SideDelta& delta =
          (*deltas)[deltas->size() - 1 - static_cast<size_t>(Number(std::ssize(lineages_) / 2))];
      if (Chance(profile_.matched)) delta.matched.push_back(row.id);
      if (Chance(profile_.removed)) delta.removed.push_back(row.id);
      if (Chance(profile_.timers / 5)) delta.counts.push_back({row.id, Number(3)});
    }
    for (int i = 0; i < 5; ++i) {
      if (!Chance(profile_.timers)) continue;
      TimerChange& timer = deltas->back().timers.emplace_back();
      timer.word = static_cast<uint64_t>(Number(30));
      if (Chance(50)) timer.key.assign(static_cast<size_t>(Number(3)), 7);
      if (!Chance(30)) timer.time_ms = Number(1'000'000) - 500'000;
    }
  }

  void CompareSide(int64_t version, uint8_t side) {
    const std::vector<TestRow> rows = ReadRows(store_.get(), version, side);
    const std::vector<TestRow> expected_rows = model_.Rows(version, side);
    const auto [row, expected_row] =
        std::mismatch(rows.begin(), rows.end(), expected_rows.begin(), expected_rows.end());
    ASSERT_TRUE(row == rows.end() && expected_row == expected_rows.end())
        << "version " << version << ", row " << row - rows.begin() << ": "
        << (row == rows.end() ? TestRow() : *row) << " instead of "
        << (expected_row == expected_rows.end() ? TestRow() : *expected_row);
    if (profile_.timers == 0) return;
    std::map<ModelStore::TimerKey, int64_t> timers;
    const std::vector<TimerChange> read_timers = *store_.get()->ReadTimers(version, side);
    for (const TimerChange& timer : read_timers) {
      ASSERT_TRUE(timer.time_ms.has_value());
      timers[{timer.word, timer.key}] = *timer.time_ms;
    }
    ASSERT_EQ(timers, model_.Timers(version, side)) << "version " << version;
    // Counts of rows that are gone may be there or not.
    std::map<PersistentId, int64_t> counts;
    const std::vector<CountChange> read_counts = *store_.get()->ReadCounts(version, side);
    for (const CountChange& count : read_counts) counts[count.id] = count.count;
    std::map<PersistentId, int64_t> expected = model_.Counts(version, side);
    for (const TestRow& counted : rows) {
      ASSERT_EQ(counts[counted.id], expected[counted.id]) << counted << " of version " << version;
    }
  }

  const Profile profile_;
  std::mt19937 random_;
  TestStore store_;
  ModelStore model_;
  std::vector<Lineage> lineages_;
  int64_t version_ = 0;
  int64_t now_ = 0;
  std::optional<EventTime> thresholds_[2];
};

class VersionedStoreModelTest : public testing::TestWithParam<std::tuple<StoreKind, Profile>> {};

TEST_P(VersionedStoreModelTest, EveryRetainedVersionReadsAsTheModelSays) {
  const auto& [kind, profile] = GetParam();
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    RandomRun run(profile, kind, seed);
    for (int commit = 0; commit < profile.commits && !HasFatalFailure(); ++commit) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", commit " << commit);
      ASSERT_NO_FATAL_FAILURE(run.Step());
      ASSERT_NO_FATAL_FAILURE(run.Compare());
    }
    EXPECT_LT(run.chunks(), 200);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, VersionedStoreModelTest,
                         testing::Combine(testing::Values(StoreKind::kMemory, StoreKind::kLevelDb),
                                          testing::ValuesIn(kProfiles)),
                         [](const auto& param) {
                           return StoreKindName(std::get<0>(param.param)) +
                                  std::get<1>(param.param).name;
                         });

}  // namespace
}  // namespace braid
