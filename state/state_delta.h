// What one batch changed in one side of one partition, and rows on their way from and to a store.
//
// A persistent id names a stored row for ever: upper 24 bits the lineage (a number for one
// partition of one run, given out by the store), lower 40 bits a sequence that rises by one.
//
// Thread rule: values; columns are shared and immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "braid/row_batch.h"
#include "braid/time.h"

namespace braid {

using PersistentId = uint64_t;
constexpr int kSequenceBits = 40;

constexpr PersistentId MakePersistentId(uint32_t lineage, uint64_t sequence) {
  return (static_cast<uint64_t>(lineage) << kSequenceBits) | sequence;
}

// A run of rows with rising ids: row i has id ids[i], or first_id + i when ids is empty.
struct StateRows {
  PersistentId first_id = 0;
  std::vector<PersistentId> ids;
  int64_t num_rows = 0;
  std::vector<uint64_t> words;
  std::vector<uint8_t> linkable;  // One byte a row; empty = all 1.
  std::optional<Column> times;    // int64 microseconds, may be NULL; absent: the side has no time.
  std::vector<Column> payload;
  std::vector<uint8_t> matched;  // One byte a row; empty = all 0.

  PersistentId IdAt(int64_t row) const {
    return ids.empty() ? first_id + static_cast<uint64_t>(row) : ids[static_cast<size_t>(row)];
  }
};

// Per-record operators: the clean-up timer of a key; time absent = deleted.
struct TimerChange {
  uint64_t word = 0;
  std::vector<uint8_t> key;  // Encoded key where words are hashes; empty otherwise.
  std::optional<int64_t> time_ms;
};

// Per-record operators: how many partners a stored row has.
struct CountChange {
  PersistentId id = 0;
  int64_t count = 0;
};

struct SideDelta {
  uint8_t side = 0;  // An index into StoreIdentity::sides: 0 left, 1 right of the first join.
  std::vector<StateRows> rows;
  std::vector<PersistentId> matched;  // Rows of earlier versions that became matched, rising.
  std::vector<PersistentId> removed;  // Rows of earlier versions taken out one by one, rising.
  std::vector<TimerChange> timers;
  std::vector<CountChange> counts;

  bool empty() const {
    return rows.empty() && matched.empty() && removed.empty() && timers.empty() && counts.empty();
  }
};

}  // namespace braid
