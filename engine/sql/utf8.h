// Whether bytes are UTF-8: STRING values and names must be.
//
// Thread rule: free function.
#pragma once

#include <string_view>

namespace braid {

// Well-formed UTF-8, without overlong forms and surrogates. O(n).
bool IsUtf8Text(std::string_view bytes);

}  // namespace braid
