// How names are compared: exactly first, else without case (ASCII letters), and which known name an
// unknown one is nearest to.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace braid {

// ASCII letters in upper case; other bytes as they are.
std::string UpperCase(std::string_view text);

bool EqualsIgnoringCase(std::string_view left, std::string_view right);

// The indexes of the candidates that `name` means: those that equal it exactly, else those that
// equal it without case. More than one: ambiguous.
std::vector<size_t> MatchName(std::string_view name, const std::vector<std::string>& candidates);

// What to say behind "there is no x": "; did you mean y?" with the nearest candidate, or else
// "; there are a, b and c" if they are few; "" if there is nothing to say.
std::string SuggestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace braid
