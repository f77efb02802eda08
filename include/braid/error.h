// What went wrong, as a value. Every call of Braid that can fail because of the world (a bad query,
// a bad row, the disk, another process) returns Result<T> or Status; nothing is thrown.
//
// Thread rule: values, copy and share freely.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "braid/export.h"

namespace braid {

// Says what the caller can do about it.
enum class ErrorCode : uint8_t {
  kInvalidQuery,   // Change the SQL text or the query description.
  kInvalidOption,  // Change an option: unknown name, or a value that cannot be read.
  kInvalidInput,   // Change the data, or choose what a bad row does.
  kNotFound,       // A file, table, version … that was named does not exist.
  kConflict,       // Another process or another query owns the checkpoint or the folder.
  kIo,             // The operating system refused; trying again may help.
  kCorruption,     // Stored bytes are damaged; nothing was changed.
  kCancelled,      // Stopped on request.
  kInternal,       // A fault of Braid itself.
  kProgram,        // Code of the embedding program threw: a source, a sink, a callback.
};

// "invalid query", "corruption" …; never null.
BRAID_EXPORT const char* ErrorCodeName(ErrorCode code);

// Where it went wrong. Lines and columns count from 1; 0 = unknown.
struct Place {
  std::string file;  // A path, an option of the command line, or empty for SQL text without one.
  int64_t line = 0;
  int64_t column = 0;
  std::optional<int64_t> batch;  // Id of the micro-batch that was running.
  std::string source_offset;     // Offset of the source, as it is logged.

  bool known() const { return !file.empty() || line > 0 || batch.has_value(); }
};

struct BRAID_EXPORT Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  Place place;

  // "job.sql:3:14: invalid query: …", without the parts that are unknown.
  std::string ToString() const;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// Fail(code, message[, place]) is what a failing function returns.
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, Place place = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(place)});
}

}  // namespace braid
