// A LIKE pattern, compiled once: % is any text, _ any one character, and the escape character takes
// the meaning off the %, _ or escape character behind it.
//
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"

namespace braid {

class LikePattern {
 public:
  // `escape` is empty or one character. Fails with kInvalidQuery if it is longer, or if it stands
  // in `pattern` before anything that needs no escape.
  static Result<LikePattern> Compile(std::string_view pattern, std::string_view escape);

  bool Matches(std::string_view text) const;

 private:
  // The pattern's forms that need no search through the elements.
  enum class Shape : uint8_t { kExact, kPrefix, kSuffix, kContains, kGeneral };

  struct Element {
    enum class Kind : uint8_t { kByte, kAnyCharacter, kAnyText };
    Kind kind;
    char byte = 0;
  };

  void ChooseShape();
  bool MatchesElements(std::string_view text) const;

  Shape shape_ = Shape::kGeneral;
  std::string literal_;  // The plain text of all shapes but kGeneral.
  std::vector<Element> elements_;
};

}  // namespace braid
