// UTF-8 text, character (code point) by character. Strings of Braid are UTF-8; bytes that are none
// become U+FFFD where text comes in, as in Spark and Flink.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

// Bytes of the character that begins at the front of `text`, cut at its end; a byte that begins no
// character counts as one. REQUIRES: text is not empty.
size_t CharacterBytes(std::string_view text);

int64_t CountCharacters(std::string_view text);

// The first `characters` characters, all of a shorter text.
std::string_view FirstCharacters(std::string_view text, uint32_t characters);

// True if `text` is UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. Some 30 GB a
// second for ASCII.
bool IsUtf8(std::string_view text);

// The text with U+FFFD for each byte that is not part of a valid sequence.
std::string WithoutInvalidBytes(std::string_view text);

}  // namespace braid
