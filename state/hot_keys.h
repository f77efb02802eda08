// The keys of a side that have very many rows. Their rows are in no bucket: a hot key shares its
// bucket with no one, and probes of its neighbours stay short. Consulted only while not empty; a
// small filter in front answers most words that are not hot.
//
// A key stays hot until it has no rows left.
//
// Thread rule: one thread at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "state/bucket_index.h"
#include "state/chunk_ring.h"
#include "state/hot_key.h"

namespace braid {

class HotKeys {
 public:
  bool empty() const { return keys_.empty(); }
  size_t size() const { return keys_.size(); }
  const HotKey& key(size_t index) const { return *keys_[index]; }

  // Null when the word is not hot.
  HotKey* Find(uint64_t word) {
    const uint64_t mixed = MixKeyWord(word);
    const uint32_t bit = static_cast<uint32_t>(mixed >> 32) % kFilterBits;
    if (((filter_[bit >> 6] >> (bit & 63)) & 1) == 0) return nullptr;
    const auto found = index_.find(word);
    return found == index_.end() ? nullptr : keys_[found->second].get();
  }

  // Takes the live rows of the word out of their bucket; O(length of the chain).
  // REQUIRES: the word is not hot.
  void Promote(uint64_t word, const EvictionMark& eviction, ChunkRing* ring, BucketIndex* index);

  // Puts a row that its chunk holds into its key. REQUIRES: key->IsSettledFor(the last eviction).
  static void Add(HotKey* key, RowId row, Entry* entry, const ChunkRing& ring);

  // Looks at a few keys and forgets those without rows; call once a batch.
  void SweepSome(const EvictionMark& eviction, const ChunkRing& ring);
  void Clear();

  void Renumber(RowId low, RowId distance);
  int64_t memory_bytes() const;

 private:
  static constexpr uint32_t kFilterBits = 4096;

  struct WordHash {
    using is_avalanching = void;
    size_t operator()(uint64_t word) const { return MixKeyWord(word); }
  };

  void Forget(size_t position);

  std::vector<std::unique_ptr<HotKey>> keys_;
  boost::unordered_flat_map<uint64_t, uint32_t, WordHash> index_;  // Word to position in keys_.
  uint64_t filter_[kFilterBits / 64] = {};
  size_t next_swept_ = 0;
};

}  // namespace braid
