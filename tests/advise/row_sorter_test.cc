#include "engine/advise/row_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace braid {
namespace {

struct Case {
  std::string name;
  size_t num_rows;
  uint64_t num_keys;
  int64_t memory_bytes_max;
  bool spills;
};

std::vector<KeyedRow> RandomRows(const Case& tested) {
  std::mt19937_64 random(7);
  std::vector<KeyedRow> rows;
  for (size_t index = 0; index < tested.num_rows; ++index) {
    rows.push_back({SpreadKey(random() % tested.num_keys),
                    static_cast<int64_t>(random() % 1'000'000) - 500'000,
                    static_cast<int64_t>(index)});
  }
  return rows;
}

auto Fields(const KeyedRow& row) { return std::tuple(row.key, row.time, row.record); }

TEST(RowSorterTest, SortsWithinItsMemory) {
  const Case cases[] = {
      {"no rows", 0, 1, 1 << 20, false},
      {"one row", 1, 1, 1 << 20, false},
      {"in memory", 20'000, 5'000, 1 << 20, false},
      {"one key in memory", 20'000, 1, 1 << 20, false},
      {"many runs", 200'000, 50'000, 1 << 18, true},
      {"few keys in many runs", 200'000, 3, 1 << 18, true},
      {"one key in many runs", 50'000, 1, 1 << 17, true},
      {"the least memory", 10'000, 100, 1 << 16, true},
  };
  for (const Case& tested : cases) {
    SCOPED_TRACE(tested.name);
    std::vector<KeyedRow> rows = RandomRows(tested);
    RowSorter sorter(tested.memory_bytes_max);
    for (const KeyedRow& row : rows) ASSERT_TRUE(sorter.Add(row));
    ASSERT_TRUE(sorter.Finish());
    std::vector<KeyedRow> sorted;
    while (sorter.Peek() != nullptr) {
      sorted.push_back(*sorter.Peek());
      ASSERT_TRUE(sorter.Pop());
    }
    EXPECT_TRUE(std::is_sorted(
        sorted.begin(), sorted.end(),
        [](const KeyedRow& left, const KeyedRow& right) { return left.IsBefore(right); }));
    const auto by_fields = [](const KeyedRow& left, const KeyedRow& right) {
      return Fields(left) < Fields(right);
    };
    std::sort(sorted.begin(), sorted.end(), by_fields);
    std::sort(rows.begin(), rows.end(), by_fields);
    EXPECT_TRUE(std::equal(
        rows.begin(), rows.end(), sorted.begin(), sorted.end(),
        [](const KeyedRow& left, const KeyedRow& right) { return Fields(left) == Fields(right); }));
    EXPECT_EQ(sorter.spilled_bytes(),
              tested.spills ? static_cast<int64_t>(tested.num_rows * sizeof(KeyedRow)) : 0);
    EXPECT_LE(sorter.memory_bytes_peak(), tested.memory_bytes_max);
  }
}

TEST(RowSorterTest, SpreadsWordsOneToOne) {
  std::vector<uint64_t> keys;
  for (uint64_t word = 0; word < 10'000; ++word) keys.push_back(SpreadKey(word));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace braid
