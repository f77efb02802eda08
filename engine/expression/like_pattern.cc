#include "engine/expression/like_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "state/rows/utf8.h"

namespace braid {

Result<LikePattern> LikePattern::Compile(std::string_view pattern, std::string_view escape) {
  if (!escape.empty() && CountCharacters(escape) != 1) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("the ESCAPE of LIKE is one character, got '{}'", escape));
  }
  LikePattern compiled;
  std::string_view rest = pattern;
  const auto add_bytes = [&compiled](std::string_view bytes) {
    for (const char byte : bytes) compiled.elements_.push_back({Element::Kind::kByte, byte});
  };
  while (!rest.empty()) {
    if (!escape.empty() && rest.starts_with(escape)) {
      rest.remove_prefix(escape.size());
      const bool escapes =
          rest.starts_with('%') || rest.starts_with('_') || rest.starts_with(escape);
      if (!escapes) {
        return Fail(ErrorCode::kInvalidQuery,
                    fmt::format("in the LIKE pattern '{}' the escape character '{}' stands before "
                                "neither %, _ nor itself",
                                pattern, escape));
      }
      const size_t bytes = CharacterBytes(rest);
      add_bytes(rest.substr(0, bytes));
      rest.remove_prefix(bytes);
    } else if (rest[0] == '%') {
      const bool doubled =
          !compiled.elements_.empty() && compiled.elements_.back().kind == Element::Kind::kAnyText;
      if (!doubled) compiled.elements_.push_back({Element::Kind::kAnyText});
      rest.remove_prefix(1);
    } else if (rest[0] == '_') {
      compiled.elements_.push_back({Element::Kind::kAnyCharacter});
      rest.remove_prefix(1);
    } else {
      add_bytes(rest.substr(0, 1));
      rest.remove_prefix(1);
    }
  }
  compiled.ChooseShape();
  return compiled;
}

void LikePattern::ChooseShape() {
  const bool starts = !elements_.empty() && elements_.front().kind == Element::Kind::kAnyText;
  const bool ends = !elements_.empty() && elements_.back().kind == Element::Kind::kAnyText;
  const size_t first = starts ? 1 : 0;
  const size_t last = ends && elements_.size() > first ? elements_.size() - 1 : elements_.size();
  for (size_t i = first; i < last; ++i) {
    if (elements_[i].kind != Element::Kind::kByte) return;
    literal_ += elements_[i].byte;
  }
  if (starts && ends) {
    shape_ = Shape::kContains;
  } else if (starts) {
    shape_ = Shape::kSuffix;
  } else if (ends) {
    shape_ = Shape::kPrefix;
  } else {
    shape_ = Shape::kExact;
  }
}

bool LikePattern::Matches(std::string_view text) const {
  switch (shape_) {
    case Shape::kExact:
      return text == literal_;
    case Shape::kPrefix:
      return text.starts_with(literal_);
    case Shape::kSuffix:
      return text.ends_with(literal_);
    case Shape::kContains:
      return text.find(literal_) != std::string_view::npos;
    case Shape::kGeneral:
      return MatchesElements(text);
  }
  return false;
}

// Goes forward greedily; where it does not go on, the last % takes one character more. Earlier ones
// never need to: what they took was the shortest that fits.
bool LikePattern::MatchesElements(std::string_view text) const {
  size_t at = 0;
  size_t element = 0;
  size_t retry_at = 0;
  size_t retry_element = 0;
  bool has_retry = false;
  while (true) {
    if (element == elements_.size()) {
      if (at == text.size()) return true;
    } else if (elements_[element].kind == Element::Kind::kAnyText) {
      has_retry = true;
      retry_at = at;
      retry_element = ++element;
      continue;
    } else if (at < text.size()) {
      const Element& wanted = elements_[element];
      if (wanted.kind == Element::Kind::kAnyCharacter) {
        at += CharacterBytes(text.substr(at));
        ++element;
        continue;
      }
      if (wanted.byte == text[at]) {
        ++at;
        ++element;
        continue;
      }
    }
    if (!has_retry || retry_at == text.size()) return false;
    retry_at += CharacterBytes(text.substr(retry_at));
    at = retry_at;
    element = retry_element;
  }
}

}  // namespace braid
