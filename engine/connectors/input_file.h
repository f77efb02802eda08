// The bytes of one file from front to back, decompressed if its name says so: .gz (also several
// members in one file), .bz2, .zst.
//
// Errors: kNotFound, kIo; kInvalidInput if compressed bytes are damaged or cut short. All name the
// file, and place.file is the path.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "braid/error.h"

namespace braid {

enum class Compression : uint8_t { kNone, kGzip, kBzip2, kZstd };

// By the end of the name, in any case.
Compression CompressionOf(std::string_view path);

// What a file without a compressed name seems to be by its first bytes.
Compression CompressionOfBytes(std::string_view first_bytes);

class InputFile {
 public:
  virtual ~InputFile() = default;

  static Result<std::unique_ptr<InputFile>> Open(const std::string& path);

  // Reads up to `size` bytes and returns how many; 0 only at the end. REQUIRES: size > 0.
  virtual Result<size_t> Read(char* bytes, size_t size) = 0;

  // Leaves out `count` bytes, fewer at the end. Costs nothing for plain files, and reading them for
  // compressed ones. Whether the end was passed shows at the next Read.
  virtual Status Skip(int64_t count) = 0;

  // Bytes on disk when it was opened.
  virtual int64_t size() const = 0;
};

}  // namespace braid
