#include "engine/connectors/format/utf8_text.h"

#include <simdjson.h>

#include <cstddef>

namespace braid {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes of the UTF-8 sequence at the front of `text`; 0 if there is none.
size_t SequenceBytes(std::string_view text) {
  for (size_t bytes = 1; bytes <= 4 && bytes <= text.size(); ++bytes) {
    if (IsUtf8(text.substr(0, bytes))) return bytes;
  }
  return 0;
}

}  // namespace

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string WithoutInvalidBytes(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t bytes = SequenceBytes(text);
    valid += bytes == 0 ? kReplacement : text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return valid;
}

}  // namespace braid
