#include "engine/expression/utf8.h"

#include <algorithm>

namespace braid {

namespace {

bool IsContinuation(char letter) { return (static_cast<uint8_t>(letter) & 0xc0) == 0x80; }

// How many bytes a valid character at the front takes; 0 if there is none.
size_t ValidCharacterBytes(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return 1;
  size_t bytes = 0;
  if (lead >= 0xc2 && lead <= 0xdf) bytes = 2;
  if (lead >= 0xe0 && lead <= 0xef) bytes = 3;
  if (lead >= 0xf0 && lead <= 0xf4) bytes = 4;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  const auto second = static_cast<uint8_t>(text[1]);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool too_large = lead == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : bytes;
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

bool IsUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t bytes = ValidCharacterBytes(text.substr(at));
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

}  // namespace braid
