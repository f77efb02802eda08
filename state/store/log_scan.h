// Reads a file in LevelDB's log format, which its logs and its manifest have, and tells a torn end
// from a damaged one. LevelDB itself takes a record whose length points behind the end of the file
// for one that a crash tore while it was written, and forgets it; if all of its bytes are there,
// its length is what is wrong.
//
// Format: blocks of 32 KiB of fragments: CRC32C (masked) of what follows the length, length (2
// bytes, little-endian), type, bytes. A fragment does not cross blocks.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace braid {

constexpr uint64_t kLogBlockBytes = 32'768;

struct LogEnd {
  enum class Kind : uint8_t { kWhole, kTorn, kDamaged };
  Kind kind = Kind::kWhole;
  uint64_t at = 0;  // The byte where the record begins that is not whole; else the size.
};

// Calls `visit` with each whole record, in order; false from it stops. `bytes`: the file from the
// beginning of a block on, up to its end; `begins` says whether it begins there, too. `at` counts
// from the first of `bytes`. O(bytes), and of the last block O(block).
LogEnd ScanLog(std::string_view bytes, bool begins,
               const std::function<bool(std::string_view record)>& visit);

}  // namespace braid
