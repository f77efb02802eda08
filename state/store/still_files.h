// The files of a LevelDB as they were at one moment, for looking into it: it can be opened over
// them however many others look at it, and also while another process opens it, writes to it or
// deletes files of it. Nothing reaches the disk: what LevelDB writes when it opens stays in memory,
// and it locks nothing.
//
// Use: Take, open the LevelDB with env(), and call FinishWork before that is deleted.
// Ownership: holds the tables, logs and the manifest open; `base` is borrowed.
// Cost: one open file each. Memory: what LevelDB writes, usually nothing.
// Thread rule: as leveldb::Env, any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "braid/error.h"

namespace leveldb {
class Env;
}

namespace braid {

class StillFiles {
 public:
  // kConflict: the files changed faster than they could be opened. kIo: one cannot be opened. A
  // folder that is not there has no files.
  static Result<std::unique_ptr<StillFiles>> Take(leveldb::Env* base, const std::string& folder);
  ~StillFiles();
  StillFiles(const StillFiles&) = delete;
  StillFiles& operator=(const StillFiles&) = delete;

  leveldb::Env* env() const;

  // The file ends after so many bytes, as if it had been torn there. Before the database is opened.
  void Cut(const std::string& path, uint64_t size);

  // Lets LevelDB's own work in the background begin, which is held back until then: it ends when
  // it sees that the database is being closed.
  void FinishWork();

 private:
  class Environment;
  explicit StillFiles(std::unique_ptr<Environment> environment);

  const std::unique_ptr<Environment> environment_;
};

}  // namespace braid
