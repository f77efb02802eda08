// Base64 (RFC 4648, with padding): how BYTES stand in texts.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>

namespace braid {

void AppendBase64(std::string_view bytes, std::string* text);

// Appends the bytes that `text` encodes, or returns false; then what was appended is unspecified.
bool ReadBase64(std::string_view text, std::string* bytes);

}  // namespace braid
