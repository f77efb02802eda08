// A file in the system's temporary directory (TMPDIR, else /tmp) that nobody else sees: it has no
// name any more once it is open, so that nothing is left behind, whatever ends the process.
//
// Errors: kIo with what the system said.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "braid/error.h"

namespace braid {

class SpillFile {
 public:
  static Result<SpillFile> Create();
  ~SpillFile();
  SpillFile(SpillFile&& other) noexcept;
  SpillFile& operator=(SpillFile&& other) noexcept;

  int64_t size() const { return size_; }

  Status Append(const void* bytes, size_t size);

  // All bytes so far as memory that the system takes back when it is short of it, as long as a copy
  // of the pointer lives. Null when there are none.
  Result<std::shared_ptr<const char>> Map() const;

  // REQUIRES: offset + size <= size().
  Status Read(int64_t offset, void* bytes, size_t size) const;

 private:
  explicit SpillFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
  int64_t size_ = 0;
};

}  // namespace braid
