#include "state/rows/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <cstddef>

namespace braid {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool IsContinuation(char letter) { return (static_cast<uint8_t>(letter) & 0xc0) == 0x80; }

// Bytes of the UTF-8 sequence at the front of `text`; 0 if there is none.
size_t SequenceBytes(std::string_view text) {
  for (size_t bytes = 1; bytes <= 4 && bytes <= text.size(); ++bytes) {
    if (IsUtf8(text.substr(0, bytes))) return bytes;
  }
  return 0;
}

}  // namespace

size_t CharacterBytes(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0xc0) return 1;
  const size_t wanted = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  size_t bytes = 1;
  while (bytes < wanted && bytes < text.size() && IsContinuation(text[bytes])) ++bytes;
  return bytes;
}

int64_t CountCharacters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char letter) { return !IsContinuation(letter); });
}

std::string_view FirstCharacters(std::string_view text, uint32_t characters) {
  if (text.size() <= characters) return text;
  size_t end = 0;
  for (uint32_t i = 0; i < characters && end < text.size(); ++i) {
    end += CharacterBytes(text.substr(end));
  }
  return text.substr(0, end);
}

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
