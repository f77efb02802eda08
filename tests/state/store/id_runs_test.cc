#include "state/store/id_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace braid {
namespace {

using testing::ElementsAre;

std::span<const uint8_t> AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::vector<PersistentId> Ids(const IdRuns& runs) {
  std::vector<PersistentId> ids;
  for (const IdRuns::Run& run : runs.runs()) {
    EXPECT_EQ(run.position, ids.size());
    for (uint64_t i = 0; i < run.count; ++i) ids.push_back(run.first + i);
  }
  EXPECT_EQ(ids.size(), runs.size());
  return ids;
}

IdRuns RunsOf(const std::set<PersistentId>& ids) {
  IdRuns runs;
  for (const PersistentId id : ids) runs.Append(id);
  return runs;
}

TEST(IdRunsTest, NeighboursAreOneRun) {
  IdRuns runs;
  EXPECT_TRUE(runs.empty());
  runs.Append(3);
  runs.Append(4, 2);
  runs.Append(10, 5);
  EXPECT_EQ(runs.runs().size(), 2U);
  EXPECT_EQ(runs.first(), 3U);
  EXPECT_EQ(runs.last(), 14U);
  EXPECT_THAT(Ids(runs), ElementsAre(3, 4, 5, 10, 11, 12, 13, 14));
  EXPECT_TRUE(runs.Contains(5));
  EXPECT_FALSE(runs.Contains(6));
  EXPECT_FALSE(runs.Contains(2));
  EXPECT_FALSE(runs.Contains(15));
}

TEST(IdRunsTest, BytesAreDistancesAndLengths) {
  IdRuns runs;
  runs.Append(1, 300);
  runs.Append(303);
  EXPECT_EQ(runs.Encode(), std::string("\x01\xac\x02\x02\x01"));
}

TEST(IdRunsTest, AnyIdsComeBack) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::set<PersistentId> ids;
    for (uint64_t i = random() % 100; i > 0; --i) {
      const uint64_t id = random() >> (1 + random() % 63);
      ids.insert(id);
      ids.insert(id + 1);
    }
    const IdRuns runs = RunsOf(ids);
    const std::string bytes = runs.Encode();
    const auto decoded = IdRuns::Decode(AsBytes(bytes));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(Ids(*decoded), std::vector<PersistentId>(ids.begin(), ids.end()));
  }
}

TEST(IdRunsTest, UnionHasEachIdOnce) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    std::set<PersistentId> all;
    std::vector<IdRuns> lists;
    for (int list = 0; list < round % 6; ++list) {
      std::set<PersistentId> ids;
      for (int i = 0; i < 20; ++i) ids.insert(random() % 60);
      all.insert(ids.begin(), ids.end());
      lists.push_back(RunsOf(ids));
    }
    EXPECT_EQ(Ids(IdRuns::Union(lists)), std::vector<PersistentId>(all.begin(), all.end()));
  }
}

TEST(IdRunsTest, WhatEncodingCannotGiveIsRefused) {
  const std::string cases[] = {
      std::string("\x01", 1),              // No length.
      std::string("\x01\x00", 2),          // An empty run.
      std::string("\x01\x01\x00\x01", 4),  // Runs that touch.
      std::string("\x80", 1),              // A number that does not end.
      std::string("\x81\x00\x01", 3),      // A longer form of 1.
      std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02", 11),  // Runs past the end.
      std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x01", 11),  // More than 64 bits.
      std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", 12),
      std::string("\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", 13),
  };
  for (const std::string& bytes : cases) {
    EXPECT_FALSE(IdRuns::Decode(AsBytes(bytes))) << testing::PrintToString(bytes);
  }
  // Long runs take no memory.
  const std::string vast("\x01\xff\xff\xff\xff\xff\xff\xff\x7f", 9);
  ASSERT_TRUE(IdRuns::Decode(AsBytes(vast)));
  EXPECT_EQ(IdRuns::Decode(AsBytes(vast))->runs().size(), 1U);
}

}  // namespace
}  // namespace braid
