#include "state/rows/checked_line.h"

#include <fmt/format.h>
// Compiled in, not linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace braid {

namespace {

std::string ChecksumOf(std::string_view text) {
  return fmt::format("{:08x}", XXH32(text.data(), text.size(), 0));
}

constexpr size_t kChecksumDigits = 8;

}  // namespace

std::string CheckedLine(std::string_view text) {
  return fmt::format("{} {}\n", ChecksumOf(text), text);
}

std::optional<std::string_view> TextOfCheckedLine(std::string_view line) {
  if (line.size() <= kChecksumDigits || line[kChecksumDigits] != ' ') return std::nullopt;
  const std::string_view text = line.substr(kChecksumDigits + 1);
  if (line.substr(0, kChecksumDigits) != ChecksumOf(text)) return std::nullopt;
  return text;
}

}  // namespace braid
