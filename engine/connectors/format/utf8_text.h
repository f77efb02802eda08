// Strings are UTF-8. Bytes that are none become U+FFFD, as in Spark and Flink.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>

namespace braid {

// Some 30 GB a second for ASCII.
bool IsUtf8(std::string_view text);

// The text with U+FFFD for each byte that is not part of a valid sequence.
std::string WithoutInvalidBytes(std::string_view text);

}  // namespace braid
