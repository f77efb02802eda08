#include "engine/sql/utf8.h"

#include <cstddef>
#include <cstdint>

namespace braid {

namespace {

struct Lead {
  int following = -1;     // Bytes after the first one; -1: cannot begin a character.
  uint32_t smallest = 0;  // The smallest character of that length.
  uint32_t bits = 0;      // What the first byte gives.
};

Lead DecodeLead(unsigned char byte) {
  if (byte < 0x80) return {0, 0, byte};
  if (byte >= 0xC2 && byte < 0xE0) return {1, 0x80, byte & 0x1FU};
  if (byte >= 0xE0 && byte < 0xF0) return {2, 0x800, byte & 0x0FU};
  if (byte >= 0xF0 && byte < 0xF5) return {3, 0x10000, byte & 0x07U};
  return {};
}

}  // namespace

bool IsUtf8Text(std::string_view bytes) {
  size_t index = 0;
  while (index < bytes.size()) {
    const Lead lead = DecodeLead(static_cast<unsigned char>(bytes[index++]));
    if (lead.following < 0) return false;
    uint32_t character = lead.bits;
    for (int count = 0; count < lead.following; ++count) {
      if (index >= bytes.size()) return false;
      const auto byte = static_cast<unsigned char>(bytes[index++]);
      if ((byte & 0xC0U) != 0x80U) return false;
      character = (character << 6U) | (byte & 0x3FU);
    }
    const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
    if (character < lead.smallest || character > 0x10FFFF || surrogate) return false;
  }
  return true;
}

}  // namespace braid
