// The LevelDB store against the world: other processes, full disks, crashes, damaged files.
#include "state/store/leveldb_storage.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "state/checkpoint_repair.h"
#include "tests/state/fault_environment.h"
#include "tests/state/store/scenario.h"
#include "tests/state/store/test_rows.h"
#include "tests/state/store/test_store.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr int kRetained = 3;

// The store in `folder`; files as in `environment`.
Result<std::unique_ptr<VersionedStore>> Open(const TestFolder& folder,
                                             FaultEnvironment* environment) {
  return OpenTestStore(folder.path(), {kRetained}, environment);
}

Status CommitStep(VersionedStore* store, const ScenarioCommit& step) {
  return store->Commit(step.commit, step.deltas, &step.next_plan);
}

// A lock on the store's LOCK file, held by a process of its own.
class OtherProcess {
 public:
  explicit OtherProcess(const std::string& lock_file) {
    int ready[2];
    int stay[2];
    if (pipe(ready) != 0 || pipe(stay) != 0) std::abort();
    process_ = fork();
    if (process_ == 0) {
      const int file = open(lock_file.c_str(), O_RDWR | O_CREAT, 0644);
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      lock.l_whence = SEEK_SET;
      const char locked = fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
      char end = 0;
      close(stay[1]);
      if (write(ready[1], &locked, 1) == 1 && read(stay[0], &end, 1) == 0) _exit(0);
      _exit(1);
    }
    close(ready[1]);
    close(stay[0]);
    char locked = 'n';
    EXPECT_EQ(read(ready[0], &locked, 1), 1);
    EXPECT_EQ(locked, 'y');
    close(ready[0]);
    stay_ = stay[1];
  }

  ~OtherProcess() {
    close(stay_);
    int status = 0;
    waitpid(process_, &status, 0);
  }

  pid_t id() const { return process_; }

 private:
  pid_t process_ = 0;
  int stay_ = -1;
};

TEST(LevelDbStorageTest, AStoreThatIsOpenIsAConflict) {
  const TestFolder folder;
  const auto store = OpenLevelDbStore(folder.path(), {}, /*read_only=*/false);
  ASSERT_TRUE(store.has_value());
  const auto second = OpenLevelDbStore(folder.path(), {}, /*read_only=*/false);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_THAT(second.error().message, HasSubstr(folder.path()));
  EXPECT_THAT(second.error().message, HasSubstr("this process"));
}

TEST(LevelDbStorageTest, AnotherNameOfTheSameFolderIsAConflictToo) {
  const TestFolder folder;
  const std::string link = folder.path() + "/link";
  std::filesystem::create_directory(folder.path() + "/checkpoint");
  std::filesystem::create_directory_symlink(folder.path() + "/checkpoint", link);
  const auto store = OpenLevelDbStore(folder.path() + "/checkpoint", {}, /*read_only=*/false);
  ASSERT_TRUE(store.has_value());
  for (const std::string& name : {folder.path() + "/./checkpoint/", link}) {
    const auto second = OpenLevelDbStore(name, {}, /*read_only=*/false);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::kConflict) << name;
  }
}

TEST(LevelDbStorageTest, AStoreThatAnotherProcessUsesIsAConflict) {
  const TestFolder folder;
  ASSERT_TRUE(OpenLevelDbStore(folder.path(), {}, false).has_value());
  {
    const OtherProcess other(folder.path() + "/state/LOCK");
    const auto second = OpenLevelDbStore(folder.path(), {}, false);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::kConflict);
    EXPECT_THAT(second.error().message, HasSubstr("another process"));
    EXPECT_THAT(second.error().message, HasSubstr(std::to_string(other.id())));
    EXPECT_THAT(second.error().message, HasSubstr(folder.path()));
  }
  EXPECT_TRUE(OpenLevelDbStore(folder.path(), {}, true).has_value());
}

TEST(LevelDbStorageTest, ReadOnlyMakesNothingAndWritesNothing) {
  const TestFolder folder;
  const std::string below = folder.path() + "/a/b";
  const auto missing = OpenLevelDbStore(below, {}, /*read_only=*/true);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/a"));

  ASSERT_TRUE((*OpenLevelDbStore(below, {}, false))->Create(TestIdentity()).has_value());
  const auto store = OpenLevelDbStore(below, {}, true);
  ASSERT_TRUE(store.has_value());
  EXPECT_EQ((*store)->identity()->query_id, "query");
  EXPECT_EQ((*store)->WritePlan({}).error().code, ErrorCode::kInternal);
  EXPECT_EQ((*store)->Create({}).error().code, ErrorCode::kInternal);
  EXPECT_EQ((*store)->Commit({}, {}, nullptr).error().code, ErrorCode::kInternal);
}

// The names and sizes of all files, for whether anything was written.
std::map<std::string, uintmax_t> FilesIn(const std::string& folder) {
  std::map<std::string, uintmax_t> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().string()] = entry.file_size();
  }
  return files;
}

TEST(LevelDbStorageTest, WhoLooksKeepsNobodyOutAndWritesNothing) {
  const std::vector<ScenarioCommit> scenario = MakeScenario(6, 20);
  const std::vector<ModelStore> models = ModelsOf(scenario, kRetained);
  const TestFolder folder;
  auto writer = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/false);
  ASSERT_TRUE(writer.has_value());
  ASSERT_TRUE((*writer)->Create(TestIdentity()).has_value());
  ASSERT_TRUE(CommitStep(writer->get(), scenario[0]).has_value());
  ASSERT_TRUE(CommitStep(writer->get(), scenario[1]).has_value());
  // While it is open for writing, by several at once.
  const auto first = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/true);
  const auto second = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/true);
  ASSERT_TRUE(first.has_value()) << first.error().ToString();
  ASSERT_TRUE(second.has_value()) << second.error().ToString();
  ASSERT_TRUE(CommitStep(writer->get(), scenario[2]).has_value());
  writer->reset();
  const auto files = FilesIn(folder.path());
  const auto third = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/true);
  ASSERT_TRUE(third.has_value()) << third.error().ToString();
  EXPECT_TRUE(Agrees(third->get(), models[3]));
  EXPECT_EQ(FilesIn(folder.path()), files);
  // While they look it is opened again, which moves what is in the log and deletes that.
  writer = OpenLevelDbStore(folder.path(), {kRetained}, /*read_only=*/false);
  ASSERT_TRUE(writer.has_value()) << writer.error().ToString();
  for (size_t i = 3; i < scenario.size(); ++i) {
    ASSERT_TRUE(CommitStep(writer->get(), scenario[i]).has_value());
  }
  EXPECT_TRUE(Agrees(first->get(), models[2]));
  EXPECT_TRUE(Agrees(second->get(), models[2]));
  EXPECT_TRUE(Agrees(third->get(), models[3]));
  EXPECT_TRUE(Agrees(writer->get(), models[6]));
}

TEST(LevelDbStorageTest, AFolderThatCannotBeMadeIsAnIoError) {
  const TestFolder folder;
  std::ofstream(folder.path() + "/file") << "not a folder";
  const auto store = OpenLevelDbStore(folder.path() + "/file", {}, false);
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, ErrorCode::kIo);
  EXPECT_THAT(store.error().message, HasSubstr(folder.path()));
}

TEST(LevelDbStorageTest, AnInterruptedCreationIsTakenUpAgain) {
  const TestFolder folder;
  std::filesystem::create_directories(folder.path() + "/state");
  for (const char* name : {"MANIFEST-000001", "000001.dbtmp", "LOCK", "LOG"}) {
    std::ofstream(folder.path() + "/state/" + name) << "half";
  }
  EXPECT_EQ(VerifyStore(folder.path()).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(OpenLevelDbStore(folder.path(), {}, false).has_value());
}

// After any crash the store has what was committed, no less and no more.
TEST(LevelDbStorageTest, ACrashLosesNoCommit) {
  const std::vector<ScenarioCommit> scenario = MakeScenario(12, 20);
  const std::vector<ModelStore> models = ModelsOf(scenario, kRetained);
  const TestFolder folder;
  FaultEnvironment environment;
  ASSERT_TRUE((*Open(folder, &environment))->Create(TestIdentity()).has_value());
  environment.Crash();
  for (size_t i = 0; i < scenario.size(); ++i) {
    auto store = Open(folder, &environment);
    ASSERT_TRUE(store.has_value()) << store.error().ToString();
    ASSERT_TRUE(Agrees(store->get(), models[i]));
    ASSERT_EQ(*(*store)->PendingPlan(),
              i == 0 ? std::nullopt : std::optional(scenario[i - 1].next_plan));
    ASSERT_TRUE(CommitStep(store->get(), scenario[i]).has_value());
    store->reset();
    environment.Crash();
  }
}

// Every write in turn fails, as on a full disk; half of its bytes may have reached it.
TEST(LevelDbStorageTest, AFailedWriteIsAnIoErrorAndLosesNothing) {
  const std::vector<ScenarioCommit> scenario = MakeScenario(6, 20);
  const std::vector<ModelStore> models = ModelsOf(scenario, kRetained);
  bool reached_end = false;
  for (int64_t nth = 1; !reached_end; ++nth) {
    SCOPED_TRACE(nth);
    ASSERT_LT(nth, 100);
    const TestFolder folder;
    FaultEnvironment environment;
    auto store = Open(folder, &environment);
    ASSERT_TRUE((*store)->Create(TestIdentity()).has_value());
    environment.FailWrite(nth, /*for_good=*/nth % 2 == 0);
    size_t committed = 0;
    Status status;
    while (status && committed < scenario.size()) {
      status = CommitStep(store->get(), scenario[committed]);
      if (status) ++committed;
    }
    reached_end = status.has_value();
    if (!status) {
      EXPECT_EQ(status.error().code, ErrorCode::kIo);
      EXPECT_THAT(status.error().message, HasSubstr(folder.path()));
      // What was committed can still be read; nothing more is written.
      EXPECT_TRUE(Agrees(store->get(), models[committed]));
      environment.HealWrites();
      const Status again = CommitStep(store->get(), scenario[committed]);
      ASSERT_FALSE(again.has_value());
      EXPECT_EQ(again.error().code, ErrorCode::kIo);
      EXPECT_THAT(again.error().message, HasSubstr("opened again"));
    }
    store->reset();
    environment.HealWrites();
    if (nth % 3 == 0) environment.Crash();
    store = Open(folder, &environment);
    ASSERT_TRUE(store.has_value()) << store.error().ToString();
    // A commit whose sync failed may have reached the disk.
    const size_t found = static_cast<size_t>(CommitsIn(store->get()));
    EXPECT_TRUE(found == committed || found == committed + 1) << found << " of " << committed;
    EXPECT_TRUE(Agrees(store->get(), models[found]));
    for (size_t i = found; i < scenario.size(); ++i) {
      ASSERT_TRUE(CommitStep(store->get(), scenario[i]).has_value());
    }
    EXPECT_TRUE(Agrees(store->get(), models.back()));
  }
}

TEST(LevelDbStorageTest, AFailedCreationCanBeRepeated) {
  bool reached_end = false;
  for (int64_t nth = 1; !reached_end; ++nth) {
    SCOPED_TRACE(nth);
    ASSERT_LT(nth, 50);
    const TestFolder folder;
    FaultEnvironment environment;
    environment.FailWrite(nth, /*for_good=*/true);
    auto store = Open(folder, &environment);
    if (store.has_value()) {
      reached_end = (*store)->Create(TestIdentity()).has_value();
      store->reset();
    } else {
      EXPECT_EQ(store.error().code, ErrorCode::kIo);
    }
    environment.HealWrites();
    if (nth % 2 == 0) environment.Crash();
    store = Open(folder, &environment);
    ASSERT_TRUE(store.has_value()) << store.error().ToString();
    if (!(*store)->identity()) {
      EXPECT_TRUE((*store)->Create(TestIdentity()).has_value());
    }
  }
}

// A folder with tables and a log: a store that was opened in between.
class LevelDbDamageTest : public testing::Test {
 protected:
  static constexpr int kCommits = 12;

  void SetUp() override {
    FaultEnvironment environment;
    for (size_t i = 0; i < scenario_.size(); ++i) {
      if (i % 4 == 0) {
        store_.reset();
        store_ = std::move(*Open(original_, &environment));
        if (i == 0) {
          ASSERT_TRUE(store_->Create(TestIdentity()).has_value());
        }
      }
      ASSERT_TRUE(CommitStep(store_.get(), scenario_[i]).has_value());
    }
    store_.reset();
  }

  std::vector<std::string> FileNames() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(original_.path() + "/state")) {
      const std::string name = entry.path().filename().string();
      if (name != "LOCK" && !name.starts_with("LOG")) names.push_back(name);
    }
    return names;
  }

  static std::string Content(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  // A copy of the folder in which one file has another content; absent: is missing.
  std::unique_ptr<TestFolder> CopyWith(const std::string& name,
                                       const std::optional<std::string>& content) const {
    auto copy = std::make_unique<TestFolder>();
    std::filesystem::copy(original_.path(), copy->path(), std::filesystem::copy_options::recursive);
    const std::string path = copy->path() + "/state/" + name;
    std::filesystem::remove(path);
    if (content) std::ofstream(path, std::ios::binary) << *content;
    return copy;
  }

  // Opens and reads all: an error that names the folder, or what some commit left. Returns after
  // how many commits; absent: an error.
  std::optional<int64_t> Read(const TestFolder& folder) {
    FaultEnvironment environment;
    const auto store = Open(folder, &environment);
    if (!store.has_value()) {
      ExpectNamed(store.error(), folder);
      return std::nullopt;
    }
    const int64_t commits = CommitsIn(store->get());
    for (const auto& [version, commit] : models_[static_cast<size_t>(commits)].versions()) {
      for (uint8_t side = 0; side < 2; ++side) {
        const Status status =
            (*store)->ReadSide(version, side, [](const StateRows&) -> Status { return {}; });
        if (!status) {
          ExpectNamed(status.error(), folder);
          return std::nullopt;
        }
      }
    }
    EXPECT_TRUE(Agrees(store->get(), models_[static_cast<size_t>(commits)]));
    return commits;
  }

  static void ExpectNamed(const Error& error, const TestFolder& folder) {
    EXPECT_TRUE(error.code == ErrorCode::kCorruption || error.code == ErrorCode::kIo)
        << error.ToString();
    EXPECT_THAT(error.message, HasSubstr(folder.path()));
  }

  const std::vector<ScenarioCommit> scenario_ = MakeScenario(kCommits, 30);
  const std::vector<ModelStore> models_ = ModelsOf(scenario_, kRetained);
  TestFolder original_;
  std::unique_ptr<VersionedStore> store_;
};

TEST_F(LevelDbDamageTest, AWholeStoreReadsAsItWasCommitted) {
  EXPECT_EQ(Read(*CopyWith("LOCK", "")), kCommits);
}

TEST_F(LevelDbDamageTest, AMissingFileIsFoundOut) {
  for (const std::string& name : FileNames()) {
    SCOPED_TRACE(name);
    const std::optional<int64_t> commits = Read(*CopyWith(name, std::nullopt));
    // Without the log the commits in it are gone, as if they had never been made.
    if (commits) {
      EXPECT_TRUE(name.ends_with(".log"));
      EXPECT_EQ(*commits, kCommits - 4);
    }
  }
}

TEST_F(LevelDbDamageTest, AMissingCurrentIsNotTakenForANewStore) {
  const auto copy = CopyWith("CURRENT", std::nullopt);
  const auto store = OpenLevelDbStore(copy->path(), {}, /*read_only=*/false);
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(store.error().message, HasSubstr("CURRENT"));
}

TEST_F(LevelDbDamageTest, FlippedBytesAreFoundOut) {
  std::mt19937 random(1);
  int found_out = 0;
  int attempts = 0;
  for (const std::string& name : FileNames()) {
    const std::string content = Content(original_.path() + "/state/" + name);
    for (int i = 0; i < 25; ++i) {
      std::string damaged = content;
      const size_t at = std::uniform_int_distribution<size_t>(0, content.size() - 1)(random);
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (i % 8)));
      SCOPED_TRACE(name + " at " + std::to_string(at));
      ++attempts;
      const auto copy = CopyWith(name, damaged);
      if (!Read(*copy)) ++found_out;
    }
  }
  // Some bytes do not matter (old tables, padding), and a record length in the last block of a log
  // looks as a torn write does.
  EXPECT_GT(found_out, attempts / 2) << "of " << attempts;
}

TEST_F(LevelDbDamageTest, ATornLogIsAPrefixOfTheCommits) {
  for (const std::string& name : FileNames()) {
    if (!name.ends_with(".log")) continue;
    const std::string content = Content(original_.path() + "/state/" + name);
    int64_t before = kCommits - 4;
    for (size_t size = 0; size <= content.size(); size += 1 + content.size() / 60) {
      SCOPED_TRACE(size);
      const std::optional<int64_t> commits = Read(*CopyWith(name, content.substr(0, size)));
      ASSERT_TRUE(commits.has_value());
      EXPECT_GE(*commits, before);
      before = *commits;
    }
    EXPECT_GE(before, kCommits - 1);
  }
}

// A write a batch, for ever: the folder is as large after many as after few.
TEST(LevelDbStorageTest, TheFolderDoesNotGrowWithTheNumberOfSmallWrites) {
  const TestFolder folder;
  FaultEnvironment environment;
  LevelDbStorageOptions options;
  options.env = environment.env();
  Result<std::unique_ptr<RecordStorage>> storage = OpenLevelDbStorage(folder.path(), options);
  ASSERT_TRUE(storage) << storage.error().message;
  const std::string record(1'200, 'x');
  uint64_t bytes_max = 0;
  for (int write = 0; write < 30'000; ++write) {
    (*storage)->Put("P", record);
    (*storage)->Put("C" + std::to_string(100'000 + write), record);
    if (write >= 10) (*storage)->Delete("C" + std::to_string(100'000 + write - 10));
    ASSERT_TRUE((*storage)->Write());
    if (write % 1'000 != 0) continue;
    uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder.path() + "/state")) {
      bytes += file.file_size();
    }
    bytes_max = std::max(bytes_max, bytes);
  }
  EXPECT_LT(bytes_max, 40U << 20) << "of 75 MB that were written";
}

}  // namespace
}  // namespace braid
