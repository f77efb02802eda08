#include "engine/connectors/console_stream.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "engine/connectors/file_operations.h"

namespace braid {

Status ConsoleStream::Failure(int errno_value) {
  if (errno_value == EPIPE) {
    return Fail(ErrorCode::kCancelled, "the reader of standard output has gone");
  }
  return tl::unexpected<Error>(FileError("print to", "standard output", errno_value));
}

Status ConsoleStream::Write(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  if (std::fwrite(lines.data(), 1, lines.size(), stream_) == lines.size()) return {};
  return Failure(errno);
}

Status ConsoleStream::Flush() {
  const std::lock_guard lock(mutex_);
  if (std::fflush(stream_) == 0) return {};
  return Failure(errno);
}

bool IsTerminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

bool TakesColours(std::FILE* stream) {
  const char* no_colours = std::getenv("NO_COLOR");
  return IsTerminal(stream) && (no_colours == nullptr || no_colours[0] == '\0');
}

}  // namespace braid
