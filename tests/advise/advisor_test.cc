#include "engine/advise/advisor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/advise/advised_rows.h"

namespace braid {
namespace {

using testing::AdvisedRow;
using testing::AdviseRows;

// Differences of all pairs and of the nearest partners, by a nested loop; sorted.
struct Differences {
  std::vector<int64_t> all;
  std::vector<int64_t> nearest;
};

Differences NestedLoop(const std::vector<AdvisedRow>& left, const std::vector<AdvisedRow>& right,
                       Interval max,
                       const std::function<bool(const AdvisedRow&, const AdvisedRow&)>& matches) {
  Differences differences;
  for (const AdvisedRow& one : left) {
    std::optional<int64_t> nearest;
    for (const AdvisedRow& other : right) {
      if (!one.time_millis || !other.time_millis || !matches(one, other)) continue;
      const int64_t difference = (*other.time_millis - *one.time_millis) * 1'000;
      if (std::abs(difference) > max.micros) continue;
      differences.all.push_back(difference);
      // Of two equally near ones the later.
      const bool is_nearer = !nearest || std::abs(difference) < std::abs(*nearest) ||
                             (difference == -*nearest && difference > 0);
      if (is_nearer) nearest = difference;
    }
    if (nearest) differences.nearest.push_back(*nearest);
  }
  std::sort(differences.all.begin(), differences.all.end());
  std::sort(differences.nearest.begin(), differences.nearest.end());
  return differences;
}

std::vector<int64_t> ValuesOf(const MatchAdvice& matches) {
  std::vector<int64_t> values;
  for (const TimeDistribution::Bin& bin : matches.bins) {
    values.insert(values.end(), static_cast<size_t>(bin.count), bin.smallest);
  }
  return values;
}

// Rows in any order of time, of few keys, some with NULLs.
std::vector<AdvisedRow> RandomRows(std::mt19937_64* random, size_t num_rows, int64_t num_keys) {
  std::vector<AdvisedRow> rows;
  for (size_t index = 0; index < num_rows; ++index) {
    AdvisedRow row;
    row.id = static_cast<int64_t>((*random)()) % num_keys;
    row.time_millis = static_cast<int64_t>((*random)() % 600'000);
    row.value = static_cast<int64_t>((*random)() % 10);
    row.name = (*random)() % 2 == 0 ? "even" : "odd";
    if ((*random)() % 50 == 0) row.id.reset();
    if ((*random)() % 50 == 0) row.time_millis.reset();
    rows.push_back(row);
  }
  return rows;
}

bool HaveEqualIds(const AdvisedRow& left, const AdvisedRow& right) {
  return left.id && right.id && *left.id == *right.id;
}

TEST(AdvisorTest, FindsThePairsOfANestedLoopInAnyMemory) {
  std::mt19937_64 random(11);
  const std::vector<AdvisedRow> left = RandomRows(&random, 4'000, 200);
  const std::vector<AdvisedRow> right = RandomRows(&random, 3'000, 200);
  const struct {
    const char* query;
    std::function<bool(const AdvisedRow&, const AdvisedRow&)> matches;
  } cases[] = {
      {"SELECT l.id FROM l JOIN r ON l.id = r.id", HaveEqualIds},
      {"SELECT l.id FROM l LEFT JOIN r ON l.id = r.id AND r.ts BETWEEN l.ts AND l.ts + INTERVAL "
       "'1' SECOND",
       HaveEqualIds},
      {"SELECT l.id FROM l LEFT JOIN r ON l.id = r.id AND r.v > 3 WHERE l.v < 5",
       [](const AdvisedRow& one, const AdvisedRow& other) {
         return HaveEqualIds(one, other) && other.value > 3 && one.value < 5;
       }},
      {"SELECT l.id FROM l JOIN r ON l.id = r.id AND l.v < r.v AND l.name <> r.name",
       [](const AdvisedRow& one, const AdvisedRow& other) {
         return HaveEqualIds(one, other) && one.value < other.value && one.name != other.name;
       }},
      {"SELECT l.id FROM l LEFT ANTI JOIN r ON l.id = r.id AND l.name = r.name",
       [](const AdvisedRow& one, const AdvisedRow& other) {
         return HaveEqualIds(one, other) && one.name == other.name;
       }},
      {"SELECT l.id FROM l JOIN r ON l.v > r.v + 7",
       [](const AdvisedRow& one, const AdvisedRow& other) { return one.value > other.value + 7; }},
  };
  const Interval max = Seconds(60);
  for (const auto& tested : cases) {
    const Differences expected = NestedLoop(left, right, max, tested.matches);
    ASSERT_FALSE(expected.all.empty());
    for (const int64_t memory_bytes : {int64_t{1} << 17, AdvisorOptions::kMemoryBytes}) {
      SCOPED_TRACE(std::string(tested.query) + " in " + std::to_string(memory_bytes));
      AdvisorOptions options;
      options.memory_bytes_max = memory_bytes;
      const Result<Advice> advice = AdviseRows(tested.query, left, right, max, options);
      ASSERT_TRUE(advice) << advice.error().message;
      ASSERT_TRUE(advice->pairs.is_exact);
      EXPECT_EQ(ValuesOf(advice->pairs), expected.all);
      EXPECT_EQ(ValuesOf(advice->nearest), expected.nearest);
    }
  }
}

TEST(AdvisorTest, KeepsToASmallMemory) {
  std::mt19937_64 random(3);
  const std::vector<AdvisedRow> left = RandomRows(&random, 60'000, 20'000);
  const std::vector<AdvisedRow> right = RandomRows(&random, 60'000, 20'000);
  AdvisorOptions options;
  options.memory_bytes_max = 1 << 18;
  options.exact_max = 1'000;
  const std::string query = "SELECT l.id FROM l JOIN r ON l.id = r.id";
  const Result<Advice> small = AdviseRows(query, left, right, std::nullopt, options);
  const Result<Advice> large = AdviseRows(query, left, right);
  ASSERT_TRUE(small) << small.error().message;
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_LE(small->buffer_bytes_peak, options.memory_bytes_max);
  EXPECT_GT(small->spilled_bytes, 10 * options.memory_bytes_max);
  EXPECT_EQ(large->spilled_bytes, 0);
  EXPECT_EQ(small->pairs.count, large->pairs.count);
  EXPECT_FALSE(small->pairs.is_exact);
  for (size_t index = 0; index < large->pairs.bounds.size(); ++index) {
    const BoundAdvice& exact = large->pairs.bounds[index];
    const BoundAdvice& binned = small->pairs.bounds[index];
    const auto exact_width = static_cast<double>((exact.upper + -exact.lower).micros);
    const auto binned_width = static_cast<double>((binned.upper + -binned.lower).micros);
    EXPECT_GE(binned_width, exact_width);
    EXPECT_LE(binned_width, exact_width * 1.004);
  }
}

TEST(AdvisorTest, RefusesAKeyThatNeedsMoreThanTheMemory) {
  std::vector<AdvisedRow> rows(20'000);
  for (size_t index = 0; index < rows.size(); ++index) {
    rows[index].id = 1;
    rows[index].time_millis = static_cast<int64_t>(index);
  }
  AdvisorOptions options;
  options.memory_bytes_max = 1 << 17;
  const Result<Advice> advice =
      AdviseRows("SELECT l.id FROM l JOIN r ON l.id = r.id", rows, rows, std::nullopt, options);
  ASSERT_FALSE(advice);
  EXPECT_EQ(advice.error().code, ErrorCode::kInvalidInput);
}

TEST(AdvisorTest, CountsRowsWithoutKeyOrTime) {
  const std::vector<AdvisedRow> left = {{1, 1'000},
                                        {std::nullopt, 2'000},
                                        {3, std::nullopt},
                                        {std::nullopt, std::nullopt},
                                        {2, 3'000}};
  const std::vector<AdvisedRow> right = {{1, 1'500}, {2, 2'000}};
  const Result<Advice> advice = AdviseRows("SELECT l.id FROM l JOIN r ON l.id = r.id", left, right);
  ASSERT_TRUE(advice) << advice.error().message;
  const SideAdvice& side = advice->side(Side::kLeft);
  EXPECT_EQ(side.num_rows, 5);
  EXPECT_EQ(side.num_joined_rows, 2);
  EXPECT_EQ(side.num_null_time_rows, 2);
  EXPECT_EQ(side.num_null_key_rows, 1);
  EXPECT_EQ(ValuesOf(advice->pairs), (std::vector<int64_t>{-1'000'000, 500'000}));
}

TEST(AdvisorTest, MeasuresTheDisorderOfEveryRowRead) {
  // The rows that the filter drops are late, and make others late, all the same.
  const std::vector<AdvisedRow> left = {{1, 1'000, 1}, {1, 9'000, 0}, {1, 4'000, 1},
                                        {1, 9'000, 1}, {1, 9'001, 1}, {1, 2'000, 0}};
  const Result<Advice> advice =
      AdviseRows("SELECT l.id FROM l JOIN r ON l.id = r.id WHERE l.v = 1", left, {{1, 1'000}});
  ASSERT_TRUE(advice) << advice.error().message;
  const SideAdvice& side = advice->side(Side::kLeft);
  EXPECT_EQ(side.num_joined_rows, 4);
  ASSERT_NE(side.no_late_rows(), nullptr);
  EXPECT_EQ(side.no_late_rows()->delay, Milliseconds(7'002));
  EXPECT_EQ(side.written_delay, Seconds(5));
  EXPECT_EQ(side.num_late_at_written_delay, 2);
}

TEST(AdvisorTest, SaysWhatTheJobsOwnBoundsKeep) {
  std::vector<AdvisedRow> left;
  std::vector<AdvisedRow> right;
  for (int64_t id = 0; id < 100; ++id) {
    left.push_back({id, 0});
    right.push_back({id, id * 100});
  }
  const Result<Advice> advice = AdviseRows(
      "SELECT l.id FROM l JOIN r ON l.id = r.id AND r.ts >= l.ts AND r.ts < l.ts + "
      "INTERVAL '5' SECOND",
      left, right);
  ASSERT_TRUE(advice) << advice.error().message;
  EXPECT_EQ(advice->written_share, 0.5);
  EXPECT_TRUE(advice->written_state);
  ASSERT_EQ(advice->pairs.bounds.size(), 4U);
  EXPECT_EQ(advice->pairs.bounds[0].kept, 90);
  EXPECT_EQ(advice->pairs.bounds[0].lower, Seconds(0));
  EXPECT_EQ(advice->pairs.bounds[0].upper, Milliseconds(8'900));
  EXPECT_EQ(advice->pairs.bounds[3].upper, Milliseconds(9'900));
}

TEST(AdvisorTest, ARowOfAWrongClockHardlyChangesTheRate) {
  std::vector<AdvisedRow> left;
  for (int64_t id = 0; id < 20'000; ++id) left.push_back({id, id * 10});
  left.push_back({1, int64_t{4'000'000'000'000}});
  const Result<Advice> advice =
      AdviseRows("SELECT l.id FROM l JOIN r ON l.id = r.id", left, {{1, 0}, {2, 0}});
  ASSERT_TRUE(advice) << advice.error().message;
  EXPECT_NEAR(advice->side(Side::kLeft).rows_per_second, 100, 1);
  EXPECT_EQ(advice->side(Side::kRight).rows_per_second, 0);
}

TEST(AdvisorTest, TablesWithoutRowsGiveNoAdvice) {
  const Result<Advice> advice =
      AdviseRows("SELECT l.id FROM l JOIN r ON l.id = r.id", {}, {{1, 1'000}});
  ASSERT_TRUE(advice) << advice.error().message;
  EXPECT_EQ(advice->pairs.count, 0);
  EXPECT_TRUE(advice->pairs.bounds.empty());
  EXPECT_EQ(advice->side(Side::kLeft).no_late_rows(), nullptr);
}

}  // namespace
}  // namespace braid
