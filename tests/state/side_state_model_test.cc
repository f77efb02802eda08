// Random operations on a SideState against a plain vector that is searched from end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/state/side_rows.h"

namespace braid {
namespace {

struct ModelRow {
  SideRow row;
  bool matched = false;
};

struct Variant {
  std::string name;
  bool has_time = true;
  uint8_t precision = 3;
  bool track_matches = true;
  KeyWordKind key_kind = KeyWordKind::kExact;
  int chunk_bits = 5;
  bool odd_times = false;  // Times between two steps of the unit, and very far ones.
  bool near_end_of_ids = false;
  int num_keys = 20;
  double removals = 0.1;  // How many of the rows a removal takes.
  size_t matches_max = 100;
  int64_t budget_bytes = -1;  // Below 0: none.
};

// A SideState, what should be in it, and what a store would have made of its deltas.
class Machine {
 public:
  Machine(const Variant& variant, uint64_t seed) : variant_(variant), random_(seed) {
    if (variant.budget_bytes >= 0) {
      budget_ = std::make_shared<StateBudget>(variant.budget_bytes, testing::TempDir());
    }
    state_ = std::make_unique<SideState>(Options());
  }

  void Step() {
    switch (Pick(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        Append();
        break;
      case 4:
      case 5:
      case 6:
        Probe();
        break;
      case 7:
        Mark();
        break;
      case 8:
        Remove();
        break;
      case 9:
        if (Pick(12) == 0) {
          EvictAll();
        } else {
          Evict();
        }
        break;
      case 10:
        state_->ReleaseEvicted();
        break;
      default:
        TakeDelta();
        if (Pick(3) == 0) Restart();
        break;
    }
    state_->CheckInvariants();
    CheckRows();
    EXPECT_TRUE(state_->spill_status());
    spilled_bytes_seen_ += state_->spilled_bytes();
  }

  void Finish() {
    EvictAll();
    state_->ReleaseEvicted();
    state_->CheckInvariants();
    CheckRows();
    EXPECT_LT(state_->memory_bytes(), 16 << 10);
    EXPECT_EQ(state_->spilled_bytes(), 0);
    if (budget_ == nullptr) return;
    EXPECT_EQ(budget_->used_bytes(), 0);
    EXPECT_GT(spilled_bytes_seen_, 0);
  }

  int64_t hot_keys_seen() const { return hot_keys_seen_; }

 private:
  SideStateOptions Options() {
    SideStateOptions options;
    options.key_kind = variant_.key_kind;
    options.has_time = variant_.has_time;
    options.time_precision = variant_.precision;
    options.track_matches = variant_.track_matches;
    options.payload = SidePayloadTypes();
    options.lineage = ++lineage_;
    options.limits.chunk_bits = variant_.chunk_bits;
    options.limits.matches_max = variant_.matches_max;
    options.limits.string_bytes_max = 700;
    options.budget = budget_;
    if (variant_.near_end_of_ids) {
      const uint32_t last = (0xffffffffU >> variant_.chunk_bits) - 2;
      options.limits.first_chunk = last - static_cast<uint32_t>(Pick(20));
    }
    return options;
  }

  int64_t Pick(int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random_);
  }

  int64_t Unit() const {
    return variant_.precision == 0 ? 1'000'000 : variant_.precision <= 3 ? 1'000 : 1;
  }

  std::optional<int64_t> RandomTime() {
    if (!variant_.has_time || Pick(30) == 0) return std::nullopt;
    if (variant_.odd_times && Pick(20) == 0) {
      constexpr int64_t kFar[] = {std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int64_t>::max(), 0, int64_t{1} << 52};
      return kFar[Pick(4)] / Unit() * Unit();
    }
    if (variant_.odd_times && Pick(20) == 0) return clock_ * Unit() + Pick(1'000'000);
    return (clock_ + Pick(60) - 30) * Unit();
  }

  SideRow RandomRow(int64_t serial) {
    SideRow row;
    if (Pick(25) != 0) {
      row.word = Pick(3) == 0 ? 7 : static_cast<uint64_t>(Pick(variant_.num_keys)) * 0x9e3779b9ULL;
    }
    row.time = RandomTime();
    row.serial = serial;
    return row;
  }

  void Append() {
    const int64_t count = Pick(40) == 0 ? 1'100 : 1 + Pick(60);
    std::vector<SideRow> rows;
    for (int64_t i = 0; i < count; ++i) {
      rows.push_back(RandomRow(next_serial_++));
      if (Pick(10) == 0) ++clock_;
    }
    const SideRows batch(rows);
    std::vector<int32_t> taken;
    const bool some = Pick(2) == 0;
    for (int32_t i = 0; i < count; ++i) {
      if (!some || Pick(4) != 0) taken.push_back(i);
    }
    if (Pick(8) == 0) std::shuffle(taken.begin(), taken.end(), random_);
    std::vector<uint8_t> matched;
    const bool flags = variant_.track_matches && Pick(2) == 0;
    for (const int32_t row : taken) {
      const bool flag = flags && Pick(2) == 0;
      if (flags) matched.push_back(flag ? 1 : 0);
      rows_[batch.row(row).serial] = {batch.row(row), flag};
    }
    state_->Append(batch.Some(taken), matched);
  }

  bool AreMatching(const SideRow& arriving, const SideRow& stored, std::optional<int64_t> lower,
                   std::optional<int64_t> upper) const {
    if (!arriving.word || !stored.word || *arriving.word != *stored.word) return false;
    if (!lower && !upper) return true;
    if (!arriving.time || !stored.time) return false;
    if (lower && *stored.time < SaturatingAdd(*arriving.time, *lower)) return false;
    return !upper || *stored.time <= SaturatingAdd(*arriving.time, *upper);
  }

  void Probe() {
    std::vector<SideRow> rows;
    for (int64_t i = 1 + Pick(100); i > 0; --i) rows.push_back(RandomRow(0));
    const SideRows batch(rows);
    std::optional<int64_t> lower;
    std::optional<int64_t> upper;
    if (variant_.has_time) {
      if (Pick(3) != 0) lower = (Pick(40) - 20) * Unit();
      if (Pick(3) != 0) upper = lower.value_or(-Unit()) + (Pick(20) - 1) * Unit();
    }
    std::vector<std::pair<int32_t, int64_t>> expected;
    for (int32_t i = 0; i < static_cast<int32_t>(rows.size()); ++i) {
      for (const auto& [serial, model] : rows_) {
        if (AreMatching(batch.row(i), model.row, lower, upper)) expected.emplace_back(i, serial);
      }
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(ProbeAll(state_.get(), batch.All(), lower, upper), expected);
    hot_keys_seen_ += state_->num_hot_keys();
  }

  std::vector<RowId> RandomLiveRows(double share) {
    std::vector<RowId> rows;
    for (const RowId row : state_->LiveRows()) {
      if (static_cast<double>(Pick(1'000)) < share * 1'000) rows.push_back(row);
    }
    if (!rows.empty()) rows.push_back(rows[static_cast<size_t>(Pick(std::ssize(rows)))]);
    std::shuffle(rows.begin(), rows.end(), random_);
    return rows;
  }

  void Mark() {
    if (!variant_.track_matches) return;
    const std::vector<RowId> rows = RandomLiveRows(0.3);
    for (const int64_t serial : SerialsOf(*state_, rows)) rows_[serial].matched = true;
    state_->MarkMatched(rows);
  }

  void Remove() {
    const std::vector<RowId> rows = RandomLiveRows(Pick(10) == 0 ? 0.9 : variant_.removals);
    const std::vector<int64_t> serials = SerialsOf(*state_, rows);
    const int64_t distinct = static_cast<int64_t>(std::set<RowId>(rows.begin(), rows.end()).size());
    EXPECT_EQ(state_->Remove(rows), distinct);
    EXPECT_EQ(state_->Remove(rows), 0);
    for (const int64_t serial : serials) rows_.erase(serial);
  }

  void Evict() {
    if (!variant_.has_time) return;
    const int64_t threshold = std::max(threshold_.value_or(std::numeric_limits<int64_t>::min()),
                                       (clock_ - Pick(60)) * Unit());
    threshold_ = threshold;
    std::vector<int64_t> unmatched;
    int64_t removed = 0;
    for (auto row = rows_.begin(); row != rows_.end();) {
      if (!row->second.row.time || *row->second.row.time >= threshold) {
        ++row;
        continue;
      }
      ++removed;
      if (variant_.track_matches && !row->second.matched) unmatched.push_back(row->first);
      row = rows_.erase(row);
    }
    const EvictionResult result = state_->EvictBelow({threshold});
    EXPECT_EQ(result.removed, removed);
    EXPECT_THAT(SerialsOf(*state_, result.unmatched),
                testing::UnorderedElementsAreArray(unmatched));
    if (Pick(3) != 0) state_->ReleaseEvicted();
  }

  void EvictAll() {
    std::vector<int64_t> unmatched;
    for (const auto& [serial, model] : rows_) {
      if (variant_.track_matches && !model.matched) unmatched.push_back(serial);
    }
    const EvictionResult result = state_->EvictAll();
    EXPECT_EQ(result.removed, static_cast<int64_t>(rows_.size()));
    EXPECT_THAT(SerialsOf(*state_, result.unmatched),
                testing::UnorderedElementsAreArray(unmatched));
    rows_.clear();
    flushed_ = true;
  }

  bool IsBelowThreshold(const SideRow& row) const {
    return threshold_ && row.time && *row.time < *threshold_;
  }

  void TakeDelta() {
    const SideDelta delta = state_->TakeDelta();
    for (const PersistentId id : delta.matched) {
      ASSERT_TRUE(store_.contains(id)) << "a matched mark for a row of an earlier version";
      store_[id].matched = true;
    }
    for (const PersistentId id : delta.removed) {
      ASSERT_EQ(store_.erase(id), 1U) << "a removed mark for a row of an earlier version";
    }
    EXPECT_TRUE(std::is_sorted(delta.matched.begin(), delta.matched.end(), std::less_equal<>()));
    EXPECT_TRUE(std::is_sorted(delta.removed.begin(), delta.removed.end(), std::less_equal<>()));
    for (const StateRows& run : delta.rows) {
      for (int64_t row = 0; row < run.num_rows; ++row) {
        if (row > 0) {
          EXPECT_LT(run.IdAt(row - 1), run.IdAt(row));
        }
        EXPECT_TRUE(store_.emplace(run.IdAt(row), StoredRowAt(run, row)).second);
      }
    }
    // No threshold says that everything was evicted: after a flush nothing is stored any more.
    if (std::exchange(flushed_, false)) {
      std::erase_if(store_,
                    [&](const auto& item) { return !rows_.contains(item.second.row.serial); });
    }
    std::map<int64_t, StoredRow> expected;
    for (const auto& [serial, model] : rows_) {
      if (!IsBelowThreshold(model.row)) expected[serial] = {model.row, model.matched};
    }
    std::map<int64_t, StoredRow> actual;
    for (const auto& [id, stored] : store_) {
      if (!IsBelowThreshold(stored.row)) actual[stored.row.serial] = stored;
    }
    EXPECT_EQ(actual, expected);
  }

  // Goes on with a new object that is filled from the store.
  void Restart() {
    const auto is_below = [&](const auto& item) { return IsBelowThreshold(item.second.row); };
    std::erase_if(rows_, is_below);
    std::erase_if(store_, is_below);
    state_ = std::make_unique<SideState>(Options());
    std::vector<SideRow> rows;
    std::vector<PersistentId> ids;
    std::vector<uint8_t> matched;
    const auto flush = [&] {
      const SideRows batch(rows);
      StateRows run;
      run.ids = ids;
      run.num_rows = static_cast<int64_t>(rows.size());
      run.words = batch.All().keys->words;
      run.linkable = batch.All().keys->linkable;
      if (variant_.has_time) run.times = *batch.All().times;
      run.payload.assign(batch.All().payload.begin(), batch.All().payload.end());
      run.matched = matched;
      state_->Restore(run, batch.All().rows);
      rows.clear();
      ids.clear();
      matched.clear();
    };
    for (const auto& [id, stored] : store_) {
      rows.push_back(stored.row);
      ids.push_back(id);
      matched.push_back(stored.matched ? 1 : 0);
      if (Pick(50) == 0) flush();
    }
    if (!rows.empty()) flush();
    state_->RestoreThreshold(threshold_ ? std::optional(EventTime{*threshold_}) : std::nullopt);
    EXPECT_TRUE(state_->TakeDelta().empty());
  }

  void CheckRows() {
    EXPECT_EQ(state_->num_rows(), static_cast<int64_t>(rows_.size()));
    int64_t matched = 0;
    std::optional<int64_t> oldest;
    for (const auto& [serial, model] : rows_) {
      if (model.matched) ++matched;
      if (model.row.time) oldest = std::min(oldest.value_or(*model.row.time), *model.row.time);
    }
    if (variant_.track_matches) {
      EXPECT_EQ(state_->num_matched(), matched);
    }
    if (oldest) {
      EXPECT_LE(state_->oldest_time()->micros, *oldest);
    }
    const std::vector<RowId> live = state_->LiveRows();
    const std::vector<int64_t> serials = SerialsOf(*state_, live);
    ASSERT_EQ(serials.size(), rows_.size());
    std::optional<Column> times;
    if (variant_.has_time) times = state_->GatherTime(DataType::Timestamp(6), live);
    std::optional<Column> words;
    if (variant_.key_kind == KeyWordKind::kExact) {
      words = state_->GatherKeyWord(DataType::BigInt(), live);
    }
    for (size_t i = 0; i < live.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i);
      ASSERT_TRUE(rows_.contains(serials[i]));
      const ModelRow& model = rows_[serials[i]];
      EXPECT_EQ(state_->IsMatched(live[i]), model.matched);
      EXPECT_TRUE(state_->IsAlive(live[i]));
      if (times) {
        EXPECT_EQ(times->IsNull(at), !model.row.time.has_value());
        if (model.row.time) {
          EXPECT_EQ(times->Values<int64_t>()[i], *model.row.time);
        }
      }
      if (words) {
        EXPECT_EQ(words->IsNull(at), !model.row.word.has_value());
        if (model.row.word) {
          EXPECT_EQ(static_cast<uint64_t>(words->Values<int64_t>()[i]), *model.row.word);
        }
      }
    }
  }

  const Variant variant_;
  std::mt19937_64 random_;
  uint32_t lineage_ = 0;
  int64_t clock_ = 1'700'000'000;
  int64_t next_serial_ = 1;
  std::optional<int64_t> threshold_;
  std::map<int64_t, ModelRow> rows_;  // By serial number.
  std::map<PersistentId, StoredRow> store_;
  std::shared_ptr<StateBudget> budget_;
  std::unique_ptr<SideState> state_;
  int64_t spilled_bytes_seen_ = 0;
  bool flushed_ = false;
  int64_t hot_keys_seen_ = 0;
};

const Variant kVariants[] = {
    {.name = "Milliseconds", .matches_max = 8192},
    {.name = "Seconds", .precision = 0},
    {.name = "Microseconds", .precision = 6, .chunk_bits = 3},
    {.name = "OddTimes", .chunk_bits = 4, .odd_times = true},
    {.name = "OddMicroseconds", .precision = 6, .odd_times = true},
    {.name = "NoTime", .has_time = false, .matches_max = 8192},
    {.name = "NoTimeManyRemovals", .has_time = false, .num_keys = 3, .removals = 0.5},
    {.name = "InnerSide", .track_matches = false, .chunk_bits = 8},
    {.name = "Hashes", .key_kind = KeyWordKind::kHash},
    {.name = "FewKeys", .chunk_bits = 6, .num_keys = 2, .matches_max = 8192},
    {.name = "OneKey", .num_keys = 1, .removals = 0.3, .matches_max = 500},
    {.name = "IdsRunOut", .chunk_bits = 4, .near_end_of_ids = true},
    {.name = "IdsRunOutFewKeys", .near_end_of_ids = true, .num_keys = 2},
    {.name = "NothingStaysInMemory", .matches_max = 8192, .budget_bytes = 0},
    {.name = "SomeStaysInMemory", .chunk_bits = 4, .odd_times = true, .budget_bytes = 4'000},
    {.name = "LargeChunksOnDisk", .track_matches = false, .chunk_bits = 8, .budget_bytes = 2'000},
    {.name = "OneKeyOnDisk", .num_keys = 1, .removals = 0.3, .budget_bytes = 1'000},
    {.name = "IdsRunOutOnDisk", .chunk_bits = 4, .near_end_of_ids = true, .budget_bytes = 500},
};

class SideStateModelTest : public testing::TestWithParam<Variant> {};

TEST_P(SideStateModelTest, RandomOperationsAgreeWithTheModel) {
  constexpr int kSteps = 150;
  int64_t hot_keys_seen = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Machine machine(GetParam(), seed);
    for (int step = 0; step < kSteps; ++step) {
      machine.Step();
      if (HasFailure()) FAIL() << "step " << step;
    }
    machine.Finish();
    if (HasFailure()) return;
    hot_keys_seen += machine.hot_keys_seen();
  }
  EXPECT_GT(hot_keys_seen, 0) << "the sizes make keys hot";
}

INSTANTIATE_TEST_SUITE_P(Variants, SideStateModelTest, testing::ValuesIn(kVariants),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace braid
