#include "tests/cli/screen.h"

#include <algorithm>
#include <cctype>

namespace braid::testing {

namespace {

size_t LetterBytes(char first) {
  const unsigned char byte = static_cast<unsigned char>(first);
  return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

// Letters are only told apart, so their bytes may stand for them.
char32_t Pack(std::string_view letter) {
  char32_t packed = 0;
  for (const char byte : letter) packed = (packed << 8U) | static_cast<unsigned char>(byte);
  return packed;
}

void Unpack(char32_t packed, std::string* text) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    const char byte = static_cast<char>((packed >> static_cast<unsigned>(shift)) & 0xFFU);
    if (byte != 0) *text += byte;
  }
}

}  // namespace

void Screen::Escape(char code, int count) {
  if (code == 'A') row_ -= std::min(row_, static_cast<size_t>(std::max(count, 1)));
  if (code == 'm') has_styles_ = true;
  if (code == 'K' || code == 'J') rows_[row_].resize(std::min(rows_[row_].size(), column_));
  if (code == 'J') rows_.resize(row_ + 1);
}

void Screen::Write(std::string_view bytes) {
  pending_ += bytes;
  size_t position = 0;
  while (position < pending_.size()) {
    const char first = pending_[position];
    if (first == '\x1b') {
      size_t end = position + 2;
      while (end < pending_.size() &&
             std::isdigit(static_cast<unsigned char>(pending_[end])) != 0) {
        ++end;
      }
      if (end >= pending_.size()) break;
      const std::string digits = pending_.substr(position + 2, end - position - 2);
      Escape(pending_[end], digits.empty() ? 0 : std::stoi(digits));
      position = end + 1;
      continue;
    }
    const size_t num_bytes = LetterBytes(first);
    if (position + num_bytes > pending_.size()) break;
    if (first == '\r') {
      column_ = 0;
    } else if (first == '\n') {
      // A terminal puts the cursor at the start of the next row (ONLCR).
      column_ = 0;
      if (++row_ == rows_.size()) rows_.emplace_back();
    } else {
      rows_[row_].resize(std::max(rows_[row_].size(), column_ + 1), U' ');
      rows_[row_][column_++] = Pack(pending_.substr(position, num_bytes));
    }
    position += num_bytes;
  }
  pending_.erase(0, position);
}

std::vector<std::string> Screen::rows() const {
  std::vector<std::string> texts;
  for (const std::u32string& row : rows_) {
    std::string& text = texts.emplace_back();
    for (const char32_t letter : row) Unpack(letter, &text);
    while (!text.empty() && text.back() == ' ') text.pop_back();
  }
  while (!texts.empty() && texts.back().empty()) texts.pop_back();
  return texts;
}

}  // namespace braid::testing
