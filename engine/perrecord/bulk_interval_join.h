// The row-time interval join (SEMANTICS 3a) for most queries: inner, left, right and full, without
// a minimal clean-up interval. It gives the rows of IntervalJoin, in the same order, but works on
// many steps at a time.
//
// That is possible since it is known of a row, when it is stored, at which watermark it leaves:
// with its own clean-up time, unless its key has a timer that is later (OverstayingRows). So no
// timers are kept, and what a record may join with follows from the watermark that it came after:
//
//   1. The records of a group are looked up all together. Of the rows found, those count that came
//      before the record, that were stored, and that had not left.
//   2. Rows of the group that are not stored are taken out, the others marked if they matched.
//   3. What leaves up to the last watermark of the group is evicted by time; where it is padded or
//      reported, it is put in the order in which timers would have fired.
//   4. Results are given out step by step.
//
// A checkpoint holds rows, and timers of those keys alone that have overstaying rows.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/perrecord/interval_times.h"
#include "engine/perrecord/overstaying_rows.h"
#include "engine/perrecord/per_record_join.h"

namespace braid {

class BulkIntervalJoin final : public PerRecordJoin {
 public:
  // Whether it gives the same as IntervalJoin.
  static bool Takes(const JoinPlan& plan, const PerRecordOptions& options);

  // REQUIRES: Takes(plan, options).
  BulkIntervalJoin(const JoinPlan& plan, const PerRecordOptions& options);

  std::vector<int64_t> timer_times() const override;
  std::optional<int64_t> NeededWatermark(Side side) const override;
  std::optional<EventTime> Threshold(Side side) const override;
  int64_t memory_bytes() const override;

 private:
  // The rows of one side in the group, one element each.
  struct GroupRows {
    std::vector<int32_t> rows;  // Of the block's arrays.
    std::vector<RowId> ids;
    std::vector<int32_t> steps;       // In the group.
    std::vector<RowId> unseen_other;  // Rows of the other side from here on come later.
    std::vector<int64_t> now;         // The watermark it came after.
    std::vector<uint8_t> stored;
    std::vector<uint8_t> matched;

    void Clear();
  };
  // A step that raises the watermark.
  struct Rise {
    int32_t step = 0;
    int64_t now = 0;
  };
  // A record and a stored row of the other side.
  struct Pair {
    int32_t step = 0;
    RowId stored = kNoRow;
  };
  // A stored row that leaves.
  struct Leaving {
    int32_t step = 0;
    RowId row = kNoRow;
    int64_t timer = 0;  // That takes it out.
    uint64_t word = 0;
    Side side = Side::kLeft;
    bool matched = false;
  };
  // How an overstaying row leaves: by its key's timer, or since a record scans it.
  struct Departure {
    int32_t step = 0;  // The last one that sees it.
    int64_t timer = 0;
  };

  Status Run(const RecordBlock& block) override;
  void TakeOperatorDeltas(std::array<SideDelta, 2>* deltas) override;
  Status RestoreOperator(VersionedStore* store, int64_t version) override;
  Result<Column> TimesOf(Side side, const RecordBlock& block) override;
  void RestoreTimer(Side side, uint64_t word, int64_t timer);

  // False, and nothing has happened, if the steps are too many: they find too many pairs.
  Result<bool> RunGroup(std::span<const RecordStep> steps, int32_t first_step);
  void ReadSteps(std::span<const RecordStep> steps);
  void ReadRow(const RecordStep& step, int32_t number);
  void RemoveUnstored();

  // False if there was nothing to follow.
  bool FollowOverstaying();
  void ScanOverstaying(int32_t step, Side side, uint64_t word, int64_t now);
  void NoteStored(Side side, size_t index, uint64_t word);
  void Depart(Side side, uint64_t word);
  void RefreshOverstaying();
  bool Overstays(Side side, RowId row, int32_t step) const;

  // False, with some of them missing, if there are more than `pairs_max` on both sides together.
  bool FindPairs(Side side, size_t pairs_max);
  void TakeFound(Side side, size_t index, Interval lower, std::span<const RowId> stored);
  void OrderPairs();
  void OrderByArrival(Side side, std::span<Pair> pairs);
  Status DecidePairs();
  bool AnySharesWordOfNull() const;
  void MarkPairs();

  int32_t StepOf(int64_t timer) const;
  void FindLeaving(Side side);
  void OrderLeaving();
  // `by_timer`: they are not in the order of their timers.
  void OrderLeavingOfStep(std::span<Leaving> rows, bool by_timer);
  bool ShareTimers(std::span<Leaving> rows);

  Status EmitSteps(int32_t first_step);
  void EmitPairs(int32_t step, int32_t step_number, size_t* pair, size_t* scanned);
  void EmitUnstored(int32_t step, int32_t step_number);
  void Leave(int32_t step_number, Side side, RowId row, int64_t watermark);

  // Whether something is said of rows of the side that leave unmatched.
  bool tells_unmatched(Side side) const { return pads(side) || plan_.reports_unmatched; }
  GroupRows& group(Side side) { return groups_[Index(side)]; }
  const GroupRows& group(Side side) const { return groups_[Index(side)]; }
  // Micros; REQUIRES: not NULL.
  int64_t TimeOf(Side side, int32_t row) const {
    return block_->sides[Index(side)].rows->time->Values<int64_t>()[static_cast<size_t>(row)];
  }
  bool HasTime(Side side, int32_t row) const {
    return !block_->sides[Index(side)].rows->time->IsNull(row);
  }
  uint64_t WordAt(Side side, int32_t row) const {
    return block_->sides[Index(side)].rows->keys.words[static_cast<size_t>(row)];
  }
  bool CameBefore(Side side, RowId first, RowId second) const;

  const IntervalTimes times_;
  const int64_t output_delay_ms_;
  std::array<OverstayingRows, 2> overstaying_;
  std::array<int64_t, 2> num_renamings_ = {0, 0};  // As of the rows in overstaying_.

  // The block: rows that others may have overtaken, rising, and the next of them.
  std::array<std::vector<RowId>, 2> overtaken_;
  std::array<size_t, 2> next_overtaken_ = {0, 0};
  // Rows before these that are not stored were taken out already, by a group that was too large.
  std::array<RowId, 2> unstored_removed_ = {0, 0};

  // The group.
  size_t group_steps_;  // Of the next one.
  bool is_last_group_ = false;
  std::array<GroupRows, 2> groups_;
  struct StepRow {
    int32_t index = -1;  // Into the group's rows of the side; -1: no row.
    Side side = Side::kLeft;
  };
  std::vector<StepRow> step_rows_;
  std::vector<Rise> rises_;
  std::array<boost::unordered_flat_map<RowId, Departure>, 2> departures_;
  std::vector<Leaving> scanned_;  // By step, then in the order in which they came.
  Matches matches_;
  std::vector<Pair> found_;
  std::vector<Pair> pairs_;
  std::vector<uint32_t> step_ends_;
  std::vector<uint64_t> found_rows_;  // Of one step, a bit each.
  std::vector<RowId> stored_rows_;    // Of the pairs of one step.
  std::vector<size_t> judged_;
  std::vector<Leaving> unordered_leaving_;
  std::vector<Leaving> leaving_;
  std::vector<uint32_t> timer_ends_;
  std::vector<bool> once_;
  std::vector<bool> twice_;
};

}  // namespace braid
