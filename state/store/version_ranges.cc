#include "state/store/version_ranges.h"

#include <fmt/format.h>

namespace braid {

std::string VersionRanges(std::span<const VersionInfo> versions) {
  std::string text;
  for (size_t first = 0; first < versions.size();) {
    size_t last = first;
    while (last + 1 < versions.size() && versions[last + 1].version == versions[last].version + 1) {
      ++last;
    }
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", versions[first].version);
    if (last > first) text += fmt::format(" to {}", versions[last].version);
    first = last + 1;
  }
  return text.empty() ? "none" : text;
}

}  // namespace braid
