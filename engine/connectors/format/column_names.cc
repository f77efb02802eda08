#include "engine/connectors/format/column_names.h"

#include <algorithm>

namespace braid {

namespace {

char Lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

bool EqualsWithoutCase(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char one, char other) { return Lower(one) == Lower(other); });
}

NameMatch FindName(std::string_view name, const std::vector<std::string>& names) {
  NameMatch exact;
  NameMatch without_case;
  for (size_t index = 0; index < names.size(); ++index) {
    if (names[index] == name) {
      ++exact.count;
      exact.index = index;
    }
    if (EqualsWithoutCase(names[index], name)) {
      ++without_case.count;
      without_case.index = index;
    }
  }
  return exact.count > 0 ? exact : without_case;
}

}  // namespace braid
