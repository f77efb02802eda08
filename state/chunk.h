// Up to 16 Ki stored rows in arrival order: their entries, payload columns, and one bit each for
// what happened to them. Arrays start small and double, so that a small state stays small; a closed
// chunk gives back what it did not fill.
//
// A chunk whose times do not fit into 32-bit offsets from one base is either closed (when at least
// a quarter is filled: the next chunk has another base) or becomes *wide*: it keeps 64-bit times
// beside the entries. So no input, however disordered, makes a chunk of every row.
//
// Ownership: arrays come from the arena, which must outlive the chunk.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "state/arena.h"
#include "state/expiry_order.h"
#include "state/new_rows.h"
#include "state/payload_column.h"
#include "state/row_bits.h"
#include "state/row_id.h"
#include "state/spilled_payload.h"
#include "state/state_budget.h"
#include "state/time_offset.h"

namespace braid {

// What all chunks of a side have in common.
struct ChunkLayout {
  uint32_t rows_max = 0;  // A power of two.
  bool has_time = false;
  int64_t time_unit = 1;  // Microseconds a step.
  bool track_matches = false;
  uint64_t string_bytes_max = std::numeric_limits<uint32_t>::max();  // A column.
  std::vector<DataType> payload;
  StateBudget* budget = nullptr;  // Null: payload stays in memory. Borrowed.
};

// What a probe needs of a chunk, side by side in one array (half a cache line each).
struct ChunkView {
  Entry* entries = nullptr;
  const int64_t* wide_times = nullptr;  // Null: times are offsets.
  const uint64_t* dead = nullptr;       // Null: no row is dead.
  int64_t time_base = 0;

  bool IsDead(uint32_t slot) const {
    return dead != nullptr && ((dead[slot >> 6] >> (slot & 63)) & 1) != 0;
  }
  // REQUIRES: the time is not NULL.
  int64_t TimeAt(uint32_t slot, int64_t unit) const {
    if (wide_times != nullptr) [[unlikely]]
      return wide_times[slot];
    return DecodeTimeOffset(entries[slot].time, time_base, unit);
  }
};

// Rows that died, added up over chunks.
struct Deaths {
  int64_t rows = 0;
  int64_t matched = 0;
  std::vector<RowId>* unmatched =
      nullptr;                        // Where to list the ones that never matched; may be null.
  std::vector<RowId>* all = nullptr;  // Where to list every one; may be null.
};

// Rows that stay although they are older than a threshold; rising.
class StayingRows {
 public:
  explicit StayingRows(std::span<const RowId> rows) : rows_(rows) {}

  // Those of the 64 rows from `first` on, as bits. REQUIRES: `first` rises from call to call.
  uint64_t Word(RowId first) {
    while (next_ < rows_.size() && rows_[next_] < first) ++next_;
    uint64_t bits = 0;
    for (size_t i = next_; i < rows_.size() && rows_[i] - first < 64; ++i) {
      bits |= uint64_t{1} << (rows_[i] - first);
    }
    return bits;
  }

 private:
  std::span<const RowId> rows_;
  size_t next_ = 0;
};

class Chunk {
 public:
  // Rows that one Append takes at most.
  static constexpr uint32_t kAppendMax = 2048;

  Chunk(const ChunkLayout* layout, Arena* arena, uint32_t capacity);
  ~Chunk();
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  uint32_t count() const { return count_; }
  uint32_t live() const { return live_; }
  bool closed() const { return closed_; }
  ChunkView View() const { return {entries_, wide_times_, dead_.data(), time_base_}; }

  // Takes rows from position `begin` on and returns how many; 0: the chunk is full or its time base
  // does not reach the next row. Entries are written with kNullKeyRow or kNoRow as next.
  uint32_t Append(const NewRows& incoming, size_t begin);

  // Nothing will be appended any more.
  void Close();

  // Puts the payload on disk; its columns are empty from then on. An error leaves the chunk as it
  // is. REQUIRES: closed, there is a payload, it is in memory.
  Status Spill(PayloadFile* file);
  // Null: the payload is in memory.
  const SpilledPayload* spilled() const { return spilled_.get(); }
  std::span<const PayloadColumn> payload_columns() const { return payload_; }
  // What the budget counts of this chunk; 0 without a budget.
  int64_t budgeted_bytes() const { return budgeted_bytes_; }
  // When rows of it were last read or stored, by the clock of the side's spilling.
  void NoteUse(uint64_t time) const { last_use_ = time; }
  uint64_t last_use() const { return last_use_; }

  // Takes out all live rows with a time below the threshold. `first_row` is the id of slot 0.
  // Returns whether there was anything to do.
  bool Expire(int64_t threshold, RowId first_row, Deaths* deaths);
  // The same without those of `staying`.
  bool ExpireExcept(int64_t threshold, RowId first_row, StayingRows* staying, Deaths* deaths);
  // Takes out all live rows.
  void ExpireAll(RowId first_row, Deaths* deaths);
  // Takes out one row. REQUIRES: it is alive.
  void Kill(uint32_t slot);

  bool IsDead(uint32_t slot) const { return dead_.Get(slot); }
  bool IsMatched(uint32_t slot) const { return matched_.Get(slot); }
  void SetMatched(uint32_t slot) { matched_.Set(slot); }
  uint64_t LiveWord(size_t index) const { return ExistingRows(index, count_) & ~dead_.Word(index); }
  uint64_t DeadWord(size_t index) const { return dead_.Word(index); }
  uint64_t MatchedWord(size_t index) const { return matched_.Word(index); }
  size_t num_words() const { return (static_cast<size_t>(count_) + 63) / 64; }
  // The first live slot at or behind `slot`, or count().
  uint32_t FirstLive(uint32_t slot) const;

  // Bits that wait for the next delta: rows that became matched, rows taken out one by one.
  RowBits& changed_matched() { return changed_matched_; }
  RowBits& changed_removed() { return changed_removed_; }
  void NoteMatched(uint32_t slot) {
    changed_matched_.Reserve(count_);
    changed_matched_.Set(slot);
  }
  void NoteRemoved(uint32_t slot) {
    changed_removed_.Reserve(count_);
    changed_removed_.Set(slot);
  }

  const Entry& entry(uint32_t slot) const { return entries_[slot]; }
  Entry* entries() { return entries_; }
  bool IsTimeNull(uint32_t slot) const { return entries_[slot].time == kNullTimeOffset; }
  int64_t TimeAt(uint32_t slot) const { return View().TimeAt(slot, layout_->time_unit); }
  PersistentId IdAt(uint32_t slot) const {
    if (!id_offsets_.empty()) return first_id_ + id_offsets_[slot];
    return ids_.empty() ? first_id_ + slot : ids_[slot];
  }
  const PayloadColumn& payload(size_t column) const { return payload_[column]; }

  // No live row has a time below it; absent: no live row has a time.
  std::optional<int64_t> time_min() const {
    return live_ > 0 && has_times_ ? std::optional<int64_t>(time_min_) : std::nullopt;
  }
  // No row, dead or alive, has a time above it; absent: no row ever had a time.
  std::optional<int64_t> time_max() const { return time_max_; }
  bool is_wide() const { return wide_times_ != nullptr; }
  bool has_explicit_ids() const { return !ids_.empty() || !id_offsets_.empty(); }
  uint32_t capacity() const { return capacity_; }

  // What is not in the arena.
  int64_t heap_bytes() const;

 private:
  uint32_t PlaceTimes(const Column& times, std::span<const int32_t> rows, uint32_t* offsets);
  uint32_t EncodeTimes(const Column& times, std::span<const int32_t> rows, uint32_t* offsets);
  void MakeWide();
  void NoteTimes(const Column& times, std::span<const int32_t> rows, const uint32_t* offsets);
  void NoteTime(int64_t time);
  // The earliest of the rows that are left; NULL if none has a time.
  void NoteEarliest(uint32_t offset);
  void WriteEntries(const NewRows& incoming, std::span<const int32_t> rows,
                    const uint32_t* offsets);
  // Half the memory for ids, which a restart with other partitions scatters.
  void PackIds();
  void AppendIds(const NewRows& incoming, size_t begin, uint32_t rows);
  void Resize(uint32_t capacity);
  void ExpireByScan(int64_t threshold, RowId first_row, StayingRows* staying, Deaths* deaths);
  void ExpireWide(int64_t threshold, RowId first_row, StayingRows* staying, Deaths* deaths);
  void ExpireInOrder(int64_t threshold, RowId first_row, Deaths* deaths);
  void SortByExpiry();
  // Tells the budget what the payload takes now.
  void CountPayload();
  void NoteDeaths(size_t index, uint64_t dying, RowId first_row, Deaths* deaths);

  const ChunkLayout* layout_;
  Arena* arena_;
  Entry* entries_ = nullptr;
  int64_t* wide_times_ = nullptr;
  uint32_t capacity_ = 0;
  uint32_t count_ = 0;
  uint32_t live_ = 0;
  bool closed_ = false;
  bool has_base_ = false;
  bool has_times_ = false;
  bool has_null_times_ = false;
  int64_t time_base_ = 0;
  int64_t time_min_ = 0;
  std::optional<int64_t> time_max_;
  int num_scans_ = 0;
  ExpiryOrder expiry_order_;  // Empty until small steps of the threshold make it worth while.
  RowBits dead_;
  RowBits matched_;
  RowBits changed_matched_;
  RowBits changed_removed_;
  std::vector<PayloadColumn> payload_;
  std::unique_ptr<SpilledPayload> spilled_;
  int64_t budgeted_bytes_ = 0;
  mutable uint64_t last_use_ = 0;
  PersistentId first_id_ = 0;
  std::vector<PersistentId> ids_;     // Empty: consecutive from first_id_, or in the other one.
  std::vector<uint32_t> id_offsets_;  // Of a closed chunk whose ids lie near each other.
};

}  // namespace braid
