// What --verify finds and --rollback does to a store, version by version and file by file.
#include "state/checkpoint_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/state/store/scenario.h"
#include "tests/state/store/test_rows.h"
#include "tests/state/store/test_store.h"

namespace braid {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kCommits = 8;
constexpr int kRetained = 4;

std::string Content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void SetContent(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

Result<std::unique_ptr<VersionedStore>> OpenIn(const std::string& directory) {
  return OpenLevelDbStore(directory, {kRetained}, /*read_only=*/false);
}

Status CommitStep(VersionedStore* store, const ScenarioCommit& step) {
  return store->Commit(step.commit, step.deltas, &step.next_plan);
}

std::string TextOf(const StoreVerdict& verdict) {
  std::string text;
  for (const StoreDamage& damage : verdict.damage) text += damage.what + "\n";
  return text;
}

class CheckpointRepairTest : public testing::Test {
 protected:
  // `opened_before`: the commits before which the store is opened again, which makes tables.
  void Commit(const TestFolder& folder, const std::vector<size_t>& opened_before) {
    std::unique_ptr<VersionedStore> store;
    for (size_t i = 0; i < scenario_.size(); ++i) {
      if (i == 0 || std::count(opened_before.begin(), opened_before.end(), i) > 0) {
        store.reset();
        store = std::move(*OpenIn(folder.path()));
        if (i == 0) {
          ASSERT_TRUE(store->Create(TestIdentity()).has_value());
        }
      }
      ASSERT_TRUE(CommitStep(store.get(), scenario_[i]).has_value());
    }
  }

  // The names of the files of the database that end so, rising.
  static std::vector<std::string> Files(const TestFolder& folder, const std::string& end) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/state")) {
      if (entry.path().string().ends_with(end)) names.push_back(entry.path().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // Goes on from `committed` commits up to the end, as if nothing had happened.
  void ExpectGoesOn(const TestFolder& folder, size_t committed) {
    auto store = OpenIn(folder.path());
    ASSERT_TRUE(store.has_value()) << store.error().ToString();
    EXPECT_EQ(*(*store)->PendingPlan(), std::nullopt);
    ASSERT_EQ(CommitsIn(store->get()), static_cast<int64_t>(committed));
    const std::vector<VersionInfo> versions = *(*store)->Versions();
    for (const VersionInfo& info : versions) {
      for (uint8_t side = 0; side < 2; ++side) {
        ASSERT_TRUE((*store)->ReadSide(info.version, side, [](StateRows) -> Status { return {}; }));
      }
    }
    for (size_t i = committed; i < scenario_.size(); ++i) {
      const Status status = CommitStep(store->get(), scenario_[i]);
      ASSERT_TRUE(status.has_value()) << status.error().ToString();
    }
    // Older versions are fewer than the model has, the newest one is the same.
    const ModelStore& model = models_.back();
    const int64_t newest = kCommits - 1;
    for (uint8_t side = 0; side < 2; ++side) {
      std::vector<PersistentId> ids;
      ASSERT_TRUE((*store)->ReadSide(newest, side, [&](StateRows run) -> Status {
        for (int64_t row = 0; row < run.num_rows; ++row) ids.push_back(run.IdAt(row));
        return {};
      }));
      std::vector<PersistentId> expected;
      for (const TestRow& row : model.Rows(newest, side)) expected.push_back(row.id);
      EXPECT_EQ(ids, expected);
    }
    store->reset();
    const Result<StoreVerdict> verdict = VerifyStore(folder.path());
    ASSERT_TRUE(verdict.has_value());
    EXPECT_THAT(TextOf(*verdict), IsEmpty());
  }

  explicit CheckpointRepairTest(int rows_a_commit = 30)
      : scenario_(MakeScenario(kCommits, rows_a_commit)) {}

  const std::vector<ScenarioCommit> scenario_;
  const std::vector<ModelStore> models_ = ModelsOf(scenario_, kRetained);
};

TEST_F(CheckpointRepairTest, AWholeStoreIsWhole) {
  const TestFolder folder;
  Commit(folder, {3, 6});
  const Result<StoreVerdict> verdict = VerifyStore(folder.path());
  ASSERT_TRUE(verdict.has_value()) << verdict.error().ToString();
  EXPECT_THAT(TextOf(*verdict), IsEmpty());
  EXPECT_THAT(verdict->whole_versions, ElementsAre(4, 5, 6, 7));
  EXPECT_GT(verdict->num_records, 10);
  EXPECT_TRUE(verdict->pending_plan.has_value());
}

TEST_F(CheckpointRepairTest, NoCheckpointIsNotFound) {
  const TestFolder folder;
  EXPECT_EQ(VerifyStore(folder.path()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(RollBackStore(folder.path(), 1).error().code, ErrorCode::kNotFound);
}

TEST_F(CheckpointRepairTest, EveryRetainedVersionCanBeMadeTheNewest) {
  for (int64_t version = kCommits - kRetained; version < kCommits - 1; ++version) {
    SCOPED_TRACE(version);
    const TestFolder folder;
    Commit(folder, {3, 6});
    const Result<RollBackReport> report = RollBackStore(folder.path(), version);
    ASSERT_TRUE(report.has_value()) << report.error().ToString();
    EXPECT_EQ(report->from, kCommits - 1);
    EXPECT_FALSE(report->was_newest);
    EXPECT_FALSE(report->left_damage);
    const Result<StoreVerdict> verdict = VerifyStore(folder.path());
    ASSERT_TRUE(verdict.has_value());
    EXPECT_THAT(TextOf(*verdict), IsEmpty());
    EXPECT_EQ(verdict->versions.back().version, version);
    EXPECT_EQ(verdict->pending_plan, std::nullopt);
    ExpectGoesOn(folder, static_cast<size_t>(version) + 1);
  }
}

SideDelta RowsOfLineages(int64_t batch, uint32_t lineages) {
  SideDelta delta;
  for (uint32_t lineage = 0; lineage < lineages; ++lineage) {
    TestRow row;
    row.id = MakePersistentId(lineage, static_cast<uint64_t>(batch + 1));
    row.word = row.id;
    row.time = batch;
    delta.rows.push_back(MakeRun({&row, 1}));
  }
  return delta;
}

// Small chunks are rewritten as one, by a version that may be gone back behind: what is committed
// then under its number, and in more runs, must not take the place of the chunk that it rewrote.
TEST_F(CheckpointRepairTest, AChunkThatAVersionRewroteOutlivesIt) {
  constexpr uint32_t kLineages = 4;
  for (int64_t commits = 20; commits < 30; ++commits) {
    for (int64_t back = 1; back < kRetained; ++back) {
      SCOPED_TRACE(testing::Message() << commits << " commits, back by " << back);
      const TestFolder folder;
      const auto commit = [](VersionedStore* store, int64_t batch, uint32_t lineages) {
        BatchCommit end;
        end.batch_id = batch;
        const SideDelta delta = RowsOfLineages(batch, lineages);
        const Status committed = store->Commit(end, {&delta, 1}, nullptr);
        ASSERT_TRUE(committed.has_value()) << committed.error().ToString();
      };
      auto store = *OpenIn(folder.path());
      ASSERT_TRUE(store->Create(TestIdentity()).has_value());
      for (int64_t batch = 0; batch < commits; ++batch) commit(store.get(), batch, 1);
      store.reset();
      const int64_t version = commits - 1 - back;
      ASSERT_TRUE(RollBackStore(folder.path(), version).has_value());
      store = *OpenIn(folder.path());
      std::vector<PersistentId> expected;
      for (int64_t batch = 0; batch <= version; ++batch) {
        expected.push_back(MakePersistentId(0, static_cast<uint64_t>(batch + 1)));
      }
      for (int64_t batch = version + 1; batch < commits + 9; ++batch) {
        commit(store.get(), batch, kLineages);
        for (uint32_t lineage = 0; lineage < kLineages; ++lineage) {
          expected.push_back(MakePersistentId(lineage, static_cast<uint64_t>(batch + 1)));
        }
      }
      store.reset();
      const Result<StoreVerdict> verdict = VerifyStore(folder.path());
      ASSERT_TRUE(verdict.has_value());
      EXPECT_THAT(TextOf(*verdict), IsEmpty());
      store = *OpenIn(folder.path());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(ReadIds(store.get(), commits + 8, 0), expected);
    }
  }
}

TEST_F(CheckpointRepairTest, WhatCannotBeGoneBackToIsRefused) {
  const TestFolder folder;
  Commit(folder, {});
  const Result<RollBackReport> newest = RollBackStore(folder.path(), kCommits - 1);
  ASSERT_TRUE(newest.has_value());
  EXPECT_TRUE(newest->was_newest);
  const Result<RollBackReport> missing = RollBackStore(folder.path(), 1);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("has 4 to 7"));
  const auto store = OpenIn(folder.path());
  EXPECT_EQ(RollBackStore(folder.path(), 5).error().code, ErrorCode::kConflict);
}

// One byte of each file in turn: the file is named, and what is whole can be gone back to.
TEST_F(CheckpointRepairTest, ADamagedFileIsNamedAndWholeVersionsAreKept) {
  const TestFolder original;
  Commit(original, {3, 6});
  int kept = 0;
  for (const char* end : {".ldb", ".log", "CURRENT"}) {
    for (const std::string& file : Files(original, end)) {
      const std::string content = Content(file);
      for (int place = 0; place < 12; ++place) {
        const TestFolder folder;
        std::filesystem::copy(original.path(), folder.path(),
                              std::filesystem::copy_options::recursive);
        const std::string name = std::filesystem::path(file).filename().string();
        SCOPED_TRACE(name + " " + std::to_string(place));
        std::string damaged = content;
        const size_t at = content.size() * static_cast<size_t>(place) / 12;
        damaged[at] = static_cast<char>(damaged[at] ^ 4);
        SetContent(folder.path() + "/state/" + name, damaged);
        const Result<StoreVerdict> verdict = VerifyStore(folder.path());
        ASSERT_TRUE(verdict.has_value());
        if (verdict->damage.empty()) continue;  // An old table, or a byte without a meaning.
        EXPECT_THAT(TextOf(*verdict), AnyOf(HasSubstr(name), HasSubstr("MANIFEST")));
        EXPECT_EQ(verdict->damage.size(), 1U) << TextOf(*verdict);
        if (verdict->whole_versions.empty()) continue;
        const int64_t version = verdict->whole_versions.back();
        const Result<RollBackReport> report = RollBackStore(folder.path(), version);
        ASSERT_TRUE(report.has_value()) << report.error().ToString();
        EXPECT_TRUE(report->left_damage);
        ExpectGoesOn(folder, static_cast<size_t>(version) + 1);
        ++kept;
      }
    }
  }
  EXPECT_GT(kept, 5);
}

// Tables of many blocks.
class LargeCheckpointRepairTest : public CheckpointRepairTest {
 protected:
  LargeCheckpointRepairTest() : CheckpointRepairTest(/*rows_a_commit=*/1'000) {}
};

// What one version lacks, others do not need: each that is called whole can be gone back to.
TEST_F(LargeCheckpointRepairTest, ADamagedBlockLeavesTheVersionsThatDoNotNeedIt) {
  const TestFolder original;
  Commit(original, {3, 6});
  int kept = 0;
  for (const std::string& file : Files(original, ".ldb")) {
    const std::string content = Content(file);
    for (size_t place = 0; place < 10; ++place) {
      const TestFolder damaged;
      std::filesystem::copy(original.path(), damaged.path(),
                            std::filesystem::copy_options::recursive);
      const std::string name = std::filesystem::path(file).filename().string();
      std::string bytes = content;
      const size_t at = content.size() * place / 10;
      bytes[at] = static_cast<char>(bytes[at] ^ 4);
      SetContent(damaged.path() + "/state/" + name, bytes);
      const Result<StoreVerdict> verdict = VerifyStore(damaged.path());
      ASSERT_TRUE(verdict.has_value());
      if (verdict->damage.empty()) continue;
      for (const int64_t version : verdict->whole_versions) {
        SCOPED_TRACE(name + " " + std::to_string(place) + ": " + std::to_string(version));
        const TestFolder folder;
        std::filesystem::copy(damaged.path(), folder.path(),
                              std::filesystem::copy_options::recursive);
        const Result<RollBackReport> report = RollBackStore(folder.path(), version);
        ASSERT_TRUE(report.has_value()) << report.error().ToString();
        ExpectGoesOn(folder, static_cast<size_t>(version) + 1);
        ++kept;
      }
    }
  }
  EXPECT_GT(kept, 5);
}

TEST_F(CheckpointRepairTest, AManifestThatIsCutIsNamed) {
  const TestFolder folder;
  Commit(folder, {3});
  const std::string current = Content(folder.path() + "/state/CURRENT");
  const std::string manifest = folder.path() + "/state/" + current.substr(0, current.size() - 1);
  const std::string content = Content(manifest);
  for (size_t size = 0; size < content.size(); ++size) {
    SetContent(manifest, content.substr(0, size));
    const auto store = OpenIn(folder.path());
    ASSERT_FALSE(store.has_value()) << size;
    EXPECT_EQ(store.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(store.error().message, HasSubstr(manifest));
    EXPECT_THAT(TextOf(*VerifyStore(folder.path())), HasSubstr(manifest));
  }
}

// The last record's length, which LevelDB takes for a write that a crash tore.
TEST_F(CheckpointRepairTest, ADamagedEndOfTheLogIsNoTornWrite) {
  const TestFolder original;
  Commit(original, {});
  const std::string log = std::filesystem::path(Files(original, ".log").back()).filename().string();
  const std::string content = Content(original.path() + "/state/" + log);
  int refused = 0;
  for (size_t at = content.size() - 400; at < content.size(); ++at) {
    const TestFolder folder;
    std::filesystem::copy(original.path(), folder.path(), std::filesystem::copy_options::recursive);
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    SetContent(folder.path() + "/state/" + log, damaged);
    const auto store = OpenIn(folder.path());
    ASSERT_FALSE(store.has_value()) << at;
    EXPECT_EQ(store.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(store.error().message, HasSubstr(log));
    ++refused;
  }
  EXPECT_EQ(refused, 400);
}

TEST_F(CheckpointRepairTest, ALogThatLostCommitsIsFoundOutByTheMark) {
  const TestFolder original;
  Commit(original, {});
  const std::string log = std::filesystem::path(Files(original, ".log").back()).filename().string();
  const std::string content = Content(original.path() + "/state/" + log);
  for (size_t size = 0; size < content.size(); size += 1 + content.size() / 40) {
    const TestFolder folder;
    std::filesystem::copy(original.path(), folder.path(), std::filesystem::copy_options::recursive);
    SetContent(folder.path() + "/state/" + log, content.substr(0, size));
    auto store = OpenIn(folder.path());
    ASSERT_FALSE(store.has_value()) << size;
    EXPECT_EQ(store.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(store.error().message, HasSubstr(folder.path()));
    // Without the mark, as after a power failure, it is a torn write.
    std::filesystem::remove(folder.path() + "/committed");
    store = OpenIn(folder.path());
    EXPECT_TRUE(store.has_value()) << store.error().ToString();
  }
}

TEST_F(CheckpointRepairTest, WhatIsMissingIsNotBegunAnew) {
  const TestFolder original;
  Commit(original, {3});
  std::filesystem::create_directories(original.path() + "/sources/t");
  SetContent(original.path() + "/sources/t/files", "braid files 1\n");
  struct Case {
    std::vector<std::string> removed;
    std::string named;
  };
  const std::string log = std::filesystem::path(Files(original, ".log").back()).filename().string();
  for (const Case& c : {Case{{"state"}, "state"}, Case{{"state", "committed"}, "state"},
                        Case{{"state", "sources"}, "state"}, Case{{"state/CURRENT"}, "CURRENT"},
                        Case{{"state/" + log}, log}, Case{{"state/" + log, "committed"}, log}}) {
    SCOPED_TRACE(testing::PrintToString(c.removed));
    const TestFolder folder;
    std::filesystem::copy(original.path(), folder.path(), std::filesystem::copy_options::recursive);
    for (const std::string& name : c.removed)
      std::filesystem::remove_all(folder.path() + "/" + name);
    for (const bool read_only : {true, false}) {
      const auto store = OpenLevelDbStore(folder.path(), {}, read_only);
      ASSERT_FALSE(store.has_value());
      EXPECT_EQ(store.error().code, ErrorCode::kCorruption);
      EXPECT_THAT(store.error().message, HasSubstr(c.named));
    }
    const Result<StoreVerdict> verdict = VerifyStore(folder.path());
    ASSERT_TRUE(verdict.has_value()) << verdict.error().ToString();
    EXPECT_THAT(TextOf(*verdict), HasSubstr(c.named));
  }
}

TEST_F(CheckpointRepairTest, ADamagedMarkIsNamed) {
  const TestFolder folder;
  Commit(folder, {});
  const std::string content = Content(folder.path() + "/committed");
  for (size_t at = 0; at < content.size(); ++at) {
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    SetContent(folder.path() + "/committed", damaged);
    const auto store = OpenIn(folder.path());
    ASSERT_FALSE(store.has_value()) << at;
    EXPECT_THAT(store.error().message, HasSubstr("committed is damaged"));
  }
  SetContent(folder.path() + "/committed", "");
  EXPECT_TRUE(OpenIn(folder.path()).has_value());
}

}  // namespace
}  // namespace braid
