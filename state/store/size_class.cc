#include "state/store/size_class.h"

#include <algorithm>
#include <bit>

namespace braid {

namespace {

constexpr size_t kMergedAtOnce = 8;
constexpr int kClassBits = 3;

}  // namespace

int SizeClass(uint64_t size) {
  return std::max(static_cast<int>(std::bit_width(size)) - 1, 0) / kClassBits;
}

size_t MergeLength(std::span<const uint64_t> sizes, int least_class) {
  if (sizes.empty()) return 0;
  int current_class = std::max(SizeClass(sizes[0]), least_class);
  size_t members = 0;  // Of the current class.
  uint64_t total = 0;
  size_t length = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (SizeClass(sizes[i]) > current_class) {
      if (length < i || SizeClass(total) < SizeClass(sizes[i])) break;
      current_class = SizeClass(total);
      members = 1;
    }
    ++members;
    total += sizes[i];
    if (members >= kMergedAtOnce) length = i + 1;
  }
  return length;
}

}  // namespace braid
