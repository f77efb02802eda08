// The heads of the buckets: a power of two of 32-bit row ids, chosen by the upper bits of the mixed
// word. A bucket is a chain through Entry::next from newer to older rows. Linking is two stores; no
// row is ever unlinked when it dies.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "state/arena.h"
#include "state/chunk_ring.h"
#include "state/row_id.h"
#include "state/rows/key_word.h"

namespace braid {

class BucketIndex {
 public:
  BucketIndex();

  size_t capacity() const { return capacity_; }
  size_t BucketOf(uint64_t word) const { return MixKeyWord(word) >> shift_; }
  RowId head(size_t bucket) const { return heads_[bucket]; }
  const RowId* heads() const { return heads_; }
  int shift() const { return shift_; }

  void Link(Entry* entry, RowId row) {
    RowId& head = heads_[BucketOf(entry->word)];
    entry->next = head;
    head = row;
  }
  // Links `count` rows that follow each other, none marked as hot or NULL; heads are prefetched.
  void LinkRun(Entry* entries, RowId first, uint32_t count);

  // Sets what a bucket starts with (a chain rewritten without a key that became hot).
  void SetHead(size_t bucket, RowId row) { heads_[bucket] = row; }

  // Takes `capacity` heads (a power of two) and links the live chained rows of the ring again, in
  // id order; O(rows).
  void Rebuild(size_t capacity, ChunkRing* ring);
  // Lowers all ids by `distance`; ids below `low` (as they were before) become kNoRow.
  void Renumber(RowId low, RowId distance);

  int64_t memory_bytes() const { return static_cast<int64_t>(memory_.bytes()); }

  static constexpr size_t kCapacityMin = 256;

 private:
  void Allocate(size_t capacity);

  ZeroedMemory memory_;
  RowId* heads_ = nullptr;
  size_t capacity_ = 0;
  int shift_ = 0;
};

}  // namespace braid
