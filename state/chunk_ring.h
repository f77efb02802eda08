// The chunks of a side in arrival order, and which ids they hold: chunk number = id >> chunk bits.
// `low` is the first id that may be alive; it only rises.
//
// Invariants:
//   1. Chunk numbers follow each other; only the last chunk may be open.
//   2. Every row below `low` is dead.
//   3. low <= end(), and end() is above every id given out.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "state/arena.h"
#include "state/chunk.h"
#include "state/row_id.h"

namespace braid {

class ChunkRing {
 public:
  // REQUIRES: layout.rows_max == 1 << chunk_bits.
  ChunkRing(ChunkLayout layout, int chunk_bits, uint32_t first_chunk);
  ChunkRing(const ChunkRing&) = delete;
  ChunkRing& operator=(const ChunkRing&) = delete;

  const ChunkLayout& layout() const { return layout_; }
  Arena& arena() { return arena_; }
  const Arena& arena() const { return arena_; }

  size_t num_chunks() const { return chunks_.size(); }
  Chunk& chunk(size_t index) { return *chunks_[index]; }
  const Chunk& chunk(size_t index) const { return *chunks_[index]; }
  RowId first_row(size_t index) const {
    return (first_chunk_ + static_cast<uint32_t>(index)) << chunk_bits_;
  }

  size_t IndexOf(RowId row) const { return (row >> chunk_bits_) - first_chunk_; }
  uint32_t SlotOf(RowId row) const { return row & (layout_.rows_max - 1); }
  // Whether the ring still has the row, dead or alive.
  bool Holds(RowId row) const {
    const size_t index = IndexOf(row);
    return (row >> chunk_bits_) >= first_chunk_ && index < chunks_.size() &&
           SlotOf(row) < chunks_[index]->count();
  }
  bool IsAlive(RowId row) const {
    return row >= low_ && Holds(row) && !chunks_[IndexOf(row)]->IsDead(SlotOf(row));
  }

  // One view a chunk.
  const ChunkView* views() const { return views_.data(); }
  uint32_t first_chunk() const { return first_chunk_; }
  int chunk_bits() const { return chunk_bits_; }

  RowId low() const { return low_; }
  RowId end() const {
    if (chunks_.empty()) return first_chunk_ << chunk_bits_;
    return first_row(chunks_.size() - 1) + chunks_.back()->count();
  }
  // Rows in chunks, dead or alive.
  int64_t num_rows() const { return num_rows_; }

  // Appends rows from position `begin` on to one chunk; returns how many (at least 1) and where the
  // first one is. `live_rows` is the number of live rows, which sizes a new chunk.
  // REQUIRES: !IsFull().
  uint32_t Append(const NewRows& incoming, size_t begin, int64_t live_rows, RowId* first);

  // No further chunk has a number: renumber first.
  bool IsFull() const { return first_chunk_ + chunks_.size() > chunk_number_max_; }
  // More than half of all numbers are used up.
  bool IsHalfFull() const { return first_chunk_ + chunks_.size() > chunk_number_max_ / 2; }

  // Moves `low` past dead rows. Amortized O(1) a row.
  void AdvanceLow();

  // Call when arrays of the chunk may have moved or its first row died.
  void RefreshView(size_t index) { views_[index] = chunks_[index]->View(); }

  // Frees the oldest chunks. REQUIRES: their rows are dead.
  void PopFront(size_t count);

  // Makes the first chunk's number 1, so that all ids fall by the result. The caller corrects every
  // id that it keeps.
  RowId Renumber();

  int64_t memory_bytes() const;
  // Entries, their free room included.
  int64_t entry_bytes() const;

 private:
  ChunkLayout layout_;
  int chunk_bits_;
  uint32_t first_chunk_;
  uint32_t chunk_number_max_;
  RowId low_;
  int64_t num_rows_ = 0;
  Arena arena_;  // Before the chunks: they give their blocks back to it.
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<ChunkView> views_;
};

}  // namespace braid
