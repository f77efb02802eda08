#include "tests/state/store/test_store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "state/store/leveldb_storage.h"
#include "state/store/record_store.h"

namespace braid {

std::string StoreKindName(StoreKind kind) {
  return kind == StoreKind::kMemory ? "Memory" : "LevelDb";
}

TestFolder::TestFolder() {
  path_ = (std::filesystem::temp_directory_path() / "braid_store_XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) std::abort();
}

TestFolder::~TestFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

Result<std::unique_ptr<VersionedStore>> OpenTestStore(const std::string& directory,
                                                      StoreOptions options,
                                                      FaultEnvironment* environment) {
  LevelDbStorageOptions storage_options;
  storage_options.env = environment->env();
  auto storage = OpenLevelDbStorage(directory, storage_options);
  if (!storage) return tl::unexpected(storage.error());
  return RecordStore::Open(std::move(*storage), options, /*read_only=*/false);
}

TestStore::TestStore(StoreKind kind, StoreOptions options) : kind_(kind), options_(options) {
  if (kind == StoreKind::kMemory) store_ = NewMemoryStore(options);
  Reopen();
}

TestStore::~TestStore() = default;

void TestStore::Reopen() {
  if (!can_reopen()) return;
  store_.reset();
  auto opened = OpenTestStore(folder_.path(), options_, &environment_);
  ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
  store_ = std::move(*opened);
}

void TestStore::CheckInvariants() const {
  dynamic_cast<const RecordStore&>(*store_).CheckInvariants();
}

std::map<char, int> TestStore::record_counts() const {
  std::map<char, int> counts;
  dynamic_cast<const RecordStore&>(*store_).VisitRecords(
      [&](std::string_view key, std::string_view) { ++counts[key[0]]; });
  return counts;
}

size_t TestStore::record_bytes() const {
  size_t bytes = 0;
  dynamic_cast<const RecordStore&>(*store_).VisitRecords(
      [&](std::string_view key, std::string_view record) { bytes += key.size() + record.size(); });
  return bytes;
}

}  // namespace braid
