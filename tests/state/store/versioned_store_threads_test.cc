// Readers beside a writer: every version that a reader is told of reads as it was committed, or is
// gone by then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "state/checkpoint_repair.h"
#include "tests/state/store/scenario.h"
#include "tests/state/store/test_rows.h"
#include "tests/state/store/test_store.h"

namespace braid {
namespace {

class VersionedStoreThreadsTest : public testing::TestWithParam<StoreKind> {};

constexpr int kRetained = 3;
constexpr int kRows = 12;

// The ids that a reader finds must be those of the model after that commit.
std::vector<std::vector<PersistentId>> ExpectedIds(const std::vector<ModelStore>& models) {
  std::vector<std::vector<PersistentId>> expected;
  for (size_t i = 1; i < models.size(); ++i) {
    std::vector<PersistentId>& ids = expected.emplace_back();
    for (const TestRow& row : models[i].Rows(static_cast<int64_t>(i) - 1, 0)) ids.push_back(row.id);
  }
  return expected;
}

// Reads all versions once; counts those that were there from beginning to end.
void ReadAll(VersionedStore* store, const std::vector<std::vector<PersistentId>>& expected,
             int64_t* complete) {
  const std::vector<VersionInfo> versions = *store->Versions();
  for (const VersionInfo& info : versions) {
    std::vector<PersistentId> ids;
    const Status status = store->ReadSide(info.version, 0, [&](StateRows run) -> Status {
      for (int64_t row = 0; row < run.num_rows; ++row) ids.push_back(run.IdAt(row));
      return {};
    });
    if (!status) {
      EXPECT_EQ(status.error().code, ErrorCode::kNotFound) << status.error().ToString();
      continue;
    }
    ++*complete;
    EXPECT_EQ(ids, expected[static_cast<size_t>(info.version)]) << "version " << info.version;
    const auto timers = store->ReadTimers(info.version, 0);
    EXPECT_TRUE(timers || timers.error().code == ErrorCode::kNotFound);
  }
  EXPECT_GE(store->counters().chunks, 0);
  EXPECT_TRUE(store->identity().has_value());
}

TEST_P(VersionedStoreThreadsTest, ReadersSeeWholeVersionsWhileTheWriterCommits) {
  const std::vector<ScenarioCommit> scenario = MakeScenario(60, kRows);
  const auto expected = ExpectedIds(ModelsOf(scenario, kRetained));
  TestStore store(GetParam(), {kRetained});
  ASSERT_TRUE(store.get()->Create(TestIdentity()).has_value());
  std::atomic<bool> done = false;
  std::vector<int64_t> complete(3);
  std::vector<std::thread> readers;
  for (int64_t& count : complete) {
    readers.emplace_back([&] {
      // One more round after the end, so that each reader reads something.
      for (bool last = false; !last;) {
        last = done;
        ReadAll(store.get(), expected, &count);
      }
    });
  }
  for (const ScenarioCommit& step : scenario) {
    const Status status = store.get()->Commit(step.commit, step.deltas, &step.next_plan);
    EXPECT_TRUE(status.has_value()) << status.error().ToString();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  for (const int64_t count : complete) EXPECT_GE(count, kRetained);
}

// Whoever looks at the files, of a store that is opened, written to and closed meanwhile, sees a
// version that was committed, and is in nobody's way.
TEST(StoreFilesThreadsTest, WhoLooksSeesWholeVersionsWhileAnotherOpensAndCommits) {
  const std::vector<ScenarioCommit> scenario = MakeScenario(24, kRows);
  const auto expected = ExpectedIds(ModelsOf(scenario, kRetained));
  const TestFolder folder;
  ASSERT_TRUE((*OpenLevelDbStore(folder.path(), {kRetained}, false))->Create(TestIdentity()));
  std::atomic<bool> done = false;
  std::vector<int64_t> complete(2);
  std::vector<std::thread> readers;
  for (int64_t& count : complete) {
    readers.emplace_back([&] {
      for (bool last = false; !last;) {
        last = done;
        const auto store = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/true);
        ASSERT_TRUE(store.has_value()) << store.error().ToString();
        ReadAll(store->get(), expected, &count);
      }
    });
  }
  for (size_t i = 0; i < scenario.size();) {
    const auto store = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/false);
    EXPECT_TRUE(store.has_value()) << store.error().ToString();
    if (!store) break;
    for (const size_t end = i + 3; i < end; ++i) {
      const ScenarioCommit& step = scenario[i];
      const Status status = (*store)->Commit(step.commit, step.deltas, &step.next_plan);
      EXPECT_TRUE(status.has_value()) << status.error().ToString();
    }
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  for (const int64_t count : complete) EXPECT_GE(count, kRetained);
}

// A rollback lowers what DIR/committed says, then the store.
TEST(StoreFilesThreadsTest, WhoLooksFindsNoDamageWhileAnotherRollsBack) {
  const std::vector<ScenarioCommit> scenario = MakeScenario(3, kRows);
  const TestFolder folder;
  ASSERT_TRUE((*OpenLevelDbStore(folder.path(), {kRetained}, false))->Create(TestIdentity()));
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  readers.emplace_back([&] {
    while (!done) {
      const Result<StoreVerdict> verdict = VerifyStore(folder.path());
      ASSERT_TRUE(verdict.has_value()) << verdict.error().ToString();
      EXPECT_THAT(verdict->damage, testing::IsEmpty()) << verdict->damage.front().what;
    }
  });
  readers.emplace_back([&] {
    while (!done) {
      const auto store = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/true);
      ASSERT_TRUE(store.has_value()) << store.error().ToString();
    }
  });
  for (int round = 0; round < 30; ++round) {
    {
      const auto store = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/false);
      ASSERT_TRUE(store.has_value()) << store.error().ToString();
      for (size_t i = round == 0 ? 0 : 1; i < scenario.size(); ++i) {
        const ScenarioCommit& step = scenario[i];
        const Status status = (*store)->Commit(step.commit, step.deltas, &step.next_plan);
        EXPECT_TRUE(status.has_value()) << status.error().ToString();
      }
    }
    const Result<RollBackReport> back = RollBackStore(folder.path(), 0);
    EXPECT_TRUE(back.has_value()) << back.error().ToString();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
}

// The list of what a table has read comes when the store has been made.
TEST(StoreFilesThreadsTest, WhoLooksFindsNoDamageWhileAnotherStartsForTheFirstTime) {
  for (int round = 0; round < 100; ++round) {
    const TestFolder folder;
    std::atomic<bool> done = false;
    std::thread reader([&] {
      while (!done) {
        const Result<StoreVerdict> verdict = VerifyStore(folder.path());
        if (!verdict) {
          EXPECT_EQ(verdict.error().code, ErrorCode::kNotFound) << verdict.error().ToString();
          continue;
        }
        EXPECT_THAT(verdict->damage, testing::IsEmpty()) << verdict->damage.front().what;
      }
    });
    {
      const auto store = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/false);
      EXPECT_TRUE((*store)->Create(TestIdentity()));
      std::filesystem::create_directories(folder.path() + "/sources/t");
      std::ofstream(folder.path() + "/sources/t/files") << "";
    }
    done = true;
    reader.join();
  }
}

INSTANTIATE_TEST_SUITE_P(Both, VersionedStoreThreadsTest,
                         testing::Values(StoreKind::kMemory, StoreKind::kLevelDb),
                         [](const auto& kind) { return StoreKindName(kind.param); });

}  // namespace
}  // namespace braid
