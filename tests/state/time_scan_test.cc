#include "state/time_scan.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "state/time_offset.h"

namespace braid {
namespace {

TEST(TimeScanTest, AgreesWithLookingAtOneAfterTheOther) {
  std::mt19937 random(1);
  const uint32_t edges[] = {0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, kNullTimeOffset};
  for (int round = 0; round < 2'000; ++round) {
    const uint32_t count = round % 65;
    const bool narrow = round % 2 == 0;
    const auto any_time = [&] {
      if (random() % 4 == 0) return edges[random() % 7];
      return static_cast<uint32_t>(narrow ? random() % 100 : random());
    };
    std::vector<Entry> entries(count);
    for (Entry& entry : entries) entry = {random(), any_time(), static_cast<RowId>(random())};
    const uint32_t bound = any_time();
    uint64_t below = 0;
    uint32_t earliest = 90;
    for (uint32_t i = 0; i < count; ++i) {
      if (entries[i].time < bound) {
        below |= uint64_t{1} << i;
      } else {
        earliest = std::min(earliest, entries[i].time);
      }
    }
    uint32_t found = 90;
    EXPECT_EQ(ScanTimes(entries.data(), count, bound, &found), below);
    EXPECT_EQ(found, earliest);
  }
}

}  // namespace
}  // namespace braid
