#include "engine/sql/name_match.h"

#include <algorithm>

#include "state/rows/nearest_name.h"

namespace braid {

namespace {

char UpperLetter(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

}  // namespace

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), UpperLetter);
  return upper;
}

bool EqualsIgnoringCase(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return UpperLetter(a) == UpperLetter(b); });
}

std::vector<size_t> MatchName(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<size_t> exact;
  std::vector<size_t> similar;
  for (size_t index = 0; index < candidates.size(); ++index) {
    if (candidates[index] == name) exact.push_back(index);
    if (EqualsIgnoringCase(candidates[index], name)) similar.push_back(index);
  }
  return exact.empty() ? similar : exact;
}

std::string SuggestName(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kListed = 8;
  constexpr size_t kShortest = 3;  // Any two shorter names are near each other.
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  const std::string nearest = name.size() < kShortest ? "" : NearestName(name, views);
  if (!nearest.empty()) return "; did you mean " + nearest + "?";
  if (candidates.empty() || candidates.size() > kListed) return "";
  std::string list = candidates.size() == 1 ? "; there is " : "; there are ";
  for (size_t index = 0; index < candidates.size(); ++index) {
    if (index > 0) list += index + 1 == candidates.size() ? " and " : ", ";
    list += candidates[index];
  }
  return list;
}

}  // namespace braid
