// The rows of one key that has very many: sorted by time, so that a probe costs O(log n + matches).
// Rows without time, or with a NULL time, are kept in arrival order.
//
// Rows that were added since are sorted in by the next Settle: one merge a batch and key. Evicted
// rows are cut off the front by Settle; rows that died one by one are counted, skipped, and swept
// out once they are half of all.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "state/chunk_ring.h"
#include "state/row_id.h"

namespace braid {

// The last eviction of a side: rows that were there then and are older than the threshold are dead.
struct EvictionMark {
  uint64_t number = 0;  // Rises with each EvictBelow.
  int64_t threshold = std::numeric_limits<int64_t>::min();
};

class HotKey {
 public:
  explicit HotKey(uint64_t word) : word_(word) {}

  uint64_t word() const { return word_; }

  // REQUIRES: Settle was called since the last eviction.
  void AddTimed(RowId row, int64_t time) {
    times_.push_back(time);
    rows_.push_back(row);
  }
  void AddUntimed(RowId row) { untimed_.push_back(row); }
  bool IsSettledFor(const EvictionMark& eviction) const {
    return settled_number_ == eviction.number;
  }

  // Sorts in what was added, drops what was evicted and, when worth it, other dead rows.
  void Settle(const EvictionMark& eviction, const ChunkRing& ring);

  // One row died in another way than by EvictBelow.
  void NoteDeath() { ++deaths_; }
  // Rows may be dead: check each.
  bool has_deaths() const { return deaths_ > 0; }

  // Settled rows with a time in [earliest, latest], as positions in timed_rows().
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };
  Range Find(int64_t earliest, int64_t latest) const;
  Range All() const { return {begin_, rows_.size()}; }

  std::span<const RowId> timed_rows() const { return rows_; }
  std::span<const int64_t> times() const { return times_; }
  std::span<const RowId> untimed_rows() const { return untimed_; }
  bool empty() const { return begin_ == rows_.size() && untimed_.empty(); }
  bool is_settled() const { return sorted_ == rows_.size(); }

  // Lowers all ids; ids below `low` (as they were before) become kNoRow.
  void Renumber(RowId low, RowId distance);

  int64_t memory_bytes() const;

 private:
  void MergeAdded();
  void SweepDead(const ChunkRing& ring);
  void CutFront();

  uint64_t word_;
  uint64_t settled_number_ = 0;
  size_t begin_ = 0;   // Rows before it were evicted.
  size_t sorted_ = 0;  // Rows from here on were added since the last Settle.
  std::vector<int64_t> times_;
  std::vector<RowId> rows_;
  std::vector<RowId> untimed_;
  size_t deaths_ = 0;
};

}  // namespace braid
