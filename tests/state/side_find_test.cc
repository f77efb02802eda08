// Key scans of single records (Find, OldestOf), rows named by AppendAndName, and what is asked of
// many of them at once (FindOvertaken, RemoveBelow).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "state/side_state.h"
#include "tests/state/side_rows.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr uint64_t kNullWord = 0x1234567890;  // What SideRows gives a row without a word.

SideStateOptions Options() {
  SideStateOptions options;
  options.has_time = true;
  options.track_matches = true;
  options.payload = SidePayloadTypes();
  options.limits.chunk_bits = 4;
  return options;
}

std::vector<RowId> Append(SideState* state, std::vector<SideRow> rows, bool links_all = false) {
  const SideRows batch(std::move(rows));
  ArrivingRows arriving = batch.All();
  arriving.links_all = links_all;
  std::vector<RowId> ids = {77};  // What it held is not kept.
  state->AppendAndName(arriving, &ids);
  return ids;
}

// Serial numbers of what a scan finds, rising; the times must be those of the rows.
std::vector<int64_t> Find(SideState* state, const KeyScan& scan) {
  std::vector<FoundRow> found;
  state->Find(scan, &found);
  std::vector<RowId> rows;
  for (const FoundRow& row : found) {
    EXPECT_EQ(state->TimeOf(row.row), row.time);
    rows.push_back(row.row);
  }
  std::vector<int64_t> serials = SerialsOf(*state, rows);
  std::sort(serials.begin(), serials.end());
  return serials;
}

KeyScan ScanOf(uint64_t word) {
  KeyScan scan;
  scan.word = word;
  return scan;
}

TEST(SideFindTest, RowsAreNamedInOrderOverManyChunks) {
  SideState state(Options());
  EXPECT_THAT(Append(&state, {}), IsEmpty());
  std::vector<RowId> last;
  for (int64_t batch = 0; batch < 5; ++batch) {
    std::vector<SideRow> rows;
    for (int64_t i = 1; i <= 50; ++i) {
      const int64_t serial = batch * 50 + i;
      rows.push_back({static_cast<uint64_t>(serial), serial * 1'000, serial});
    }
    const std::vector<RowId> ids = Append(&state, rows);
    ASSERT_EQ(ids.size(), 50U);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    if (!last.empty()) {
      EXPECT_LT(last.back(), ids.front());
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(state.WordOf(ids[i]), *rows[i].word);
      EXPECT_EQ(state.TimeOf(ids[i]), *rows[i].time);
      EXPECT_EQ(state.IdOf(ids[i]), state.IdOf(ids[0]) + i) << "persistent ids follow each other";
    }
    last = ids;
  }
}

TEST(SideFindTest, AScanHoldsItsBounds) {
  SideState state(Options());
  Append(&state, {{5, 1'000, 1}, {5, 2'000, 2}, {6, 2'000, 3}, {5, 3'000, 4}});
  struct Case {
    std::string name;
    int64_t earliest;
    int64_t latest;
    int64_t expired_max;
    std::vector<int64_t> found;
  };
  const std::vector<Case> cases = {
      {"everything", kMin, kMax, kMin, {1, 2, 4}},
      {"both bounds are part of it", 1'000, 2'000, kMin, {1, 2}},
      {"one microsecond inside the bounds", 1'001, 2'999, kMin, {2}},
      {"expired rows before it", 3'000, 3'000, 1'000, {1, 4}},
      {"expired rows up to its middle", 1'500, 2'500, 2'000, {1, 2}},
      {"expired rows past it", 1'000, 1'000, 3'000, {1, 2, 4}},
      {"expired rows alone", 1, 0, 2'000, {1, 2}},
      {"nothing", 1, 0, kMin, {}},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    KeyScan scan = ScanOf(5);
    scan.earliest = test.earliest;
    scan.latest = test.latest;
    scan.expired_max = test.expired_max;
    EXPECT_EQ(Find(&state, scan), test.found);
  }
  EXPECT_THAT(Find(&state, ScanOf(7)), IsEmpty());
}

TEST(SideFindTest, AScanSeesOnlyRowsBeforeItsOwn) {
  SideState state(Options());
  const std::vector<RowId> ids = Append(&state, {{5, 3'000, 1}, {5, 1'000, 2}, {5, 2'000, 3}});
  KeyScan scan = ScanOf(5);
  scan.before = ids[1];
  EXPECT_THAT(Find(&state, scan), ElementsAre(1));
  EXPECT_EQ(state.OldestOf(5, ids[1]), 3'000);
  EXPECT_EQ(state.OldestOf(5, ids[2]), 1'000);
  EXPECT_EQ(state.OldestOf(5, ids[0]), std::nullopt);
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd), 1'000);
  EXPECT_EQ(state.OldestOf(6, kRowIdEnd), std::nullopt);
}

TEST(SideFindTest, RowsThatAreGoneOrHaveNoTimeAreNotFound) {
  SideState state(Options());
  const std::vector<RowId> ids =
      Append(&state, {{5, 1'000, 1}, {5, 2'000, 2}, {5, std::nullopt, 3}, {5, 4'000, 4}});
  state.Remove(std::vector<RowId>{ids[0]});
  EXPECT_THAT(Find(&state, ScanOf(5)), ElementsAre(2, 4));
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd), 2'000);
  state.EvictBelow({3'000});
  EXPECT_THAT(Find(&state, ScanOf(5)), ElementsAre(4));
  state.ReleaseEvicted();
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd), 4'000);
  state.EvictAll();
  EXPECT_THAT(Find(&state, ScanOf(5)), IsEmpty());
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd), std::nullopt);
}

TEST(SideFindTest, RowsWithANullKeyAreFoundByTheirWordIfAllAreLinked) {
  for (const bool links_all : {false, true}) {
    SideState state(Options());
    Append(&state, {{std::nullopt, 1'000, 1}, {5, 1'000, 2}}, links_all);
    EXPECT_EQ(Find(&state, ScanOf(kNullWord)),
              links_all ? std::vector<int64_t>{1} : std::vector<int64_t>{});
    EXPECT_EQ(state.OldestOf(kNullWord, kRowIdEnd).has_value(), links_all);
    EXPECT_THAT(Find(&state, ScanOf(5)), ElementsAre(2));
    state.CheckInvariants();
  }
}

TEST(SideFindTest, TimesFarApartAndAtTheEndsAreFound) {
  SideStateOptions options = Options();
  options.time_precision = 6;
  SideState state(options);
  const std::vector<int64_t> times = {0, kMin, kMax, 1, -1, int64_t{1} << 40};
  std::vector<SideRow> rows;
  for (size_t i = 0; i < times.size(); ++i) {
    rows.push_back({5, times[i], static_cast<int64_t>(i) + 1});
  }
  Append(&state, rows);
  for (size_t i = 0; i < times.size(); ++i) {
    KeyScan scan = ScanOf(5);
    scan.earliest = scan.latest = times[i];
    EXPECT_THAT(Find(&state, scan), testing::Contains(static_cast<int64_t>(i) + 1));
  }
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd), kMin);
}

TEST(SideFindTest, AKeyWithManyRowsBecomesHotAndIsScannedByTime) {
  SideState state(Options());
  std::vector<SideRow> rows;
  for (int64_t i = 1; i <= 2'000; ++i) rows.push_back({5, (i * 7 % 2'000) * 1'000, i});
  const std::vector<RowId> ids = Append(&state, rows);
  EXPECT_EQ(Find(&state, ScanOf(5)).size(), 2'000U);  // The walk that finds the chain too long.
  KeyScan scan = ScanOf(5);
  scan.earliest = 700'000;
  scan.latest = 700'000;
  EXPECT_THAT(Find(&state, scan), ElementsAre(100));
  ASSERT_EQ(state.num_hot_keys(), 1);
  const int64_t steps = state.probe_steps();
  EXPECT_THAT(Find(&state, scan), ElementsAre(100));
  EXPECT_LE(state.probe_steps() - steps, 2) << "no walk over all of its rows";
  scan.expired_max = 7'000;
  scan.before = ids[1'500];
  // Times 7 ms and 0: rows 1 and 2000; of times 1 to 6 ms: rows 1143, 286, 1429, 572, 1715, 858.
  EXPECT_THAT(Find(&state, scan), ElementsAre(1, 100, 286, 572, 858, 1143, 1429));
  EXPECT_EQ(state.OldestOf(5, ids[1'142]), 2'000);
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd), 0);
  state.Remove(std::vector<RowId>{ids[1'999]});
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd), 1'000);
  EXPECT_THAT(Append(&state, {{5, 500, 3'001}}), testing::SizeIs(1));
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd), 500) << "also of rows that came since";
  state.CheckInvariants();
}

// One row as the test knows it; the state knows it by its serial number.
struct Known {
  SideRow row;
  int batch = 0;
};

class Model {
 public:
  Model(SideState* state, uint32_t seed, uint64_t keys) : state_(state), random_(seed) {
    keys_ = keys;
  }

  void AppendSome(bool links_all) {
    std::vector<SideRow> rows;
    const int count = Below(60) + 1;
    ++batch_;
    for (int i = 0; i < count; ++i) {
      SideRow row;
      row.word = static_cast<uint64_t>(Below(static_cast<int>(keys_)));
      if (Below(20) == 0) row.word.reset();
      row.time = now_ + Below(200) * 1'000;
      if (Below(20) == 0) row.time.reset();
      row.serial = ++serial_;
      rows.push_back(row);
      known_.push_back({row, batch_});
    }
    first_of_last_ = Append(state_, rows, links_all)[0];
    now_ += 20'000;
  }

  void RemoveSome() {
    for (int i = 0; i < 5 && !known_.empty(); ++i) {
      const size_t at = static_cast<size_t>(Below(static_cast<int>(known_.size())));
      EXPECT_EQ(state_->Remove(std::vector<RowId>{FindSerial(*state_, known_[at].row.serial)}), 1);
      known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  void Evict() {
    const int64_t threshold = now_ - 60'000;
    std::erase_if(known_, [&](const Known& known) {
      return known.row.time.has_value() && *known.row.time < threshold;
    });
    state_->EvictBelow({threshold});
  }

  // Scans of every word, with bounds by chance, over all rows or those before the last batch.
  void Compare(bool links_all, bool before_last) {
    for (uint64_t key = 0; key <= keys_; ++key) {
      KeyScan scan = ScanOf(key == keys_ ? kNullWord : key);
      scan.earliest = now_ - Below(200) * 1'000;
      scan.latest = scan.earliest + Below(200) * 1'000 - 1'000;
      if (Below(2) == 0) scan.expired_max = now_ - Below(200) * 1'000;
      if (before_last) scan.before = first_of_last_;
      std::vector<int64_t> expected;
      std::optional<int64_t> oldest;
      for (const Known& known : known_) {
        if (key == keys_ ? known.row.word || !links_all : known.row.word != key) continue;
        if (!known.row.time || (before_last && known.batch == batch_)) continue;
        const int64_t time = *known.row.time;
        oldest = std::min(oldest.value_or(time), time);
        if ((time >= scan.earliest && time <= scan.latest) || time <= scan.expired_max) {
          expected.push_back(known.row.serial);
        }
      }
      ASSERT_EQ(Find(state_, scan), expected) << "key " << key;
      ASSERT_EQ(state_->OldestOf(scan.word, scan.before), oldest) << "key " << key;
    }
  }

 private:
  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint32_t>(bound)); }

  SideState* state_;
  std::mt19937 random_;
  uint64_t keys_ = 0;
  std::vector<Known> known_;
  int64_t now_ = 0;
  int64_t serial_ = 0;
  int batch_ = 0;
  RowId first_of_last_ = kNoRow;
};

TEST(SideFindTest, ScansAgreeWithAListOfRowsWhileTheSideGrowsAndShrinks) {
  struct Case {
    std::string name;
    uint64_t keys;
    bool links_all;
    uint8_t precision;
  };
  const std::vector<Case> cases = {
      {"one hot key", 1, true, 3},
      {"few keys, some hot", 3, true, 3},
      {"many keys", 200, true, 3},
      {"NULL keys not linked", 20, false, 3},
      {"times in microseconds", 20, true, 6},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    SideStateOptions options = Options();
    options.time_precision = test.precision;
    SideState state(options);
    Model model(&state, /*seed=*/7, test.keys);
    for (int round = 0; round < 40; ++round) {
      model.AppendSome(test.links_all);
      ASSERT_NO_FATAL_FAILURE(model.Compare(test.links_all, /*before_last=*/true));
      model.RemoveSome();
      if (round % 3 == 2) model.Evict();
      if (round % 4 == 3) state.ReleaseEvicted();
      ASSERT_NO_FATAL_FAILURE(model.Compare(test.links_all, /*before_last=*/false));
      state.CheckInvariants();
    }
  }
}

TEST(SideFindTest, RestoredRowsAreFoundUnderTheirOldNames) {
  SideState state(Options());
  const std::vector<RowId> ids =
      Append(&state, {{5, 1'000, 1}, {5, 2'000, 2}, {std::nullopt, 3'000, 3}}, /*links_all=*/true);
  state.Remove(std::vector<RowId>{ids[0]});
  const SideDelta delta = state.TakeDelta();
  SideState restored(Options());
  for (const StateRows& run : delta.rows) {
    std::vector<int32_t> rows(static_cast<size_t>(run.num_rows));
    std::iota(rows.begin(), rows.end(), 0);
    restored.Restore(run, rows);
  }
  EXPECT_THAT(Find(&restored, ScanOf(5)), ElementsAre(2));
  EXPECT_THAT(Find(&restored, ScanOf(kNullWord)), ElementsAre(3));
  EXPECT_EQ(restored.OldestOf(5, kRowIdEnd), 2'000);
  EXPECT_EQ(restored.IdOf(FindSerial(restored, 2)), state.IdOf(ids[1]));
}

TEST(SideFindTest, TheOldestRowAfterATimeIsThatOfTheRestOfTheKey) {
  SideState state(Options());
  Append(&state, {{5, 3'000, 1}, {5, 1'000, 2}, {6, 2'000, 3}, {5, std::nullopt, 4}});
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd, kMin), 1'000);
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd, 999), 1'000);
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd, 1'000), 3'000);
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd, 3'000), std::nullopt);
  EXPECT_EQ(state.OldestOf(5, kRowIdEnd, kMax), std::nullopt);
  std::vector<SideRow> many;
  for (int64_t i = 0; i < 200; ++i) many.push_back({7, (200 - i) * 1'000, i});
  const RowId first = Append(&state, many)[0];
  Find(&state, ScanOf(7));
  Find(&state, ScanOf(7));
  ASSERT_EQ(state.num_hot_keys(), 1);
  EXPECT_EQ(state.OldestOf(7, kRowIdEnd, 10'000), 11'000);
  EXPECT_EQ(state.OldestOf(7, first + 100, 10'000), 101'000) << "the first hundred are the latest";
  EXPECT_EQ(state.OldestOf(7, kRowIdEnd, kMax), std::nullopt);
}

TEST(SideFindTest, RowsThatALaterOneOfTheirKeyCameBeforeAreOvertaken) {
  std::mt19937_64 random(11);
  SideState state(Options());
  std::vector<SideRow> known;
  std::vector<RowId> ids;
  int64_t serial = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<SideRow> batch;
    for (uint64_t i = 0; i < random() % 40; ++i) {
      SideRow row = {random() % 50, (round * 20 + static_cast<int64_t>(random() % 60)) * 1'000,
                     serial++};
      if (random() % 20 == 0) row.time.reset();
      batch.push_back(row);
    }
    const std::vector<RowId> appended = Append(&state, batch, /*links_all=*/true);
    std::vector<RowId> wanted;
    for (size_t i = 0; i < batch.size(); ++i) {
      bool overtaken = false;
      for (size_t before = 0; before < known.size(); ++before) {
        overtaken = overtaken || (known[before].word == batch[i].word && batch[i].time &&
                                  known[before].time > batch[i].time && state.IsAlive(ids[before]));
      }
      if (overtaken) wanted.push_back(appended[i]);
      known.push_back(batch[i]);
      ids.push_back(appended[i]);
    }
    std::vector<RowId> given;
    state.FindOvertaken(appended, &given);
    ASSERT_EQ(given, wanted) << "round " << round;
    for (int i = 0; i < 5 && !ids.empty(); ++i) {
      state.Remove(std::vector<RowId>{ids[random() % ids.size()]});
    }
    if (round % 2 == 1) state.EvictBelow(EventTime{(round - 4) * 20'000});
  }
}

TEST(SideFindTest, RowsOfHotKeysMayAllHaveBeenOvertaken) {
  SideState state(Options());
  std::vector<SideRow> many;
  for (int64_t i = 0; i < 200; ++i) many.push_back({7, i * 1'000, i});
  Append(&state, many);
  Find(&state, ScanOf(7));
  Find(&state, ScanOf(7));
  ASSERT_EQ(state.num_hot_keys(), 1);
  const std::vector<RowId> later = Append(&state, {{8, 0, 300}, {7, 300'000, 301}});
  std::vector<RowId> overtaken;
  state.FindOvertaken(later, &overtaken);
  EXPECT_THAT(overtaken, ElementsAre(later[1]));
}

TEST(SideFindTest, RowsBelowATimeAreRemovedButForThoseThatStay) {
  struct Case {
    std::string name;
    uint64_t keys;
    int64_t step;  // Microseconds between rows.
  };
  const std::vector<Case> cases = {
      {"many keys", 1'000, 1'000}, {"one hot key", 1, 1'000}, {"wide chunks", 5, int64_t{1} << 54}};
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    SideState state(Options());
    std::vector<SideRow> rows;
    for (int64_t i = 0; i < 300; ++i) {
      rows.push_back({static_cast<uint64_t>(i) % test.keys, (i * 7 % 300) * test.step, i});
    }
    const std::vector<RowId> ids = Append(&state, rows);
    state.TakeDelta();
    Find(&state, ScanOf(0));
    Find(&state, ScanOf(0));
    std::vector<RowId> staying;
    std::vector<RowId> below;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (rows[i].time >= 200 * test.step) continue;
      (i % 10 == 3 ? staying : below).push_back(ids[i]);
    }
    EXPECT_EQ(state.RemoveBelow(EventTime{200 * test.step}, staying), below);
    state.CheckInvariants();
    EXPECT_EQ(state.num_rows(), std::ssize(rows) - std::ssize(below));
    EXPECT_EQ(state.TakeDelta().removed.size(), below.size()) << "one by one";
    for (const RowId row : staying) EXPECT_TRUE(state.IsAlive(row));
    EXPECT_EQ(state.RemoveBelow(EventTime{200 * test.step}, {}), staying);
    const EvictionResult rest = state.EvictBelow(EventTime{250 * test.step}, /*lists_rows=*/true);
    EXPECT_EQ(rest.removed, 50);
    EXPECT_EQ(rest.rows.size(), 50U);
    EXPECT_EQ(state.num_rows(), 50);
    state.CheckInvariants();
    state.ReleaseEvicted();
    state.CheckInvariants();
  }
}

}  // namespace
}  // namespace braid
