// Keeps the records that could not be read, one JSON object a line, in <folder>/<table>.json:
//
//   {"file":"in/a.csv","line":12,"reason":"column price: 'abc' is not a
//   DOUBLE","text":"1,abc","part":3}
//
// in the order of reading. When a source goes back (a restart, a replay), Rewind takes out what
// will be found again, so that each bad record stands there once. The file is created by its first
// record.
//
// Of two readers of one table the second keeps nothing: the first finds the same records.
// Errors: kIo.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "braid/error.h"
#include "engine/connectors/format/row_decoder.h"

namespace braid {

class BadRecordFile {
 public:
  // Empty `folder`: nothing is kept.
  BadRecordFile(std::string folder, const std::string& table);
  ~BadRecordFile();
  BadRecordFile(const BadRecordFile&) = delete;
  BadRecordFile& operator=(const BadRecordFile&) = delete;

  // The file; empty if nothing is kept.
  const std::string& path() const { return path_; }

  // Removes the records of parts after `part`, and those of `part` from `line` on.
  Status Rewind(int64_t part, int64_t line);

  // `part`: number of the file's part in the list (file_list.h).
  Status Add(int64_t part, const std::string& file, const BadRecord& record);

  // Hands what was added to the operating system.
  Status Flush();

  // The same, safe from a crash of the machine.
  Status Sync();

 private:
  static constexpr size_t kBufferBytes = size_t{64} << 10;

  // Opens the file, if it is there or may be created, and takes its lock.
  Status Open(bool create);

  std::string folder_;
  std::string path_;
  int descriptor_ = -1;
  bool is_kept_by_another_ = false;
  bool is_synced_ = true;
  bool is_name_synced_ = false;  // The file's name, in its folder.
  std::string buffer_;
};

}  // namespace braid
