// One line of text for a terminal, in pieces of different looks. It knows how many columns it
// takes: a wide letter (Chinese, Japanese, Korean) takes two, what has no shape is shown as "?".
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

enum class TextStyle : uint8_t { kPlain, kDim, kGood, kWarning };

class TerminalLine {
 public:
  // `text` is UTF-8; a broken byte counts as a letter without a shape.
  TerminalLine& Add(std::string_view text, TextStyle style = TextStyle::kPlain);
  // Spaces up to `column`, at least one if there is text before.
  TerminalLine& PadTo(int column);

  int width() const { return width_; }
  bool empty() const { return pieces_.empty(); }

  // At most `columns` of it, with escape codes for the looks if `colors`; no line end.
  std::string Render(int columns, bool colors) const;

 private:
  struct Piece {
    std::string text;
    TextStyle style;
  };

  std::vector<Piece> pieces_;
  int width_ = 0;
};

// Columns that a text takes.
int TextWidth(std::string_view text);

}  // namespace braid
