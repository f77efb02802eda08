// The state of one join side in one partition: a ring of chunks in arrival order, an index of
// bucket heads beside it, and `low`, the first row that may be alive (DESIGN section 5). It knows
// words, times and columns; it knows no SQL and no join type.
//
// Row ids rise by one with each row; chunk = id >> 14. A row is dead when its id is below `low`,
// when its time is below the threshold of the last EvictBelow and it was there then, or when it was
// removed. Nothing is unlinked when a row dies.
//
// Cost: Append and a probe without a hit are O(1) a row; a probe costs O(log n + matches) also for
// a key with very many rows (they are promoted to a vector sorted by time); EvictBelow costs what
// it evicts, and reads only chunks whose time range the threshold crosses.
//
// Thread rule: one thread at a time; one SideState a partition and side.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/data_type.h"
#include "braid/error.h"
#include "braid/row_batch.h"
#include "braid/time.h"
#include "state/row_id.h"
#include "state/rows/key_word.h"
#include "state/state_budget.h"
#include "state/state_delta.h"

namespace braid {

struct SideStateOptions {
  KeyWordKind key_kind = KeyWordKind::kExact;
  bool has_time = false;
  uint8_t time_precision = 3;  // Of the time column: 0: offsets in s, 1-3: ms, 4-6: us.
  bool track_matches = false;  // Rows carry a matched flag.
  std::vector<DataType> payload;
  // Upper 24 bits of the persistent ids that this object gives out; unique per run and partition.
  uint32_t lineage = 0;
  // Whether changes are kept for TakeDelta. Without a store they would pile up: then false.
  bool collect_delta = true;
  // What payload columns may take in memory, together with those of other sides. Beyond it, those
  // of closed chunks that were not read for longest live on disk. Null: all stay in memory.
  std::shared_ptr<StateBudget> budget;

  // For tests: what is too large to reach otherwise.
  struct Limits {
    int chunk_bits = 14;                     // A chunk has 2^chunk_bits rows.
    uint32_t first_chunk = 1;                // Number of the first chunk; at least 1.
    uint64_t string_bytes_max = 0xffffffff;  // Bytes of one string column in one chunk.
    size_t matches_max = 8192;               // As SideState::kMatchesMax.
  };
  Limits limits;
};

// Rows that arrive: arrays of a batch and which of its rows.
struct ArrivingRows {
  const KeyWords* keys = nullptr;
  const Column* times = nullptr;    // int64 microseconds; null when the side has no time.
  std::span<const Column> payload;  // As SideStateOptions::payload.
  std::span<const int32_t> rows;    // Which rows of the arrays, in order.
  bool links_all = false;           // Rows that are not linkable are found by their word too.
};

// Pairs of (row of the arriving batch, stored row).
struct Matches {
  std::vector<int32_t> arriving;
  std::vector<RowId> stored;

  void Clear() {
    arriving.clear();
    stored.clear();
  }
};

// Where a probe that filled its buffer goes on. Start with a default one for each ArrivingRows.
struct ProbeCursor {
  // A row that was begun: where its walk goes on. Opaque.
  struct Walk {
    int32_t row = 0;
    bool is_hot = false;
    uint64_t position = 0;
  };

  size_t next_row = 0;  // Index into ArrivingRows::rows of the first row that was not begun.
  std::vector<Walk> walks;
};

// What one record of the per-record mode looks for: live rows of a key that are older than `before`
// and whose time is in [earliest, latest] or at most `expired_max`. Rows without a time are none.
struct KeyScan {
  uint64_t word = 0;
  RowId before = kRowIdEnd;
  int64_t earliest = std::numeric_limits<int64_t>::min();
  int64_t latest = std::numeric_limits<int64_t>::max();
  int64_t expired_max = std::numeric_limits<int64_t>::min();
};

struct FoundRow {
  RowId row = kNoRow;
  int64_t time = 0;
};

struct EvictionResult {
  int64_t removed = 0;           // Rows that died by this call.
  std::vector<RowId> unmatched;  // Those of them that never matched (track_matches only).
  std::vector<RowId> rows;       // All of them, rising, if they were asked for.
};

class SideState {
 public:
  // Pairs that one Probe call gives at most.
  static constexpr size_t kMatchesMax = 8192;

  explicit SideState(SideStateOptions options);
  ~SideState();
  SideState(SideState&&) noexcept;
  SideState& operator=(SideState&&) noexcept;

  // Stores rows. `matched` holds one byte a row of `arriving.rows` (empty: none matched).
  // The rows are part of the next delta; it shares the arrays of `arriving`. RowIds taken before
  // may change (when ids run out). REQUIRES: no row twice.
  void Append(const ArrivingRows& arriving, std::span<const uint8_t> matched);

  // The same, and says under which ids: one for each of `arriving.rows`, rising.
  void AppendAndName(const ArrivingRows& arriving, std::vector<RowId>* ids);

  // Appends the rows that one key scan finds to *found, in any order. REQUIRES: has_time. For kHash
  // words the rows are candidates. Cost: as Probe for one row.
  void Find(const KeyScan& scan, std::vector<FoundRow>* found);

  // The smallest time above `after` of the live rows of a word that came before `before`.
  std::optional<int64_t> OldestOf(uint64_t word, RowId before,
                                  int64_t after = std::numeric_limits<int64_t>::min());

  // Appends those of `rows`, rising ids of rows that were just appended, to *overtaken that a later
  // row of their word may have come before: all that one did come before, and those of hot keys.
  // REQUIRES: has_time. Cost: times that rise but for some jitter touch no row but those given.
  void FindOvertaken(std::span<const RowId> rows, std::vector<RowId>* overtaken);

  // Brings what Find and OldestOf touch for these words into the cache, all of them side by side:
  // hundreds of words at a time are best.
  void Prefetch(std::span<const uint64_t> words);

  // The name that a row keeps whatever its RowId becomes. REQUIRES: it was not released.
  PersistentId IdOf(RowId row) const;
  // REQUIRES: it was not released, and has a time.
  int64_t TimeOf(RowId row) const;
  uint64_t WordOf(RowId row) const;

  // Finds for each arriving row the live stored rows with the same word whose
  // `stored.time - arriving.time` is in [lower, upper] (an absent bound does not restrict; with a
  // bound, a NULL time on either side matches nothing). `arriving.time + bound` saturates at the
  // ends of int64. Appends pairs to *matches in any order, at most kMatchesMax by this call, and
  // returns true when all rows are done; otherwise call again with the same cursor. In between,
  // Gather…, MarkMatched and Remove are allowed on this side, nothing else.
  // `arriving` may be of the other side: payload is not looked at, times only with a bound.
  // For kHash words the pairs are candidates: compare the keys.
  bool Probe(const ArrivingRows& arriving, std::optional<Interval> lower,
             std::optional<Interval> upper, ProbeCursor* cursor, Matches* matches);

  // Sets the matched flag. Ids may repeat. REQUIRES: track_matches.
  void MarkMatched(std::span<const RowId> rows);
  bool IsMatched(RowId row) const;

  // Takes single live rows out (a matched SEMI row, a retraction); returns how many were alive.
  // Ids may repeat.
  int64_t Remove(std::span<const RowId> rows);
  bool IsAlive(RowId row) const;

  // Removes all rows with time < threshold; rows with a NULL time stay. The threshold must not go
  // back. The unmatched ones may be read (Gather…) until ReleaseEvicted.
  // `lists_rows`: EvictionResult::rows is filled.
  EvictionResult EvictBelow(EventTime threshold, bool lists_rows = false);

  // Takes out the rows with time < threshold one by one, as Remove does, but for those that are
  // `staying` (rising ids); returns them, rising.
  std::vector<RowId> RemoveBelow(EventTime threshold, std::span<const RowId> staying);

  // Removes everything (the flush at the end of input), NULL times included.
  EvictionResult EvictAll();

  // Gives memory of dead chunks back, re-appends the survivors of an old chunk that pins the ring
  // (their RowIds change, their persistent ids do not), renumbers ids before they run out.
  void ReleaseEvicted();

  // Reads stored rows. The result has one value a row, in that order. With a budget, look at
  // spill_status before using what GatherPayload gave: NULLs stand for rows that could not be read.
  Column GatherPayload(int column, std::span<const RowId> rows) const;
  // The word as a value of `type` (an integer or a time). REQUIRES: kExact.
  Column GatherKeyWord(DataType type, std::span<const RowId> rows) const;
  Column GatherTime(DataType type, std::span<const RowId> rows) const;

  // The first error of the disk that holds what the budget has no room for; it stays. Rows are not
  // lost then, but gathered columns are not to be used, and the budget is not kept.
  Status spill_status() const;

  // What changed since the last call, for the store. Matched rows that were stored since then carry
  // the flag in their own rows.
  SideDelta TakeDelta();

  // Puts a row run of a checkpoint back; it is not part of the next delta. `rows` are those of one
  // partition. Call before anything else; then SetThreshold.
  void Restore(const StateRows& run, std::span<const int32_t> rows);
  void RestoreThreshold(std::optional<EventTime> threshold);

  int64_t num_rows() const;                      // Alive.
  int64_t num_matched() const;                   // Alive and matched (track_matches only).
  std::optional<EventTime> oldest_time() const;  // Lower bound on the times of live rows.
  int64_t memory_bytes() const;                  // Chunks, index, hot keys.
  int64_t spilled_bytes() const;                 // On disk, beyond the budget.
  int64_t index_bytes() const;                   // Entries and heads alone.
  int64_t num_hot_keys() const;                  // Keys with a sorted vector of their own.
  int64_t probe_steps() const;                   // Entries and rows that probes looked at so far.
  int64_t num_renamings() const;                 // How often RowIds have changed so far.

  // Visits all live rows in id order (braid state, per-record scans); O(rows).
  std::vector<RowId> LiveRows() const;

  // Checks the invariants of the implementation; for tests. O(rows).
  void CheckInvariants() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace braid
