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
class FileLock;
}  // namespace leveldb

namespace braid {

struct LevelDbStorageOptions {
  bool create = true;           // False: kNotFound if there is none.
  leveldb::Env* env = nullptr;  // Not owned; null: the machine's files.
  // Makes the names in a folder durable, where `env` is another disk; null: the machine's way.
  std::function<Status(const std::string& folder)> sync_folder = nullptr;
  // To look at it as it is now (still_files.h): nothing is written, created or locked, and others
  // may have it open. Write fails.
  bool read_only = false;
  std::string folder = "state";  // Of the directory.
  // With read_only: logs that are damaged end where the damage begins, instead of an error.
  bool cuts_damaged_logs = false;
  // Not null: it takes the message that a log is missing, which is then no error.
  std::string* missing_log = nullptr;
};

// kConflict: another process, or this one, has it open for writing. kCorruption: names the files
// that are damaged or missing; nothing was changed, nor is a new database ever put in the place of
// a damaged one. kIo: as LevelDB says.
Result<std::unique_ptr<RecordStorage>> OpenLevelDbStorage(const std::string& directory,
                                                          const LevelDbStorageOptions& options);

// One name for the folder of a directory, however that was written.
std::string StoreLocation(const std::string& directory, const std::string& folder = "state");

// Keeps every process from opening the database for writing as long as it lives.
class StoreLock {
 public:
  // kConflict: a process, maybe this one, has it open. kNotFound: there is no such folder.
  static Result<std::unique_ptr<StoreLock>> Take(const std::string& location);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  explicit StoreLock(leveldb::FileLock* lock) : lock_(lock) {}

  leveldb::FileLock* const lock_;
};

// Makes entries that came or went in a folder durable.
Status SyncFolder(const std::string& folder);

}  // namespace braid
