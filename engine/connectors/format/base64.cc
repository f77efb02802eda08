#include "engine/connectors/format/base64.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace braid {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

void AppendBase64(std::string_view bytes, std::string* text) {
  for (size_t index = 0; index < bytes.size(); index += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - index);
    uint32_t bits = 0;
    for (size_t byte = 0; byte < 3; ++byte) {
      bits <<= 8;
      if (byte < count) bits |= static_cast<unsigned char>(bytes[index + byte]);
    }
    for (size_t digit = 0; digit < 4; ++digit) {
      text->push_back(digit <= count ? kAlphabet[(bits >> (18 - 6 * digit)) & 63] : '=');
    }
  }
}

bool ReadBase64(std::string_view text, std::string* bytes) {
  static constexpr auto kDigits = [] {
    std::array<int8_t, 256> digits{};
    digits.fill(-1);
    for (size_t index = 0; index < kAlphabet.size(); ++index) {
      digits[static_cast<unsigned char>(kAlphabet[index])] = static_cast<int8_t>(index);
    }
    return digits;
  }();
  if (text.size() % 4 != 0) return false;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const size_t num_digits = text.size() - padding;
  uint32_t bits = 0;
  for (size_t index = 0; index < text.size(); ++index) {
    const int digit = index < num_digits ? kDigits[static_cast<unsigned char>(text[index])] : 0;
    if (digit < 0) return false;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    if (index % 4 != 3) continue;
    const size_t count = index == text.size() - 1 ? 3 - padding : 3;
    for (size_t byte = 0; byte < count; ++byte) {
      bytes->push_back(static_cast<char>((bits >> (16 - 8 * byte)) & 0xff));
    }
  }
  return true;
}

}  // namespace braid
