// When small pieces are merged into larger ones, so that each is rewritten O(log n) times: sizes
// fall into classes of powers of eight, and eight neighbours of one class (or below) become one.
//
// Thread rule: free functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace braid {

// 0 for 0 to 7, 1 for 8 to 63, …
int SizeClass(uint64_t size);

// How many of `sizes`, from the first on, should be merged into one; 0 = none. The first is the
// newest piece; the count stops at a larger one. What has been merged counts as one piece of its
// new class, so that a merge may bring on the next. `least_class`: smaller pieces count as of it.
size_t MergeLength(std::span<const uint64_t> sizes, int least_class);

}  // namespace braid
