// Whole lines in one text, as a source that cannot read its input again keeps and logs them.
//
// Each line stands as it came, without its line end, and '\n' behind it. Two exceptions begin with
// a zero byte, so that a text can be taken apart whatever the lines hold:
//   "\0=" LINE             a line that itself begins with a zero byte
//   "\0>" BYTES ":" FRONT  a line of BYTES bytes, more than the limit was; FRONT is how it begins
// Texts may be joined: the lines of both follow one another. The form is part of checkpoints
// (docs/format/offsets.md says what sources leave there): do not change it.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

// How much is kept of a line that is too long.
inline constexpr size_t kLongLineFrontBytes = 256;

struct LineBlock {
  std::string text;
  int64_t num_lines = 0;

  bool empty() const { return num_lines == 0; }

  // REQUIRES: no '\n' in `line`.
  void AppendLine(std::string_view line);
  // `front`: at most kLongLineFrontBytes bytes of it.
  void AppendLongLine(int64_t num_bytes, std::string_view front);
  void Append(const LineBlock& block);
};

// One line of a text.
struct KeptLine {
  std::string_view line;   // The line, or the front of one that is too long.
  int64_t long_bytes = 0;  // More than zero: it is too long, and this is its length.
};

// Takes the first line off `text`. A text that no LineBlock has made gives some lines all the same.
// REQUIRES: text is not empty.
KeptLine TakeLine(std::string_view* text);

int64_t CountLines(std::string_view text);

}  // namespace braid
