#include "engine/cli/terminal_line.h"

#include <algorithm>
#include <array>

namespace braid {

namespace {

struct Letter {
  size_t num_bytes = 1;
  uint32_t code = 0;  // 0: broken.
};

// The letter that begins at `position`.
Letter LetterAt(std::string_view text, size_t position) {
  const unsigned char first = static_cast<unsigned char>(text[position]);
  if (first < 0x80) return {1, first};
  const size_t num_bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (num_bytes == 0 || position + num_bytes > text.size()) return {};
  uint32_t code = first & (0xFFU >> (num_bytes + 1));
  for (size_t index = 1; index < num_bytes; ++index) {
    const unsigned char next = static_cast<unsigned char>(text[position + index]);
    if ((next & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (next & 0x3FU);
  }
  return {num_bytes, code};
}

bool HasShape(uint32_t code) { return code >= 0x20 && (code < 0x7F || code >= 0xA0); }

// The blocks of Unicode whose letters take two columns, roughly.
int WidthOf(uint32_t code) {
  struct Range {
    uint32_t first;
    uint32_t last;
  };
  constexpr std::array<Range, 7> kWide = {
      Range{0x1100, 0x115F}, Range{0x2E80, 0xA4CF}, Range{0xAC00, 0xD7A3},  Range{0xF900, 0xFAFF},
      Range{0xFE30, 0xFE6F}, Range{0xFF00, 0xFF60}, Range{0x1F300, 0x3FFFD}};
  const bool wide = std::any_of(kWide.begin(), kWide.end(), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
  return wide ? 2 : 1;
}

std::string_view EscapeOf(TextStyle style) {
  switch (style) {
    case TextStyle::kPlain:
      return "";
    case TextStyle::kDim:
      return "\x1b[2m";
    case TextStyle::kGood:
      return "\x1b[32m";
    case TextStyle::kWarning:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

int TextWidth(std::string_view text) {
  int width = 0;
  for (size_t position = 0; position < text.size();) {
    const Letter letter = LetterAt(text, position);
    width += WidthOf(letter.code);
    position += letter.num_bytes;
  }
  return width;
}

TerminalLine& TerminalLine::Add(std::string_view text, TextStyle style) {
  std::string shown;
  for (size_t position = 0; position < text.size();) {
    const Letter letter = LetterAt(text, position);
    shown += HasShape(letter.code) ? text.substr(position, letter.num_bytes) : "?";
    position += letter.num_bytes;
  }
  width_ += TextWidth(shown);
  if (!shown.empty()) pieces_.push_back({std::move(shown), style});
  return *this;
}

TerminalLine& TerminalLine::PadTo(int column) {
  const int spaces = std::max(column - width_, width_ > 0 ? 1 : 0);
  return Add(std::string(static_cast<size_t>(spaces), ' '));
}

std::string TerminalLine::Render(int columns, bool colors) const {
  std::string rendered;
  int left = columns;
  for (const Piece& piece : pieces_) {
    size_t end = 0;
    while (end < piece.text.size()) {
      const Letter letter = LetterAt(piece.text, end);
      const int width = WidthOf(letter.code);
      if (width > left) break;
      left -= width;
      end += letter.num_bytes;
    }
    const std::string_view escape = colors ? EscapeOf(piece.style) : "";
    rendered += escape;
    rendered += std::string_view(piece.text).substr(0, end);
    if (!escape.empty()) rendered += "\x1b[0m";
    if (end < piece.text.size()) break;
  }
  return rendered;
}

}  // namespace braid
