// Standard output or standard error as something that several threads write whole lines to.
//
// Errors: kIo; kCancelled if the reader of a pipe has gone, which is no fault (`braid run | head`).
// SIGPIPE must be ignored for that to be seen.
// Thread rule: any number of threads.
#pragma once

#include <cstdio>
#include <mutex>
#include <string_view>

#include "braid/error.h"

namespace braid {

class ConsoleStream {
 public:
  // `stream` is borrowed: stdout or stderr.
  explicit ConsoleStream(std::FILE* stream) : stream_(stream) {}

  // Writes whole lines, which no other writer tears.
  Status Write(std::string_view lines);
  Status Flush();

 private:
  static Status Failure(int errno_value);

  std::FILE* const stream_;
  std::mutex mutex_;
};

// True if `stream` is a terminal.
bool IsTerminal(std::FILE* stream);

// True if colours may be written: it is a terminal and NO_COLOR is not set (https://no-color.org).
bool TakesColours(std::FILE* stream);

}  // namespace braid
