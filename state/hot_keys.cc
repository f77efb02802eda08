#include "state/hot_keys.h"

#include <algorithm>

#include "state/rows/check.h"

namespace braid {

namespace {

// Keys that one SweepSome looks at: at least this many, and one in 16.
constexpr size_t kSweptMin = 16;

}  // namespace

void HotKeys::Promote(uint64_t word, const EvictionMark& eviction, ChunkRing* ring,
                      BucketIndex* index) {
  auto key = std::make_unique<HotKey>(word);
  key->Settle(eviction, *ring);
  const size_t bucket = index->BucketOf(word);
  std::vector<RowId> own;
  Entry* kept = nullptr;  // The last entry that stays in the chain.
  RowId row = index->head(bucket);
  while (row >= ring->low()) {
    Entry& entry = ring->chunk(ring->IndexOf(row)).entries()[ring->SlotOf(row)];
    const RowId next = entry.next;
    if (entry.word == word) {
      if (kept == nullptr) {
        index->SetHead(bucket, next);
      } else {
        kept->next = next;
      }
      entry.next = kHotRow;
      if (ring->IsAlive(row)) own.push_back(row);
    } else {
      kept = &entry;
    }
    row = next;
  }
  for (auto oldest = own.rbegin(); oldest != own.rend(); ++oldest) {
    Entry* entry = &ring->chunk(ring->IndexOf(*oldest)).entries()[ring->SlotOf(*oldest)];
    Add(key.get(), *oldest, entry, *ring);
  }
  key->Settle(eviction, *ring);
  const uint32_t bit = static_cast<uint32_t>(MixKeyWord(word) >> 32) % kFilterBits;
  filter_[bit >> 6] |= uint64_t{1} << (bit & 63);
  const bool added = index_.emplace(word, static_cast<uint32_t>(keys_.size())).second;
  BRAID_CHECK(added, "a key becomes hot once");
  keys_.push_back(std::move(key));
}

void HotKeys::Add(HotKey* key, RowId row, Entry* entry, const ChunkRing& ring) {
  entry->next = kHotRow;
  if (entry->time == kNullTimeOffset) {
    key->AddUntimed(row);
  } else {
    const ChunkView& view = ring.views()[ring.IndexOf(row)];
    key->AddTimed(row, view.TimeAt(ring.SlotOf(row), ring.layout().time_unit));
  }
}

void HotKeys::SweepSome(const EvictionMark& eviction, const ChunkRing& ring) {
  size_t looks = std::min(keys_.size(), kSweptMin + keys_.size() / 16);
  for (; looks > 0 && !keys_.empty(); --looks) {
    if (next_swept_ >= keys_.size()) next_swept_ = 0;
    keys_[next_swept_]->Settle(eviction, ring);
    if (keys_[next_swept_]->empty()) {
      Forget(next_swept_);
    } else {
      ++next_swept_;
    }
  }
}

void HotKeys::Forget(size_t position) {
  index_.erase(keys_[position]->word());
  if (position + 1 < keys_.size()) {
    keys_[position] = std::move(keys_.back());
    index_[keys_[position]->word()] = static_cast<uint32_t>(position);
  }
  keys_.pop_back();
  if (keys_.empty()) Clear();
}

void HotKeys::Clear() {
  keys_.clear();
  index_ = {};
  std::fill(std::begin(filter_), std::end(filter_), 0);
  next_swept_ = 0;
}

void HotKeys::Renumber(RowId low, RowId distance) {
  for (const auto& key : keys_) key->Renumber(low, distance);
}

int64_t HotKeys::memory_bytes() const {
  // A slot of the flat map: the pair and a byte of metadata, at most 7/8 full.
  int64_t bytes = static_cast<int64_t>(keys_.capacity() * sizeof(keys_[0]) +
                                       index_.bucket_count() * (sizeof(uint64_t) * 2 + 1));
  for (const auto& key : keys_) bytes += key->memory_bytes();
  return bytes;
}

}  // namespace braid
