// Upper and lower case of UTF-8 text as Java has it: by Unicode's mappings, those that make more
// than one letter of one too (ß -> SS), and a sigma at the end of a word.
//
// Thread rule: immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace braid {

class LetterCase {
 public:
  // To upper case, or to lower.
  explicit LetterCase(bool upper);

  // Replaces `changed` by `text` in the wanted case. Bytes that are not UTF-8 stay as they are.
  void Change(std::string_view text, std::string* changed) const;

 private:
  bool upper_;
  std::shared_ptr<void> table_;  // A locale of the C library; null = ASCII letters only.
};

}  // namespace braid
