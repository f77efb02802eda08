// The text of a SQL file after ${NAME} substitution, with the way back to the places of the file as
// it was written.
//
// Offsets are bytes of the substituted text. A place inside a substituted value is the place of its
// `${`. Lines and columns count from 1; a column is a character, not a byte.
//
// Thread rule: immutable after Create.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

// Bytes [begin, end) of the substituted text.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

class SourceText {
 public:
  // Replaces each ${NAME} outside of comments by its value (which is not looked through again).
  // Fails with kInvalidQuery for an unknown NAME, and for a text of more than kMaxScriptBytes.
  static Result<SourceText> Create(std::string_view written, std::string file_name,
                                   const std::map<std::string, std::string>& defines);
  // Replaces nothing: for text that a program has put together.
  static Result<SourceText> CreateVerbatim(std::string_view written, std::string file_name);

  const std::string& text() const { return text_; }
  std::string_view Slice(SourceRange range) const;

  // O(log lines).
  Place PlaceAt(uint32_t offset) const;

  // The part of the file that became `range`, as it was written.
  std::string Written(SourceRange range) const;

 private:
  struct Segment {
    uint32_t begin = 0;          // In the substituted text.
    uint32_t written_begin = 0;  // In the text as written.
    uint32_t written_end = 0;
    bool substituted = false;
  };

  SourceText() = default;
  static Result<SourceText> Load(std::string_view written, std::string file_name,
                                 const std::map<std::string, std::string>* defines);
  // `defines` null: nothing is replaced.
  Status Substitute(const std::map<std::string, std::string>* defines);
  void IndexLines();
  const Segment& SegmentAt(uint32_t offset) const;
  uint32_t CharactersBefore(uint32_t written_offset) const;
  Place PlaceOfWritten(uint32_t written_offset) const;

  std::string file_name_;
  std::string written_;
  std::string text_;
  std::vector<Segment> segments_;
  std::vector<uint32_t> line_begins_;
  // Characters before each kCharacterBlock bytes, so that a column in a long line is found fast.
  std::vector<uint32_t> character_counts_;
};

}  // namespace braid
