// 128-bit digests of rows, by which rows are compared: two rows of some million have the same one
// by chance less often than a disk errs.
//
// Thread rule: free functions.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "braid/row_batch.h"

namespace braid {

struct RowDigest {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const RowDigest&) const = default;
};

struct RowDigestHash {
  size_t operator()(const RowDigest& digest) const { return static_cast<size_t>(digest.low); }
};

// Appends one digest a row, over these columns of the batch: NULLs and lengths count, so that rows
// have one digest only if all values are the same. `seed` keeps digests of different things apart.
void AppendDigests(const RowBatch& rows, std::span<const int> columns, uint64_t seed,
                   std::vector<RowDigest>* digests);

// Of one row.
RowDigest DigestOf(const RowBatch& rows, int64_t row, std::span<const int> columns, uint64_t seed);

}  // namespace braid
