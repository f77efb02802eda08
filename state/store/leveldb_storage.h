// Records in one LevelDB: `directory`/state.
//
// Thread rule: as RecordStorage.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "braid/error.h"
#include "state/store/record_storage.h"

namespace leveldb {
class Env;
}

namespace braid {

struct LevelDbStorageOptions {
  bool create = true;           // False: kNotFound if there is none.
  leveldb::Env* env = nullptr;  // Not owned; null: the machine's files.
  // Makes the names in a folder durable, where `env` is another disk; null: the machine's way.
  std::function<Status(const std::string& folder)> sync_folder = nullptr;
};

// kConflict: another process, or this one, has it open. kCorruption, kIo: as LevelDB says; nothing
// was changed, nor is a new database ever put in the place of a damaged one.
Result<std::unique_ptr<RecordStorage>> OpenLevelDbStorage(const std::string& directory,
                                                          const LevelDbStorageOptions& options);

}  // namespace braid
