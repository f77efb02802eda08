// The text that JSON_VALUE gives for a number in a JSON text: all of its digits, as Java's
// BigInteger and BigDecimal print them.
//
// Thread rule: free function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braid {

// "1.50" stays, "1e3" gives "1E+3", "-0.0" gives "0.0". Nothing if `token` is no JSON number, or
// one with an exponent of more than 9 digits.
std::optional<std::string> JsonNumberText(std::string_view token);

}  // namespace braid
