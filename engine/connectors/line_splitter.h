// Cuts the bytes of one connection into lines, however they arrive. A line ends with "\n" or
// "\r\n"; a byte order mark in front of the first one is left out.
//
// Memory: what has come of the line that is not ended, at most the limit.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/connectors/line_block.h"

namespace braid {

class LineSplitter {
 public:
  // A line of more bytes, its end not counted, is too long. REQUIRES: line_bytes_max > 0.
  explicit LineSplitter(int64_t line_bytes_max)
      : line_bytes_max_(static_cast<size_t>(line_bytes_max)) {}

  // Adds the lines that end in `bytes` to `block`.
  void Append(std::string_view bytes, LineBlock* block);

  // No byte follows: what is left is a line, if it is anything.
  void Finish(LineBlock* block);

  // True if a line has begun and not ended.
  bool has_partial_line() const { return !partial_.empty() || skipped_bytes_ > 0; }

 private:
  void AddLine(std::string_view line, LineBlock* block);
  void KeepPartial(std::string_view bytes);
  void EndPartial(LineBlock* block);

  size_t line_bytes_max_;
  std::string partial_;        // The line that is not ended, or the front of one too long.
  int64_t skipped_bytes_ = 0;  // Of a line too long: what followed the front.
  bool is_first_ = true;
};

}  // namespace braid
