// The interval joins of Flink SQL, row time (SEMANTICS 3a) and processing time (3b): inner, left,
// right, full, and Braid's semi and anti. Processing time is the same join with t = wm = the clock.
// It goes step by step and takes every case; BulkIntervalJoin takes most of them, and faster.
//
//   wm  minimum of the input watermarks as of the record being processed; the clock in 3b
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/perrecord/interval_times.h"
#include "engine/perrecord/key_timers.h"
#include "engine/perrecord/step_join.h"

namespace braid {

class IntervalJoin final : public StepJoin {
 public:
  IntervalJoin(const JoinPlan& plan, const PerRecordOptions& options);

  std::vector<int64_t> timer_times() const override { return timers_.Times(); }
  std::optional<int64_t> NeededWatermark(Side side) const override;
  int64_t memory_bytes() const override {
    return StepJoin::memory_bytes() + timers_.memory_bytes();
  }

 private:
  void Scan(std::span<const RecordStep> steps, std::span<StepScans> scans) override;
  Status Apply(std::span<const RecordStep> steps, int32_t first_step) override;
  void TakeOperatorDeltas(std::array<SideDelta, 2>* deltas) override;
  Status RestoreOperator(VersionedStore* store, int64_t version) override;
  Result<Column> TimesOf(Side side, const RecordBlock& block) override;

  void SetMissingTimers(Side side);
  Status ApplyRow(const RecordStep& step, size_t step_in_group, int32_t step_number);
  Result<bool> JoinPartners(const RecordStep& step, size_t step_in_group, int32_t step_number);
  void Leave(int32_t step_number, Side side, RowId row, bool matched);
  void MatchLeft(int32_t step_number, RowId left);
  // A matched left row of SEMI or ANTI leaves at once, unless later partners must know of it.
  bool keeps_decided() const { return plan_.reports_unmatched; }
  bool IsMatched(Side side, RowId row) const {
    return plan_.tracks_matches(side) && state(side).IsMatched(row);
  }
  void PrefetchTimers(std::span<const Timer> timers);
  void FireTimers(int32_t step_number, int64_t now);
  void FireTimer(int32_t step_number, const Timer& timer, int64_t now);
  void AdvanceTime(int32_t step_number, int64_t now);

  int64_t now() const { return is_processing_time_ ? clock_.millis : clock_.watermark(); }
  std::optional<int64_t> TimeOf(const RecordStep& step) const;

  const bool is_processing_time_;
  const bool is_empty_;
  const IntervalTimes times_;
  int64_t output_delay_ms_ = 0;
  KeyTimers timers_;
  std::vector<Timer> due_;
  std::array<std::vector<uint64_t>, 2> due_words_;
  std::vector<FoundRow> found_;
};

}  // namespace braid
