// Rows on their way into a chunk, whether they arrive, are restored or move from an old chunk.
//
// Thread rule: a view; whoever makes it keeps the arrays alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "braid/row_batch.h"
#include "state/state_delta.h"

namespace braid {

struct NewRows {
  // Arrays that `rows` points into.
  std::span<const uint64_t> words;
  std::span<const uint8_t> linkable;  // Empty = all are.
  const Column* times = nullptr;      // Null: the side has no time.
  std::span<const Column> payload;
  std::span<const int32_t> rows;

  // One element for each of `rows`.
  std::span<const uint8_t> matched;   // Empty = none.
  std::span<const PersistentId> ids;  // Empty: first_id, first_id + 1 …
  PersistentId first_id = 0;

  PersistentId IdAt(size_t position) const {
    return ids.empty() ? first_id + position : ids[position];
  }
};

}  // namespace braid
