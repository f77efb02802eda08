#include "engine/connectors/terminal_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace braid {
namespace {

TEST(TerminalTextTest, WidthsAndEscapes) {
  struct Case {
    std::string text;
    std::string shown;
    int width;
  };
  const std::vector<Case> cases = {
      {"", "", 0},
      {"abc", "abc", 3},
      {"größe", "größe", 5},
      {"日本", "日本", 4},
      {"한국", "한국", 4},
      {"e\u0301", "e\u0301", 1},
      {"😀", "😀", 2},
      {"ａ", "ａ", 2},
      {"a\nb", "a\\nb", 4},
      {"\t\r", "\\t\\r", 4},
      {"\x1b[31mred", "\\x1b[31mred", 11},
      {std::string("\0", 1), "\\x00", 4},
      {"\x7f\xc2\x9b", "\\x7f\\x9b", 8},
      {"a\u202Eb", "a\\u202eb", 8},
      {"\u2028", "\\u2028", 6},
      {"bad\xff", "bad\uFFFD", 4},
  };
  for (const Case& each : cases) {
    const ShownText shown = ShowOnTerminal(each.text);
    EXPECT_EQ(shown.text, each.shown) << each.text;
    EXPECT_EQ(shown.width, each.width) << each.text;
  }
}

}  // namespace
}  // namespace braid
