// How a text stands on a terminal: how many columns it takes, and without what would move the
// cursor or change colours.
//
// Thread rule: free function.
#pragma once

#include <string>
#include <string_view>

namespace braid {

struct ShownText {
  std::string text;
  int width = 0;  // In columns: 2 for most characters of East Asia, 0 for accents.
};

// Control characters, line ends and marks that turn the direction of text become \n, \t, \x1b or
// \u202e; bytes that are no UTF-8 become U+FFFD.
ShownText ShowOnTerminal(std::string_view text);

}  // namespace braid
