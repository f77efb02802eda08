// Upper and lower case of UTF-8 text, by Unicode's simple mappings (one character gives one).
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
