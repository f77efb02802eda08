#include "state/side_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "braid/column_builder.h"
#include "tests/state/side_rows.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kHour = 3'600 * kSecond;

SideStateOptions TimedOptions() {
  SideStateOptions options;
  options.has_time = true;
  options.track_matches = true;
  options.payload = SidePayloadTypes();
  options.limits.chunk_bits = 4;
  return options;
}

SideStateOptions UntimedOptions() {
  SideStateOptions options = TimedOptions();
  options.has_time = false;
  return options;
}

std::vector<int64_t> LiveSerials(const SideState& state) {
  return SerialsOf(state, state.LiveRows());
}

TEST(SideStateTest, ARowWithANullKeyIsStoredCountedAndPaddedButNeverFound) {
  SideState state(TimedOptions());
  AppendTo(&state, {{std::nullopt, 1'000, 1}, {5, 1'000, 2}});
  EXPECT_EQ(state.num_rows(), 2);
  EXPECT_THAT(Partners(&state, {5, 1'000}), ElementsAre(2));
  EXPECT_THAT(Partners(&state, {std::nullopt, 1'000}), IsEmpty());
  // The word of the NULL key itself finds nothing either.
  EXPECT_THAT(Partners(&state, {0x1234567890, 1'000}), IsEmpty());
  const EvictionResult evicted = state.EvictBelow({2'000});
  EXPECT_EQ(evicted.removed, 2);
  EXPECT_THAT(SerialsOf(state, evicted.unmatched), ElementsAre(1, 2));
  EXPECT_TRUE(state.GatherKeyWord(DataType::BigInt(), evicted.unmatched).IsNull(0));
}

TEST(SideStateTest, ARowStoredBelowTheThresholdIsFoundUntilTheNextEviction) {
  SideState state(TimedOptions());
  AppendTo(&state, {{5, 10'000, 1}});
  EXPECT_EQ(state.EvictBelow({8'000}).removed, 0);
  AppendTo(&state, {{5, 3'000, 2}});
  EXPECT_EQ(state.num_rows(), 2);
  EXPECT_THAT(Partners(&state, {5, 3'000}), ElementsAre(1, 2));
  EXPECT_EQ(state.EvictBelow({8'000}).removed, 1) << "the same threshold again";
  EXPECT_THAT(Partners(&state, {5, 3'000}), ElementsAre(1));
  EXPECT_EQ(state.EvictBelow({8'000}).removed, 0) << "each row once";
  state.CheckInvariants();
}

TEST(SideStateTest, EvictionsCountEachRowOnce) {
  SideState state(TimedOptions());
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < 1'000; ++i) rows.push_back({7, (i * 37 % 1'000) * 1'000, i + 1});
  AppendTo(&state, rows);
  for (int64_t threshold = 0; threshold <= 1'000; threshold += 10) {
    EXPECT_EQ(state.EvictBelow({threshold * 1'000}).removed, threshold == 0 ? 0 : 10);
    if (threshold % 30 == 0) state.ReleaseEvicted();
    state.CheckInvariants();
  }
  EXPECT_EQ(state.num_rows(), 0);
}

TEST(SideStateTest, NullTimesStayUntilEverythingIsEvicted) {
  SideState state(TimedOptions());
  AppendTo(&state, {{5, std::nullopt, 1}, {5, kMax, 2}, {5, kMin, 3}});
  EXPECT_EQ(state.EvictBelow({kMax}).removed, 1);
  EXPECT_THAT(LiveSerials(state), ElementsAre(1, 2));
  const EvictionResult evicted = state.EvictAll();
  EXPECT_EQ(evicted.removed, 2);
  EXPECT_THAT(SerialsOf(state, evicted.unmatched), ElementsAre(1, 2));
  state.ReleaseEvicted();
  EXPECT_EQ(state.num_rows(), 0);
  EXPECT_EQ(state.oldest_time(), std::nullopt);
  AppendTo(&state, {{5, 1'000, 4}});
  EXPECT_THAT(Partners(&state, {5, 1'000}), ElementsAre(4)) << "the side goes on";
}

TEST(SideStateTest, EvictedRowsThatNeverMatchedAreReadableUntilTheyAreReleased) {
  SideState state(TimedOptions());
  std::vector<SideRow> rows;
  for (int64_t i = 1; i <= 100; ++i) rows.push_back({static_cast<uint64_t>(i), i * 1'000, i});
  const SideRows batch(rows);
  std::vector<uint8_t> matched(100, 0);
  matched[1] = 1;
  state.Append(batch.All(), matched);
  const RowId third = FindSerial(state, 3);
  state.MarkMatched(std::vector<RowId>{third, third});
  EXPECT_TRUE(state.IsMatched(third));
  EXPECT_EQ(state.num_matched(), 2);
  const EvictionResult first = state.EvictBelow({51'000});
  EXPECT_EQ(first.removed, 50);
  EXPECT_EQ(first.unmatched.size(), 48U);
  const EvictionResult second = state.EvictBelow({61'000});
  EXPECT_EQ(second.removed, 10);
  EXPECT_EQ(SerialsOf(state, first.unmatched)[1], 4);
  EXPECT_THAT(SerialsOf(state, second.unmatched),
              ElementsAre(51, 52, 53, 54, 55, 56, 57, 58, 59, 60));
  EXPECT_EQ(state.num_matched(), 0);
  state.ReleaseEvicted();
  EXPECT_EQ(state.num_rows(), 40);
}

// A chunk is sorted once several steps have crossed it.
TEST(SideStateTest, TheOldestTimeIsThatOfARowAfterAnyNumberOfSmallSteps) {
  constexpr int64_t kNumRows = 20'000;
  SideState state(TimedOptions());
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < kNumRows; ++i) {
    const int64_t time = i * 7'919 % kNumRows * kSecond;
    rows.push_back({static_cast<uint64_t>(i), time, i});
  }
  const SideRows batch(rows);
  state.Append(batch.All(), {});
  for (int64_t second = 1; second < kNumRows; second += 397) {
    state.EvictBelow({(second - 1) * kSecond + 1});
    ASSERT_EQ(state.oldest_time(), EventTime{second * kSecond});
    ASSERT_EQ(state.num_rows(), kNumRows - second);
    state.ReleaseEvicted();
  }
}

TEST(SideStateTest, ASideWithoutMatchesListsNoneAsUnmatched) {
  SideStateOptions options = TimedOptions();
  options.track_matches = false;
  SideState state(options);
  AppendTo(&state, {{5, 1'000, 1}, {6, 2'000, 2}});
  const EvictionResult evicted = state.EvictBelow({2'000});
  EXPECT_EQ(evicted.removed, 1);
  EXPECT_THAT(evicted.unmatched, IsEmpty());
}

TEST(SideStateTest, ASideWithoutTimeLosesRowsOnlyByRemovalOrAtTheEnd) {
  SideState state(UntimedOptions());
  AppendTo(&state, {{5, std::nullopt, 1}, {5, std::nullopt, 2}, {5, std::nullopt, 3}});
  EXPECT_EQ(state.EvictBelow({kMax}).removed, 0);
  EXPECT_EQ(state.oldest_time(), std::nullopt);
  EXPECT_EQ(state.Remove(std::vector<RowId>{FindSerial(state, 2)}), 1);
  EXPECT_THAT(Partners(&state, {5, std::nullopt}), ElementsAre(1, 3));
  EXPECT_EQ(state.EvictAll().removed, 2);
}

TEST(SideStateTest, AnEmptySideGoesOnWithFreshChunks) {
  SideState state(TimedOptions());
  for (int64_t round = 1; round <= 20; ++round) {
    AppendTo(&state, {{5, round * 1'000, 1}, {5, round * 1'000 + kHour, 2}, {6, round * 1'000, 3}});
    EXPECT_EQ(state.Remove(std::vector<RowId>{FindSerial(state, 1)}), 1);
    EXPECT_THAT(Partners(&state, {5, round * 1'000}), ElementsAre(2));
    state.CheckInvariants();
    EXPECT_EQ(round % 2 == 0 ? state.EvictBelow({round * 1'000 + kHour + 1}).removed
                             : state.EvictAll().removed,
              2);
    state.ReleaseEvicted();
    state.CheckInvariants();
  }
}

TEST(SideStateTest, ARemovedRowIsGoneAtOnceAndCountedOnce) {
  SideState state(TimedOptions());
  AppendTo(&state, {{5, 1'000, 1}, {5, 2'000, 2}, {5, 3'000, 3}});
  const RowId second = FindSerial(state, 2);
  state.MarkMatched(std::vector<RowId>{second});
  EXPECT_EQ(state.Remove(std::vector<RowId>{second, second}), 1);
  EXPECT_FALSE(state.IsAlive(second));
  EXPECT_EQ(state.num_rows(), 2);
  EXPECT_EQ(state.num_matched(), 0);
  EXPECT_THAT(Partners(&state, {5, 0}), ElementsAre(1, 3));
  EXPECT_EQ(state.EvictBelow({10'000}).removed, 2);
}

TEST(SideStateTest, TimeBoundsAreInclusiveAndSaturate) {
  struct Case {
    const char* name;
    int64_t stored;
    int64_t arriving;
    std::optional<int64_t> lower;
    std::optional<int64_t> upper;
    bool found;
  };
  const Case cases[] = {
      {"at the lower bound", 5'000, 10'000, -5'000, 0, true},
      {"below the lower bound", 4'000, 10'000, -5'000, 0, false},
      {"at the upper bound", 10'000, 10'000, -5'000, 0, true},
      {"above the upper bound", 11'000, 10'000, -5'000, 0, false},
      {"lower alone", 1 * kHour, 10'000, -5'000, std::nullopt, true},
      {"upper alone", -1 * kHour, 10'000, std::nullopt, 0, true},
      {"empty window", 10'000, 10'000, 1, -1, false},
      {"one microsecond", 10'000, 9'999, 1, 1, true},
      {"lowest time", kMin, -10, std::nullopt, 0, true},
      {"lowest time, out of the window", kMin, 0, -5, 5, false},
      {"bound beyond the end", kMax, kMax - 5, 0, 10, true},
      {"bound beyond the start", kMin, kMin + 5, -10, 0, true},
      {"widest window", kMin, kMax, kMin, kMax, false},
      {"widest window from the middle", kMin, 0, kMin, kMax, true},
      {"saturated lower bound", kMax, kMax - 5, 10, kMax, true},
  };
  for (const uint8_t precision : std::vector<uint8_t>{0, 3, 6}) {
    for (const Case& c : cases) {
      SideStateOptions options = TimedOptions();
      options.time_precision = precision;
      SideState state(options);
      AppendTo(&state, {{5, c.stored, 1}});
      EXPECT_EQ(Partners(&state, {5, c.arriving}, c.lower, c.upper).size(), c.found ? 1U : 0U)
          << c.name << ", precision " << int{precision};
    }
  }
}

TEST(SideStateTest, ANullTimeMatchesOnlyWithoutABound) {
  SideState state(TimedOptions());
  AppendTo(&state, {{5, std::nullopt, 1}, {5, 1'000, 2}});
  EXPECT_THAT(Partners(&state, {5, 1'000}), ElementsAre(1, 2));
  EXPECT_THAT(Partners(&state, {5, std::nullopt}), ElementsAre(1, 2));
  EXPECT_THAT(Partners(&state, {5, 1'000}, 0), ElementsAre(2));
  EXPECT_THAT(Partners(&state, {5, 1'000}, std::nullopt, 0), ElementsAre(2));
  EXPECT_THAT(Partners(&state, {5, std::nullopt}, kMin, kMax), IsEmpty());
}

TEST(SideStateTest, AFullBufferStopsTheProbeAndTheNextCallGoesOn) {
  for (const bool has_time : {true, false}) {
    SideStateOptions options = has_time ? TimedOptions() : UntimedOptions();
    options.limits.chunk_bits = 14;
    SideState state(options);
    constexpr int64_t kRows = 20'000;
    std::vector<SideRow> rows;
    for (int64_t i = 0; i < kRows; ++i) rows.push_back({5, i * 1'000, i});
    AppendTo(&state, rows);
    const SideRows arriving({{6, 0}, {5, 0}, {5, 0}, {5, 0}});
    Matches all;
    Matches matches;
    ProbeCursor cursor;
    int calls = 0;
    for (bool done = false; !done; ++calls) {
      matches.Clear();
      done = state.Probe(arriving.All(), std::nullopt, std::nullopt, &cursor, &matches);
      EXPECT_LE(matches.stored.size(), SideState::kMatchesMax);
      all.arriving.insert(all.arriving.end(), matches.arriving.begin(), matches.arriving.end());
      all.stored.insert(all.stored.end(), matches.stored.begin(), matches.stored.end());
    }
    EXPECT_EQ(calls, 8) << "60,000 pairs";
    EXPECT_EQ(all.stored.size(), 3U * kRows);
    std::vector<std::pair<int32_t, RowId>> pairs;
    for (size_t i = 0; i < all.stored.size(); ++i) {
      pairs.emplace_back(all.arriving[i], all.stored[i]);
    }
    std::sort(pairs.begin(), pairs.end());
    EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end()) << "no pair twice";
  }
}

TEST(SideStateTest, RowsRemovedBetweenTwoCallsOfAProbeAreNotFoundAnyMore) {
  for (const int64_t warm_up : {0, 1}) {  // A chain, then a hot key.
    SideStateOptions options = TimedOptions();
    options.limits.matches_max = 100;
    SideState state(options);
    std::vector<SideRow> rows;
    for (int64_t i = 0; i < 1'000; ++i) rows.push_back({5, i * 1'000, i});
    AppendTo(&state, rows);
    if (warm_up == 1) Partners(&state, {5, 0});
    EXPECT_EQ(state.num_hot_keys(), warm_up);
    const SideRows arriving({{5, 0}, {5, 0}});
    ProbeCursor cursor;
    std::vector<RowId> found;
    for (bool done = false; !done;) {
      Matches matches;
      done = state.Probe(arriving.All(), std::nullopt, std::nullopt, &cursor, &matches);
      for (const RowId row : matches.stored) EXPECT_TRUE(state.IsAlive(row));
      EXPECT_EQ(state.Remove(matches.stored), std::ssize(matches.stored));
      found.insert(found.end(), matches.stored.begin(), matches.stored.end());
    }
    EXPECT_EQ(found.size(), 1'000U);
    EXPECT_EQ(state.num_rows(), 0);
    state.ReleaseEvicted();
    state.CheckInvariants();
  }
}

TEST(SideStateTest, TimesAreExactHoweverFarApart) {
  const std::vector<int64_t> times = {0,
                                      1,
                                      -1,
                                      999,
                                      1'000,
                                      kHour,
                                      -kHour,
                                      3 * kHour,
                                      24 * 365 * kHour,
                                      -24 * 365 * kHour,
                                      24 * 36'500 * kHour,
                                      kMax,
                                      kMin,
                                      kMin + 1,
                                      kMax - 1'000,
                                      4'294'967'294'000,
                                      4'294'967'295'000,
                                      4'294'967'296'000};
  for (uint8_t precision = 0; precision <= 6; ++precision) {
    for (size_t first = 0; first < times.size(); ++first) {
      SideStateOptions options = TimedOptions();
      options.time_precision = precision;
      SideState state(options);
      std::vector<SideRow> rows;
      for (size_t i = 0; i < 3 * times.size(); ++i) {
        rows.push_back({5, times[(first + i) % times.size()], static_cast<int64_t>(i)});
        if (i % 4 == 0) rows.push_back({5, std::nullopt, static_cast<int64_t>(i)});
      }
      AppendTo(&state, rows);
      state.CheckInvariants();
      const Column stored = state.GatherTime(DataType::Timestamp(6), state.LiveRows());
      for (size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(stored.IsNull(static_cast<int64_t>(i)), !rows[i].time.has_value());
        if (rows[i].time) {
          EXPECT_EQ(stored.Values<int64_t>()[i], *rows[i].time);
        }
      }
      const int64_t old = std::count_if(rows.begin(), rows.end(), [](const SideRow& row) {
        return row.time.has_value() && *row.time < 1'000;
      });
      EXPECT_EQ(state.EvictBelow({1'000}).removed, old);
      EXPECT_EQ(state.EvictBelow({1'000}).removed, 0);
      state.ReleaseEvicted();
      state.CheckInvariants();
    }
  }
}

TEST(SideStateTest, AChunkOfTimesFarApartGrowsAsOthersDo) {
  SideStateOptions options = TimedOptions();
  options.limits.chunk_bits = 14;
  options.time_precision = 6;
  SideState state(options);
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < 3'000; ++i) rows.push_back({5, i % 3 * 3 * kHour + i, i});
  for (size_t begin = 0; begin < rows.size(); begin += 500) {
    AppendTo(&state, {rows.begin() + static_cast<std::ptrdiff_t>(begin),
                      rows.begin() + static_cast<std::ptrdiff_t>(begin + 500)});
  }
  state.CheckInvariants();
  EXPECT_LT(state.memory_bytes(), 3'000 * 200) << "not a chunk for every row";
  EXPECT_EQ(Partners(&state, {5, 3 * kHour}, 0, 4'000).size(), 1'000U);
  EXPECT_EQ(state.EvictBelow({3 * kHour}).removed, 1'000);
}

TEST(SideStateTest, TheKeyIsReadBackInAnyIntegerType) {
  SideState state(TimedOptions());
  const auto word = [](int64_t value) { return static_cast<uint64_t>(value); };
  AppendTo(&state, {{word(-3), 0, 1}, {std::nullopt, 0, 2}, {word(100), 0, 3}});
  const std::vector<RowId> rows = state.LiveRows();
  const Column tiny = state.GatherKeyWord(DataType::TinyInt(), rows);
  const Column small = state.GatherKeyWord(DataType::SmallInt(), rows);
  const Column date = state.GatherKeyWord(DataType::Date(), rows);
  const Column time = state.GatherKeyWord(DataType::Timestamp(3), rows);
  EXPECT_EQ(tiny.Values<int8_t>()[0], -3);
  EXPECT_EQ(small.Values<int16_t>()[0], -3);
  EXPECT_EQ(date.Values<int32_t>()[2], 100);
  EXPECT_EQ(time.Values<int64_t>()[0], -3);
  for (const Column& column : {tiny, small, date, time}) {
    EXPECT_TRUE(column.IsNull(1));
    EXPECT_EQ(column.null_count(), 1);
  }
}

TEST(SideStateTest, ALongStringColumnStartsNewChunks) {
  SideStateOptions options = TimedOptions();
  options.limits.string_bytes_max = 10;  // Less than some single strings.
  SideState state(options);
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < 200; ++i) rows.push_back({5, i * 1'000, i});
  AppendTo(&state, rows);
  state.CheckInvariants();
  std::vector<int64_t> serials(200);
  std::iota(serials.begin(), serials.end(), 0);
  EXPECT_EQ(LiveSerials(state), serials);
}

TEST(SideStateTest, IdsAreRenumberedBeforeTheyRunOut) {
  SideStateOptions options = TimedOptions();
  options.limits.first_chunk = (0xffffffffU >> options.limits.chunk_bits) - 4;
  SideState state(options);
  // One batch that needs more ids than there are: the numbering starts anew in its middle.
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < 30; ++i) rows.push_back({static_cast<uint64_t>(i % 3), i * 1'000, i});
  AppendTo(&state, rows);
  const RowId before = state.LiveRows().back();
  rows.clear();
  for (int64_t i = 30; i < 300; ++i) rows.push_back({static_cast<uint64_t>(i % 3), i * 1'000, i});
  AppendTo(&state, rows);
  state.CheckInvariants();
  EXPECT_LT(state.LiveRows().back(), before);
  EXPECT_EQ(Partners(&state, {1, 0}).size(), 100U);
  const SideDelta delta = state.TakeDelta();
  int64_t stored = 0;
  for (const StateRows& run : delta.rows) {
    for (int64_t row = 0; row < run.num_rows; ++row) {
      EXPECT_EQ(StoredRowAt(run, row).row.serial, stored++);
    }
  }
  EXPECT_EQ(stored, 300);
}

TEST(SideStateTest, ReleasingRenumbersIdsThatAreHalfUsedUp) {
  SideStateOptions options = TimedOptions();
  options.limits.first_chunk = (0xffffffffU >> options.limits.chunk_bits) / 2 + 10;
  SideState state(options);
  AppendTo(&state, {{5, 1'000, 1}, {5, 2'000, 2}});
  const RowId before = FindSerial(state, 1);
  state.ReleaseEvicted();
  EXPECT_LT(FindSerial(state, 1), before);
  EXPECT_THAT(Partners(&state, {5, 0}), ElementsAre(1, 2));
  state.CheckInvariants();
}

TEST(SideStateTest, OneRowFarAheadDoesNotHoldTheOthersInMemory) {
  SideStateOptions options = TimedOptions();
  options.limits.chunk_bits = 8;
  options.time_precision = 6;
  SideState state(options);
  AppendTo(&state, {{99, 100 * kHour, 1'000'000}});
  state.TakeDelta();
  const RowId outlier = FindSerial(state, 1'000'000);
  int64_t memory_max = 0;
  for (int64_t batch = 0; batch < 400; ++batch) {
    std::vector<SideRow> rows;
    for (int64_t i = 0; i < 100; ++i) {
      rows.push_back({static_cast<uint64_t>(i), batch * kSecond + i, batch * 100 + i});
    }
    AppendTo(&state, rows);
    state.EvictBelow({(batch - 5) * kSecond});
    state.TakeDelta();
    state.ReleaseEvicted();
    state.CheckInvariants();
    if (batch == 20) memory_max = 2 * state.memory_bytes();
    if (batch > 20) {
      ASSERT_LE(state.memory_bytes(), memory_max) << batch;
    }
  }
  EXPECT_EQ(state.num_rows(), 601);
  const RowId moved = FindSerial(state, 1'000'000);
  EXPECT_NE(moved, outlier) << "it was stored again under a new id";
  EXPECT_THAT(Partners(&state, {99, 100 * kHour}, 0, 0), ElementsAre(1'000'000));
  state.MarkMatched(std::vector<RowId>{moved});
  const SideDelta delta = state.TakeDelta();
  EXPECT_THAT(delta.matched, ElementsAre(MakePersistentId(0, 0))) << "its persistent id stays";
  EXPECT_THAT(delta.rows, IsEmpty());
}

TEST(SideStateTest, ASmallStateCostsLittle) {
  SideStateOptions options = TimedOptions();
  options.limits.chunk_bits = 14;
  SideState state(options);
  EXPECT_LT(state.memory_bytes(), 8 << 10);
  std::vector<SideRow> rows;
  for (int64_t i = 0; i < 10; ++i) rows.push_back({5, i * 1'000, i});
  AppendTo(&state, rows);
  EXPECT_LT(state.memory_bytes(), 24 << 10);
}

// Two payload columns of eight bytes, as the impressions of the ad-click workload.
SideStateOptions WideOptions() {
  SideStateOptions options;
  options.has_time = true;
  options.track_matches = true;
  options.collect_delta = false;
  options.payload = {DataType::BigInt(), DataType::Double()};
  return options;
}

class WideRows {
 public:
  ArrivingRows Next(int64_t count) {
    keys_ = {};
    ColumnBuilder times(DataType::Timestamp(3));
    ColumnBuilder numbers(DataType::BigInt());
    ColumnBuilder prices(DataType::Double());
    for (int64_t i = 0; i < count; ++i, ++next_) {
      keys_.words.push_back(static_cast<uint64_t>(next_) * 0x9e3779b97f4a7c15ULL >> 24);
      times.Append(next_ * 100 / 1'000 * 1'000);
      numbers.Append(next_);
      prices.Append(0.5);
    }
    times_ = times.Finish();
    payload_ = {numbers.Finish(), prices.Finish()};
    rows_.resize(static_cast<size_t>(count));
    std::iota(rows_.begin(), rows_.end(), 0);
    return {&keys_, &times_, payload_, rows_};
  }
  EventTime now() const { return {next_ * 100}; }

 private:
  int64_t next_ = 0;
  KeyWords keys_;
  Column times_;
  std::vector<Column> payload_;
  std::vector<int32_t> rows_;
};

TEST(SideStateTest, AStoredRowTakesAtMostSixtyBytesAndTheMemoryOfAMovingWindowIsFlat) {
  SideState state(WideOptions());
  WideRows rows;
  int64_t memory_max = 0;
  for (int batch = 0; batch < 120; ++batch) {
    state.Append(rows.Next(20'000), {});
    state.EvictBelow(rows.now() - Seconds(40));
    state.ReleaseEvicted();
    if (batch < 20) continue;
    ASSERT_EQ(state.num_rows(), 400'000);
    ASSERT_LE(state.memory_bytes(), 60 * state.num_rows());
    ASSERT_LE(state.index_bytes(), 26 * state.num_rows());
    if (batch < 40) {
      memory_max = std::max(memory_max, state.memory_bytes());
    } else {
      ASSERT_LE(state.memory_bytes(), memory_max + memory_max / 20) << batch;
    }
  }
  EXPECT_TRUE(state.TakeDelta().empty()) << "nothing is kept for deltas";
  state.EvictAll();
  state.ReleaseEvicted();
  EXPECT_LT(state.memory_bytes(), 8 << 10);
}

}  // namespace
}  // namespace braid
