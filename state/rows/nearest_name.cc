#include "state/rows/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace braid {

namespace {

char UpperCase(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
size_t EditDistance(std::string_view left, std::string_view right) {
  const size_t width = right.size() + 1;
  std::vector<size_t> before_last(width);
  std::vector<size_t> last(width);
  std::vector<size_t> current(width);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const bool same = UpperCase(left[i - 1]) == UpperCase(right[j - 1]);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && UpperCase(left[i - 1]) == UpperCase(right[j - 2]) &&
                           UpperCase(left[i - 2]) == UpperCase(right[j - 1]);
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(current);
  }
  return last[right.size()];
}

}  // namespace

std::string NearestName(std::string_view name, std::span<const std::string_view> candidates) {
  size_t least = std::max<size_t>(1, (name.size() + 2) / 3) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : candidates) {
    const size_t distance = EditDistance(name, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return std::string(nearest);
}

}  // namespace braid
