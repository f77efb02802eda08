// The bytes that come in on standard input. They come once, so that whoever looks at the first ones
// to guess what they are and whoever reads them share one of these.
//
// Errors: kIo.
// Thread rule: any number of threads; they wait for each other. What Peek gives is for one of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "braid/error.h"

namespace braid {

// The path that means it.
inline constexpr std::string_view kStandardStreamPath = "-";

class StandardInput {
 public:
  // `descriptor` is borrowed: 0, or in a test the end of a pipe.
  explicit StandardInput(int descriptor) : descriptor_(descriptor) {}

  struct Beginning {
    std::string_view bytes;  // Valid until the next call.
    bool is_whole = false;   // Nothing follows.
  };
  // The first bytes, `size` of them or all there are; they are still to be read. Waits for them.
  Result<Beginning> Peek(size_t size);

  struct Taken {
    size_t count = 0;
    bool at_end = false;  // Nothing follows.
  };
  // Reads up to `size` bytes; waits for the first of them, but no longer than `wait_max`.
  Result<Taken> Read(char* bytes, size_t size, std::chrono::milliseconds wait_max);

  // True for the first caller alone: the one that may read.
  bool Claim();

 private:
  // Appends to waiting_ what one read gives.
  Status Fetch();

  int descriptor_;
  std::mutex mutex_;     // Guards all below.
  std::string waiting_;  // Bytes that were looked at and not yet read.
  size_t waiting_from_ = 0;
  bool at_end_ = false;
  bool is_claimed_ = false;
};

}  // namespace braid
