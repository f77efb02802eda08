#include "state/bucket_index.h"

#include <algorithm>
#include <bit>

namespace braid {

namespace {

// Heads that are on their way from memory at one time.
constexpr uint32_t kGroup = 64;

}  // namespace

BucketIndex::BucketIndex() { Allocate(kCapacityMin); }

void BucketIndex::Allocate(size_t capacity) {
  memory_ = ZeroedMemory();
  memory_ = ZeroedMemory(capacity * sizeof(RowId));
  heads_ = static_cast<RowId*>(memory_.data());
  capacity_ = capacity;
  shift_ = 64 - std::countr_zero(capacity);
}

void BucketIndex::LinkRun(Entry* entries, RowId first, uint32_t count) {
  uint32_t buckets[kGroup];
  for (uint32_t begin = 0; begin < count; begin += kGroup) {
    const uint32_t rows = std::min(kGroup, count - begin);
    for (uint32_t i = 0; i < rows; ++i) {
      buckets[i] = static_cast<uint32_t>(BucketOf(entries[begin + i].word));
      __builtin_prefetch(&heads_[buckets[i]], 1);
    }
    for (uint32_t i = 0; i < rows; ++i) {
      RowId& head = heads_[buckets[i]];
      entries[begin + i].next = head;
      head = first + begin + i;
    }
  }
}

void BucketIndex::Rebuild(size_t capacity, ChunkRing* ring) {
  Allocate(capacity);
  Entry* group[kGroup];
  RowId rows[kGroup];
  uint32_t filled = 0;
  const auto link_group = [&] {
    for (uint32_t i = 0; i < filled; ++i) Link(group[i], rows[i]);
    filled = 0;
  };
  for (size_t index = 0; index < ring->num_chunks(); ++index) {
    Chunk& chunk = ring->chunk(index);
    const RowId first = ring->first_row(index);
    for (size_t word = 0; word < chunk.num_words(); ++word) {
      VisitBits(word, chunk.LiveWord(word), [&](uint32_t slot) {
        Entry* entry = chunk.entries() + slot;
        if (!IsChained(*entry)) return;
        __builtin_prefetch(&heads_[BucketOf(entry->word)], 1);
        group[filled] = entry;
        rows[filled] = first + slot;
        if (++filled == kGroup) link_group();
      });
    }
  }
  link_group();
}

void BucketIndex::Renumber(RowId low, RowId distance) {
  for (size_t bucket = 0; bucket < capacity_; ++bucket) {
    heads_[bucket] = heads_[bucket] < low ? kNoRow : heads_[bucket] - distance;
  }
}

}  // namespace braid
