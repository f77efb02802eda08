// Lines of text files that must not be taken for what they are not: a checksum, a blank, the text;
// and the numbers in such texts.
// Formats that use them are in docs/format.
//
// Thread rule: free functions.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace braid {

// 8 hexadecimal digits, XXH32 (seed 0) of `text`, a blank, `text` and a line end.
std::string CheckedLine(std::string_view text);

// The text of a line without its end; nothing if the checksum does not fit.
std::optional<std::string_view> TextOfCheckedLine(std::string_view line);

// Takes a number and the blank behind it, unless nothing follows, from the front of *text. False if
// there is none, or none that fits the type.
template <typename Number>
bool TakeNumber(std::string_view* text, Number* number) {
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (failure != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  if (text->empty()) return true;
  if (text->front() != ' ') return false;
  text->remove_prefix(1);
  return true;
}

}  // namespace braid
