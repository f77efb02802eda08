// The disk of a whole job, in memory: the files of sources' lists and sinks (FileOperations) and
// those of LevelDB (Env) are on it together. It keeps apart what was written and what a loss of
// power leaves: the bytes of a file up to its last sync, and of a folder the names that it had at
// its last sync.
//
// Each call that changes something is counted, and one of them can be chosen to go wrong.
//
// Thread rule: FileOperations and Env from any thread; the controls while nobody uses the disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "engine/connectors/file_operations.h"

namespace leveldb {
class Env;
}

namespace braid::testing {

class SimulatedDisk {
 public:
  // `folder` is there, durably.
  explicit SimulatedDisk(const std::string& folder);
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  std::shared_ptr<FileOperations> operations();
  leveldb::Env* env();

  // Calls that change something, since the beginning or the last Restart.
  int64_t calls() const;

  // Of these calls, counted from 1, the ones from `first` on fail, `count` of them, as on a full
  // disk. An append that fails has written half of its bytes.
  void FillUp(int64_t first, int64_t count);
  // The process dies within the call: it and all later ones do nothing. An append is half done.
  void Kill(int64_t call);
  // The call met the fault, or it is still to come.
  bool met_fault() const;

  // A new process: all calls do again what they should.
  void Restart();
  // A new start of the machine: what was not synced is gone. Of the changes to folders that were
  // not synced, the first `journaled` are kept, as a file system keeps them that writes a journal.
  void RestartAfterPowerLoss(int64_t journaled);
  int64_t unsynced_folder_changes() const;

  // The files below a folder by path, with their bytes.
  std::map<std::string, std::string> Files(const std::string& folder) const;

 private:
  class Tree;
  class Operations;
  class Environment;

  std::shared_ptr<Tree> tree_;
  std::unique_ptr<Environment> environment_;
};

}  // namespace braid::testing
