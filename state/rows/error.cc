#include "braid/error.h"

#include <fmt/format.h>

namespace braid {

const char* ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidQuery:
      return "invalid query";
    case ErrorCode::kInvalidOption:
      return "invalid option";
    case ErrorCode::kInvalidInput:
      return "invalid input";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kIo:
      return "input/output error";
    case ErrorCode::kCorruption:
      return "corruption";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kProgram:
      return "program error";
    case ErrorCode::kInternal:
      return "internal error";
  }
  return "unknown error";
}

std::string Error::ToString() const {
  std::string text;
  if (!place.file.empty()) text += place.file + ":";
  if (place.line > 0) text += fmt::format("{}:", place.line);
  if (place.column > 0) text += fmt::format("{}:", place.column);
  if (!text.empty()) text += " ";
  text += fmt::format("{}: {}", ErrorCodeName(code), message);
  if (place.batch) text += fmt::format(" (batch {})", *place.batch);
  if (!place.source_offset.empty()) text += fmt::format(" (source offset {})", place.source_offset);
  return text;
}

}  // namespace braid
