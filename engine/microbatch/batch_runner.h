// Runs the rows of one batch: late filter and preJoinFilter, exchange to partitions, join, batch
// end (steps 3 to 6 of a row's way). It plans nothing, publishes nothing and commits nothing.
//
// Ownership: plan, sink and pool are borrowed and outlive it.
// Thread rule: one thread at a time; it runs partitions on the pool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "braid/error.h"
#include "braid/sink.h"
#include "engine/microbatch/abandon_flag.h"
#include "engine/microbatch/activity_recorder.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/microbatch/batch_reader.h"
#include "engine/microbatch/partition_pool.h"
#include "engine/microbatch/report_output.h"
#include "engine/microbatch/row_output.h"
#include "engine/microbatch/symmetric_hash_join.h"
#include "engine/plan/stream_plan.h"
#include "state/batch_log.h"
#include "state/versioned_store.h"

namespace braid {

// What a batch did, summed over partitions.
struct BatchOutcome {
  int64_t num_output_rows = 0;
  int64_t row_errors = 0;
  int64_t num_late_rows_written = 0;
  int64_t num_unmatched_rows_written = 0;
  std::vector<ArrivalCounts> arrivals;  // One a table; none without data.
  JoinCounts join;
  int64_t updates_micros = 0;   // Wall time of step 3 to 5.
  int64_t removals_micros = 0;  // Wall time of step 6.
};

class BatchRunner {
 public:
  struct Options {
    int num_partitions = 1;
    OnRowError on_error = OnRowError::kFail;
    bool durable = false;
    const TimeZone* zone = nullptr;
    std::shared_ptr<StateBudget> budget;     // Null: all of the state stays in memory.
    ActivityRecorder* activity = nullptr;    // Is told how far a batch is. Borrowed, not null.
    const AbandonFlag* abandoned = nullptr;  // Borrowed, not null.
    // Where the plan reports such rows; otherwise null. Borrowed.
    Sink* late_rows = nullptr;
    Sink* unmatched_rows = nullptr;
  };

  static Result<std::unique_ptr<BatchRunner>> Create(const StreamPlan& plan, Sink* sink,
                                                     PartitionPool* pool, const Options& options);

  // Makes the partitions. `store` gives lineages and, when it has a version, the rows to start
  // from.
  Status Restore(VersionedStore* store, const BatchCommit* commit);

  // Runs the batch; `slices` has one entry a table, none for a batch without data.
  Result<BatchOutcome> Run(const BatchPlan& batch, const std::vector<BatchSlices>& slices);

  // What the batch changed, for the store.
  std::vector<SideDelta> TakeDeltas();

  // The stage of a table, for reading ahead.
  const ArrivalStage& stage(size_t table) const { return *stages_[table]; }

  bool has_eviction_predicate() const;
  std::optional<EventTime> Threshold(Side side, std::optional<Watermark> watermark) const;
  int64_t num_state_rows(Side side) const;
  std::optional<EventTime> oldest_time(Side side) const;
  int64_t side_bytes(Side side) const;  // In memory and on disk.
  int64_t state_memory_bytes() const;
  int64_t state_index_bytes() const;    // Of these, what no budget covers.
  int64_t state_spilled_bytes() const;  // On disk, beyond the budget.
  int num_partitions() const { return static_cast<int>(outputs_.size()); }
  bool limit_reached() const { return output_plan_->limit_reached(); }

 private:
  // Slices after Arrive, with the rows of each partition.
  struct RoutedSlice {
    Arrivals arrivals;
    std::vector<std::vector<int32_t>> rows;
  };

  BatchRunner(const StreamPlan& plan, PartitionPool* pool, const Options& options)
      : plan_(plan), pool_(pool), options_(options) {}

  Status CreateReports();
  Status CreatePartitions(VersionedStore* store);
  Status RestoreSide(VersionedStore* store, const BatchCommit& commit, Side side);
  Result<std::vector<std::vector<RoutedSlice>>> Arrive(const BatchPlan& batch,
                                                       const std::vector<BatchSlices>& slices,
                                                       const EvaluationContext& context,
                                                       BatchOutcome* outcome);
  Status WriteLateRows(const BatchPlan& batch, const std::vector<std::vector<RoutedSlice>>& routed,
                       const EvaluationContext& context) const;
  Status RunSingle(const std::vector<std::vector<RoutedSlice>>& routed);
  static int64_t CountArrivals(const std::vector<RoutedSlice>& slices);
  Status JoinSlices(size_t partition, Side side, const std::vector<RoutedSlice>& slices,
                    bool stores);
  Status StoreSlices(size_t partition, Side side, const std::vector<RoutedSlice>& slices);
  // What is read from disk is kept for the next column: with a budget one thread gathers.
  bool emits_apart(const SymmetricHashJoin& join) const {
    return options_.budget == nullptr && join.emits_pairs();
  }
  Status ShareSide(size_t partition, Side side, const std::vector<RoutedSlice>& slices);
  Status RunPartitions(const BatchPlan& batch, const std::vector<std::vector<RoutedSlice>>& routed,
                       const EvaluationContext& context);
  Status RunPartition(size_t partition, const BatchPlan& batch,
                      const std::vector<std::vector<RoutedSlice>>& routed,
                      const EvaluationContext& context);
  void Sum(BatchOutcome* outcome) const;
  int64_t SumOfSides(int64_t (SideState::*figure)() const) const;

  const StreamPlan& plan_;
  PartitionPool* pool_;
  Options options_;
  std::unique_ptr<OutputPlan> output_plan_;
  std::vector<std::unique_ptr<ArrivalStage>> stages_;
  std::vector<std::unique_ptr<RowOutput>> outputs_;
  std::unique_ptr<ReportOutput> late_rows_;       // Null: not reported.
  std::unique_ptr<ReportOutput> unmatched_rows_;  // Null: not reported.
  std::vector<std::unique_ptr<SymmetricHashJoin>> joins_;
};

}  // namespace braid
