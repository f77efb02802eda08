// Names of stored rows inside one side state, and the 16 bytes that a probe touches for one.
//
// Thread rule: values.
#pragma once

#include <cstdint>

namespace braid {

// Rises with arrival; chunk = id >> chunk bits. Good until the next ReleaseEvicted or Append.
using RowId = uint32_t;

constexpr RowId kNoRow = 0;
// Above every row.
constexpr RowId kRowIdEnd = 0xffffffff;

// One row in its bucket's chain. Chains run from newer to older rows, so a walk may stop at the
// first id below `low`.
struct Entry {
  uint64_t word = 0;
  uint32_t time = 0;  // Offset from the chunk's base in the side's unit, or kNullTimeOffset.
  RowId next = kNoRow;
};
static_assert(sizeof(Entry) == 16);

// Marks in Entry::next of rows that are in no chain. No row ever gets such an id.
constexpr RowId kHotRow = 0xfffffffe;      // Found through the hot keys.
constexpr RowId kNullKeyRow = 0xffffffff;  // Its key is NULL: it matches nothing.

inline bool IsChained(const Entry& entry) { return entry.next < kHotRow; }

}  // namespace braid
