// The key word: 64 bits by which a row finds its partition, its bucket and its partners.
//
// A key of one fixed-width column of at most 8 bytes *is* its word (KeyWordKind::kExact): equal
// words are equal keys. Any other key is hashed (kHash): equal words are only candidates, and the
// key columns must be compared. The words are stored in checkpoints, so how they are made is part
// of the on-disk format (docs/format/checkpoint.md) and may not change.
//
// Equality is SQL's for join keys: integers of all widths are widened, NaN = NaN, 0.0 = -0.0,
// strings compare bytewise. FLOAT is widened to DOUBLE.
//
// Thread rule: free functions over immutable arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "braid/row_batch.h"

namespace braid {

enum class KeyWordKind : uint8_t { kExact = 0, kHash = 1 };

// One word a row. A row whose bit in `linkable` is cleared has a NULL in a column that is not
// null-safe: it matches nothing and is in no bucket.
struct KeyWords {
  std::vector<uint64_t> words;
  std::vector<uint8_t> linkable;  // One byte a row, 0 or 1; empty = all are linkable.

  bool IsLinkable(int64_t row) const {
    return linkable.empty() || linkable[static_cast<size_t>(row)] != 0;
  }
};

// kExact for exactly one column of fixed width that is not null-safe, else kHash.
KeyWordKind KeyWordKindOf(std::span<const DataType> types, std::span<const uint8_t> null_safe);

// Computes the words of `keys` (columns of one length, after both sides were cast to a common
// type). `null_safe[i]` != 0: NULL is a value in column i. No columns: every word is 0 and
// linkable.
KeyWords ComputeKeyWords(std::span<const Column> keys, std::span<const uint8_t> null_safe,
                         int64_t num_rows);

// Spreads a word over 64 bits: for buckets (upper bits) and partitions.
inline uint64_t MixKeyWord(uint64_t word) {
  const __uint128_t product = static_cast<__uint128_t>(word ^ 0x2545f4914f6cdd1dULL) *
                              static_cast<__uint128_t>(0xda942042e4dd58b5ULL);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// The partition of a word among `partitions`.
inline uint32_t PartitionOf(uint64_t word, uint32_t partitions) {
  const uint64_t spread = MixKeyWord(word) & 0xffffffffULL;
  return static_cast<uint32_t>((spread * partitions) >> 32);
}

// Keeps of the pairs (left row, right row) those whose key columns are equal; order is kept.
// REQUIRES: one column of `left` and `right` a key part, of equal kinds.
void KeepEqualKeys(std::span<const Column> left, std::span<const Column> right,
                   std::span<const uint8_t> null_safe, std::vector<int32_t>* left_rows,
                   std::vector<int32_t>* right_rows);

}  // namespace braid
