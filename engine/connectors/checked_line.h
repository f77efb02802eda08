// Lines of text files that must not be taken for what they are not: a checksum, a blank, the text.
// Formats that use them are in docs/format/offsets.md.
//
// Thread rule: free functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braid {

// 8 hexadecimal digits, XXH32 (seed 0) of `text`, a blank, `text` and a line end.
std::string CheckedLine(std::string_view text);

// The text of a line without its end; nothing if the checksum does not fit.
std::optional<std::string_view> TextOfCheckedLine(std::string_view line);

}  // namespace braid
