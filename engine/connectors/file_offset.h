// The offset of a table of files: how many parts of the list (file_list.h) are done, and how far
// the next one is read. As JSON text (docs/format/offsets.md):
//
//   {"done":3,"last":"c.csv"}
//   {"done":3,"file":"d.csv","byte":1000,"line":25,"tails":[[1,96,7]]}
//
// A tail is the unfinished last line of a file that is still written: part 1 was done up to byte
// 96, where line 7 begins.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "braid/error.h"

namespace braid {

struct FileOffset {
  struct Tail {
    int64_t part = 0;
    int64_t byte = 0;
    int64_t line = 0;

    friend bool operator==(const Tail&, const Tail&) = default;
  };

  int64_t done = 0;
  std::string name;  // Of the part that is being read (line > 0), else of the last one done.
  int64_t byte = 0;  // In the file.
  int64_t line = 0;  // At `byte`; 0: nothing of part `done` is read.
  std::vector<Tail> tails;

  friend bool operator==(const FileOffset&, const FileOffset&) = default;

  std::string ToText() const;

  // The empty text is the beginning. kCorruption for a text that is no such offset.
  static Result<FileOffset> Parse(const std::string& text);
};

}  // namespace braid
