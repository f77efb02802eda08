// The interval join of Flink's DataStream API (SEMANTICS 3c): inner; rows that are late by the
// watermark are refused; every row has its own clean-up time; the watermark is passed on undelayed.
// The clean-up times follow from the rows, so a checkpoint holds rows alone.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/perrecord/step_join.h"
#include "engine/perrecord/timer_queue.h"

namespace braid {

class DataStreamJoin final : public StepJoin {
 public:
  DataStreamJoin(const JoinPlan& plan, const PerRecordOptions& options);

  std::vector<int64_t> timer_times() const override;
  int64_t memory_bytes() const override {
    return StepJoin::memory_bytes() + timers_.memory_bytes();
  }

 private:
  void Scan(std::span<const RecordStep> steps, std::span<StepScans> scans) override;
  Status Apply(std::span<const RecordStep> steps, int32_t first_step) override;
  Status RestoreOperator(VersionedStore* store, int64_t version) override;
  Result<Column> TimesOf(Side side, const RecordBlock& block) override;

  Status ApplyRow(const RecordStep& step, size_t step_in_group, int32_t step_number);
  void CleanUp(int64_t now);
  int64_t TimerOf(Side side, int64_t time) const;

  // right.time - left.time of a pair is in [lower_, upper_], microseconds.
  int64_t lower_;
  int64_t upper_;
  std::array<int64_t, 2> waits_;  // How long a row of a side stays.
  TimerQueue timers_;
  std::vector<Timer> due_;
  std::vector<FoundRow> found_;
};

}  // namespace braid
