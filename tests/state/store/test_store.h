// A store of either kind for a test: LevelDB in a folder of its own that goes with it.
//
// Thread rule: as the store's; Reopen while nothing else uses it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "state/versioned_store.h"
#include "tests/state/fault_environment.h"

namespace braid {

enum class StoreKind { kMemory, kLevelDb };
std::string StoreKindName(StoreKind kind);

// A new empty folder; removed with its content at the end of the program's life or by the owner.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What OpenLevelDbStore does, with an environment of its own.
Result<std::unique_ptr<VersionedStore>> OpenTestStore(const std::string& directory,
                                                      StoreOptions options,
                                                      FaultEnvironment* environment);

class TestStore {
 public:
  TestStore(StoreKind kind, StoreOptions options);
  ~TestStore();

  VersionedStore* get() const { return store_.get(); }
  bool can_reopen() const { return kind_ == StoreKind::kLevelDb; }
  // Closes it and opens it again; a store in memory stays as it is.
  void Reopen();

  void CheckInvariants() const;
  FaultEnvironment* environment() { return &environment_; }

  // What is stored: records by the first letter of their keys, and the bytes of all.
  std::map<char, int> record_counts() const;
  size_t record_bytes() const;

 private:
  const StoreKind kind_;
  const StoreOptions options_;
  TestFolder folder_;
  FaultEnvironment environment_;
  std::unique_ptr<VersionedStore> store_;
};

}  // namespace braid
