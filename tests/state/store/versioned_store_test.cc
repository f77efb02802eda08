#include "state/versioned_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "state/rows/column_builder.h"

namespace braid {
namespace {

using testing::ElementsAre;

TEST(VersionedStoreTest, AVersionIsReadAsItWasCommitted) {
  const auto store = NewMemoryStore({.retain_versions = 2});
  ColumnBuilder times(DataType::Timestamp(6));
  for (const int64_t time : {10, 20, 30}) times.Append(time);
  SideDelta delta;
  StateRows& run = delta.rows.emplace_back();
  run.first_id = MakePersistentId(0, 1);
  run.num_rows = 3;
  run.words = {1, 2, 3};
  run.times = times.Finish();
  BatchCommit commit;
  ASSERT_TRUE(store->Commit(commit, std::span(&delta, 1), nullptr));
  commit.batch_id = 1;
  commit.thresholds[0] = EventTime{20};
  SideDelta second;
  second.matched = {MakePersistentId(0, 3)};
  ASSERT_TRUE(store->Commit(commit, std::span(&second, 1), nullptr));

  std::vector<uint64_t> words;
  std::vector<uint8_t> matched;
  const auto consumer = [&](StateRows rows) -> Status {
    words.insert(words.end(), rows.words.begin(), rows.words.end());
    matched.insert(matched.end(), rows.matched.begin(), rows.matched.end());
    return {};
  };
  ASSERT_TRUE(store->ReadSide(0, 0, consumer));
  EXPECT_THAT(words, ElementsAre(1, 2, 3));
  words.clear();
  matched.clear();
  ASSERT_TRUE(store->ReadSide(1, 0, consumer));
  EXPECT_THAT(words, ElementsAre(2, 3));
  EXPECT_THAT(matched, ElementsAre(0, 1));
  EXPECT_EQ(store->ReadSide(7, 0, consumer).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace braid
