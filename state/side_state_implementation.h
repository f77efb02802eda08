// What a SideState is made of: the ring of chunks, the buckets, the hot keys, and what the next
// delta will say. Its parts are in side_state.cc (append, restore, flags), side_probe.cc,
// side_eviction.cc, side_gather.cc, side_spill.cc and side_invariants.cc.
//
// Invariants (CheckInvariants):
//   1. num_rows and num_matched count the rows that are alive.
//   2. Every live row is in exactly one place: its bucket's chain, its hot key, or (NULL key) in
//      none; and the walk of its word finds it before an id below `low`.
//   3. Ids fall along every chain.
//   4. No live row is older than its chunk's time_min, no chunk's time_min than `oldest`.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "state/bucket_index.h"
#include "state/chunk_ring.h"
#include "state/hot_keys.h"
#include "state/payload_spill.h"
#include "state/pending_delta.h"
#include "state/side_state.h"

namespace braid {

class SideState::Implementation {
 public:
  explicit Implementation(SideStateOptions options);

  void Append(const ArrivingRows& arriving, std::span<const uint8_t> matched);
  void AppendAndName(const ArrivingRows& arriving, std::vector<RowId>* ids);
  void Find(const KeyScan& scan, std::vector<FoundRow>* found);
  std::optional<int64_t> OldestOf(uint64_t word, RowId before, int64_t after);
  void FindOvertaken(std::span<const RowId> rows, std::vector<RowId>* overtaken);
  void Prefetch(std::span<const uint64_t> words);
  PersistentId IdOf(RowId row) const { return ChunkOf(row).IdAt(ring_.SlotOf(row)); }
  int64_t TimeOf(RowId row) const { return ChunkOf(row).TimeAt(ring_.SlotOf(row)); }
  uint64_t WordOf(RowId row) const { return ChunkOf(row).entry(ring_.SlotOf(row)).word; }

  void Restore(const StateRows& run, std::span<const int32_t> rows);
  void RestoreThreshold(std::optional<EventTime> threshold);

  bool Probe(const ArrivingRows& arriving, std::optional<Interval> lower,
             std::optional<Interval> upper, ProbeCursor* cursor, Matches* matches);

  void MarkMatched(std::span<const RowId> rows);
  bool IsMatched(RowId row) const;
  int64_t Remove(std::span<const RowId> rows);
  bool IsAlive(RowId row) const { return ring_.IsAlive(row); }

  EvictionResult EvictBelow(EventTime threshold, bool lists_rows);
  std::vector<RowId> RemoveBelow(EventTime threshold, std::span<const RowId> staying);
  EvictionResult EvictAll();
  void ReleaseEvicted();

  Column GatherPayload(int column, std::span<const RowId> rows) const;
  Column GatherKeyWord(DataType type, std::span<const RowId> rows) const;
  Column GatherTime(DataType type, std::span<const RowId> rows) const;

  Status spill_status() const { return spill_ == nullptr ? Status() : spill_->status(); }
  SideDelta TakeDelta();

  int64_t num_rows() const { return num_rows_; }
  int64_t num_matched() const { return num_matched_; }
  std::optional<EventTime> oldest_time() const;
  int64_t memory_bytes() const;
  int64_t spilled_bytes() const { return spill_ == nullptr ? 0 : spill_->disk_bytes(); }
  int64_t index_bytes() const { return ring_.entry_bytes() + index_.memory_bytes(); }
  int64_t num_hot_keys() const { return static_cast<int64_t>(hot_keys_.size()); }
  int64_t probe_steps() const { return probe_steps_; }
  int64_t num_renamings() const { return num_renamings_; }
  std::vector<RowId> LiveRows() const;
  void CheckInvariants() const;

 private:
  struct Prober;
  // The chain behind a row, down to the row `floor`.
  struct ChainRest {
    RowId row = kNoRow;
    RowId floor = kNoRow;
    int64_t time = 0;  // Of the row.
  };
  // Rows in one chunk that follow each other.
  struct RowRun {
    RowId first = kNoRow;
    uint32_t count = 0;
  };

  const Chunk& ChunkOf(RowId row) const { return ring_.chunk(ring_.IndexOf(row)); }
  void FindInChain(const KeyScan& scan, std::vector<FoundRow>* found);
  bool WasOvertaken(const ChainRest& rest) const;
  void FindInHotKey(const KeyScan& scan, HotKey* key, std::vector<FoundRow>* found);

  // Puts rows into chunks, buckets and hot keys; says where in stored_.
  void Store(const NewRows& rows);
  void Link(RowId first, uint32_t count, bool all_linkable);
  void GrowIndex(int64_t rows);
  void PromoteWaiting();

  // GatherPayload of rows that are in memory.
  Column GatherResident(int column, std::span<const RowId> rows) const;
  // Notes that chunks are read; whether the payload of any row is on disk.
  bool AnySpilled(std::span<const RowId> rows) const;
  // Of any rows: with all payload columns, which are kept for the next call.
  Column GatherSpilled(int column, std::span<const RowId> rows) const;
  Status ReadRows(std::span<const RowId> rows, std::span<ColumnBuilder> builders) const;
  // Puts chunks on disk until the budget is kept, or none is left that may go.
  void KeepBudget();

  EvictionResult Evict(std::optional<int64_t> threshold, bool lists_rows);
  void PopFront();
  void ReappendFront();
  void Renumber();
  void DrainChanges(Chunk* chunk);
  void FindOldest();

  void CheckChunk(size_t index, int64_t* live, int64_t* matched) const;
  void CheckChains() const;
  void CheckHotKeys() const;

  SideStateOptions options_;
  std::unique_ptr<PayloadSpill> spill_;  // Null without a budget. Before the chunks, which use it.
  ChunkRing ring_;
  BucketIndex index_;
  HotKeys hot_keys_;
  PendingDelta delta_;
  EvictionMark eviction_;
  std::optional<EventTime> threshold_;
  std::optional<int64_t> oldest_;  // No live row has a time below it; absent: none has a time.
  int64_t num_rows_ = 0;
  int64_t num_matched_ = 0;
  int64_t num_rows_peak_ = 0;  // Since the last ReleaseEvicted.
  uint64_t next_sequence_ = 0;
  int64_t probe_steps_ = 0;
  int64_t num_renamings_ = 0;
  std::vector<uint64_t> waiting_words_;  // To become hot before the next group of probes.
  std::vector<RowRun> stored_;           // By the last Store.
  std::vector<uint32_t> walks_;          // Of Prefetch.
};

}  // namespace braid
