// A file that holds payload columns which have no room in memory. It has no name from the moment it
// is open, so that nothing is left of it when the process ends, however that happens; nothing in it
// is needed after that.
//
// Space that is freed is used again, and given back to the file system meanwhile.
//
// Errors: kIo with the folder and what the system said (a full disk; a short read).
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "braid/error.h"

namespace braid {

class PayloadFile {
 public:
  // Opens nothing yet: the first Write does.
  explicit PayloadFile(std::string folder);
  ~PayloadFile();
  PayloadFile(const PayloadFile&) = delete;
  PayloadFile& operator=(const PayloadFile&) = delete;

  // Writes `bytes` and returns where. REQUIRES: not empty.
  Result<int64_t> Write(std::span<const char> bytes);
  // Reads what Write wrote, or a part of it.
  Status Read(int64_t offset, std::span<char> bytes) const;
  // Gives back `num_bytes` that one Write wrote at `offset`.
  void Free(int64_t offset, int64_t num_bytes);

  // The error of bytes at `offset` that are not what was written.
  Status Damaged(int64_t offset) const;

  int64_t disk_bytes() const { return used_bytes_; }

 private:
  Status Open();
  // Where `num_bytes` fit; takes the space.
  int64_t Take(int64_t num_bytes);
  void GiveBack(int64_t offset, int64_t num_bytes);

  const std::string folder_;
  std::string name_;  // For messages.
  int descriptor_ = -1;
  int64_t end_ = 0;                  // Nothing is beyond it.
  int64_t used_bytes_ = 0;           // In whole steps.
  std::map<int64_t, int64_t> free_;  // Offset and length of what lies free before the end.
};

}  // namespace braid
