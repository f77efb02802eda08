// Looks at the files of a LevelDB one by one, and names those that are damaged or missing:
// LevelDB's own errors often do not, and some damage it does not see: a log that is gone or has
// lost its end looks to it as if what was in it had never been written.
//
// A log may end in a record that a crash tore; that is no damage.
//
// Thread rule: free functions. The files must not change meanwhile: hold the lock, or look at
// StillFiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leveldb {
class Env;
}

namespace braid {

struct DamagedFile {
  std::string name;  // Path.
  std::string what;
  // Of a log that reads well up to a record: where that begins; else 0.
  uint64_t good_bytes = 0;
  // It is a log that is not there. LevelDB's newest log may be lost in a power failure before
  // anything was put into it; whether anything was, only who knows what was committed can say.
  bool is_missing_log = false;
  bool has_tables = true;  // False: with the log, nothing at all is there.

  std::string ToString() const { return name + ": " + what; }
};

enum class CheckDepth : uint8_t {
  kEnds,  // What LevelDB does not see itself: O(size of the manifest and of the logs' last blocks).
  kAll,   // Every byte of every file.
};

struct FolderContent {
  bool has_current = false;
  bool has_data = false;  // Tables or logs: something was committed here.
  bool empty = true;

  // LevelDB has made nothing yet, or was ended in the midst of it: it begins anew.
  bool is_unbegun() const { return !has_current && !has_data; }
};

FolderContent LookIntoFolder(leveldb::Env* env, const std::string& folder);

// Of the LevelDB in `folder`, in no order that matters; empty: nothing was found.
std::vector<DamagedFile> CheckDatabase(leveldb::Env* env, const std::string& folder,
                                       CheckDepth depth);

}  // namespace braid
