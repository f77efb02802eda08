// Rows of one side of an interval join that stay longer than their own time, since the clean-up
// timer of their key was set for a later row that had come before them. Few rows are: those that
// come out of order within their key. All such rows of a key leave at the same time, that of the
// key's timer; the timers of all other keys follow from their rows.
//
// Thread rule: one thread at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "engine/perrecord/timer_queue.h"
#include "state/row_id.h"
#include "state/state_delta.h"

namespace braid {

class OverstayingRows {
 public:
  struct Row {
    PersistentId id = 0;
    RowId row = kNoRow;
    int64_t time = 0;  // Microseconds.
  };
  struct Key {
    int64_t timer = 0;      // The watermark at which its rows leave.
    std::vector<Row> rows;  // In the order in which they came.
  };

  // `collects`: changes are kept for TakeChanges.
  explicit OverstayingRows(bool collects) : collects_(collects) {}

  bool empty() const { return keys_.empty(); }
  // Null if no row of the key overstays. Good until the next call that changes something.
  Key* Find(uint64_t word) {
    if (keys_.empty()) return nullptr;
    const auto found = keys_.find(word);
    return found == keys_.end() ? nullptr : &found->second;
  }
  const Key* Find(uint64_t word) const { return const_cast<OverstayingRows*>(this)->Find(word); }

  // REQUIRES: rows of the key that overstay already have the same timer.
  void Add(uint64_t word, int64_t timer, const Row& row);
  // Takes the key out and gives its rows.
  std::vector<Row> Take(uint64_t word);

  // The words, rising, of keys whose timer is at or before `now`, which must not go back.
  std::vector<uint64_t> Due(int64_t now);

  // All rows, rising by RowId.
  std::vector<RowId> RowIds() const;
  // Calls visit(word, key) for each key; rows may be given other RowIds.
  template <typename Visit>
  void VisitAll(const Visit& visit) {
    for (auto& [word, key] : keys_) visit(word, &key);
  }
  template <typename Visit>
  void VisitAll(const Visit& visit) const {
    for (const auto& [word, key] : keys_) visit(word, key);
  }

  // The timers of keys that came, went or changed since the last call, by word.
  std::vector<TimerChange> TakeChanges();

  int64_t memory_bytes() const;

 private:
  bool collects_;
  boost::unordered_flat_map<uint64_t, Key> keys_;
  TimerQueue due_;  // Also of keys that are gone.
  std::vector<Timer> popped_;
  std::vector<uint64_t> changed_;  // Words, may repeat.
};

}  // namespace braid
