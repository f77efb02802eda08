// One running micro-batch query: plans batches, runs them, publishes and commits them, and after a
// restart goes on from the last commit. When to do so is the trigger loop's affair.
//
// The order of a batch: plan logged -> rows read -> joined -> published by the sink -> committed
// with its state in one transaction -> sources told. After a crash at any point, Start runs a
// planned batch again first, then a no-data batch that is due, before new input.
//
// Where all sources are finite and no batch waits for a trigger, the joins run ahead: a thread
// reads and joins the next batches while the caller's publishes and commits those before. All that
// leaves the memory of the process, plans included, keeps its order (batch_queue.h).
//
// Errors: after an error the query is over; what was committed stands, and a new MicroBatchQuery on
// the same store goes on from there.
// Thread rule: one thread at a time; Interrupt and activity from any thread. Store, sinks and
// listeners are used on the caller's thread, between calls all is at rest.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/clock.h"
#include "braid/error.h"
#include "braid/progress.h"
#include "braid/query_activity.h"
#include "braid/sink.h"
#include "braid/source.h"
#include "engine/microbatch/abandon_flag.h"
#include "engine/microbatch/activity_recorder.h"
#include "engine/microbatch/batch_finisher.h"
#include "engine/microbatch/batch_queue.h"
#include "engine/microbatch/batch_reader.h"
#include "engine/microbatch/batch_runner.h"
#include "engine/microbatch/output_sinks.h"
#include "engine/microbatch/partition_pool.h"
#include "engine/microbatch/state_limits.h"
#include "engine/microbatch/triggered_query.h"
#include "engine/microbatch/watermark_options.h"
#include "engine/microbatch/watermark_tracker.h"
#include "engine/plan/stream_plan.h"
#include "state/versioned_store.h"

namespace braid {

struct MicroBatchOptions {
  std::string name;
  int parallelism = 1;
  bool no_data_batches = true;
  WatermarkPolicy watermark_policy = WatermarkPolicy::kMin;
  std::vector<WatermarkOptions> watermarks;  // One a table; empty: the defaults.
  EndOfInput end_of_input = EndOfInput::kFlush;
  OnRowError on_row_error = OnRowError::kFail;
  bool durable = false;            // The store outlives the process.
  std::string checkpoint;          // Its directory, for messages.
  int retain_versions = 10;        // As the store was told.
  const TimeZone* zone = nullptr;  // Session zone; null = UTC. Borrowed.
  // Sources give only what exists at the start (trigger available-now).
  bool until_latest = false;
  // The next batch may be planned together with a commit, which saves a sync. Not where a batch
  // must wait for its trigger.
  bool plans_ahead = false;
  StateLimits state_limits;
  std::shared_ptr<StateBudget> state_budget;  // Null: all of the state stays in memory.
};

class MicroBatchQuery final : public TriggeredQuery {
 public:
  // `sources`: one a table, left first. `store` may hold an earlier run.
  static Result<std::unique_ptr<MicroBatchQuery>> Create(
      std::shared_ptr<const StreamPlan> plan, std::vector<std::unique_ptr<Source>> sources,
      OutputSinks sinks, std::shared_ptr<VersionedStore> store, Clock* clock,
      const MicroBatchOptions& options);
  ~MicroBatchQuery() override;

  Status Start() override;
  // A data batch with all that its sources may give now, and the no-data batch after it. Without
  // input, the no-data batch that is due when tables have become idle. Where joins run ahead: all
  // batches up to the end of the input, a LIMIT that is reached or Interrupt.
  Result<Ran> RunTrigger() override;
  Status Settle() override { return {}; }
  Status Finish() override { return sinks_.Close(); }
  void Interrupt() override;
  void Abandon() override;

  void SetRowsListener(const std::function<void()>& listener) override;
  void SetStartedListener(std::function<void()> listener) override;
  void SetProgressListener(std::function<void(const BatchProgress&)> listener) override;

  const std::string& query_id() const override { return query_id_; }
  const std::string& run_id() const override { return run_id_; }
  bool limit_reached() const override { return runner_->limit_reached(); }
  int num_partitions() const override { return runner_->num_partitions(); }
  WaitingRows waiting() const override;
  QueryActivity activity() const override { return activity_.activity(); }
  std::optional<int64_t> last_batch() const override;
  bool is_flushed() const override { return finished_; }

 private:
  struct PlannedBatch {
    BatchPlan plan;
    std::vector<BatchSlices> slices;
    bool logged = false;
    int64_t reading_micros = 0;  // Time it took to choose and wait for its rows.
  };

  MicroBatchQuery(std::shared_ptr<const StreamPlan> plan, OutputSinks sinks,
                  std::shared_ptr<VersionedStore> store, Clock* clock,
                  const MicroBatchOptions& options);

  Status CreateRunner(bool runs_ahead);
  Status CreateReaders(std::vector<std::unique_ptr<Source>> sources);
  Status OpenSinks();
  Status OpenReaders();
  // Makes `run` call join batches, on a thread of its own if joins run ahead.
  Status RunJoins(const std::function<Status()>& run);
  Status RunPending(BatchPlan pending);
  void TellStarted();
  Status CheckFinished();

  BatchPlan NextPlan(EventTime now) const;
  Result<bool> PlanData(bool wait, EventTime now);
  void PlanNoData(EventTime now);
  void PlanFlush(EventTime now);
  Status PlanNext();
  bool no_data_due() const;
  StateSize state_size() const;
  bool is_over_limit() const;
  // Which tables are not to be read for now, one byte each; empty: all are read.
  std::vector<uint8_t> PausedTables() const;
  // Those whose rows nothing lets leave; and whether they alone are beyond the limit.
  std::vector<Side> SidesThatStay() const;
  bool stays_over_limit() const;
  Status CheckStateLimit() const;
  // An error if no table that is read can make room.
  Status CheckPause();
  Result<Ran> RunOneTrigger();
  Status RunPlanned();
  Result<JoinedBatch> CloseBatch(const PlannedBatch& batch, const BatchOutcome& outcome);
  void NoteReached(const std::vector<BatchSlices>& slices);
  Status ObserveTimes(const PlannedBatch& batch);
  void NoteActivity(const std::vector<BatchSlices>& slices, EventTime now);
  BatchCommit MakeCommit(const PlannedBatch& batch) const;
  BatchProgress MakeProgress(const PlannedBatch& batch, const BatchOutcome& outcome) const;
  void ReportEventTimes(const PlannedBatch& batch, BatchProgress* progress) const;
  void ReportSources(const PlannedBatch& batch, const BatchOutcome& outcome,
                     BatchProgress* progress) const;
  void ReportState(const BatchOutcome& outcome, BatchProgress* progress) const;

  const InputPlan& input(size_t table) const;
  // Index of the table among those with a watermark; absent without one.
  std::optional<size_t> watermark_index(size_t table) const { return watermark_index_[table]; }

  std::shared_ptr<const StreamPlan> plan_;
  OutputSinks sinks_;
  std::shared_ptr<VersionedStore> store_;
  Clock* clock_;
  MicroBatchOptions options_;
  std::function<void()> started_listener_;

  std::string query_id_;
  std::string run_id_;
  ActivityRecorder activity_;
  PartitionPool pool_;
  BatchFinisher finisher_;
  // Where the joins run ahead; then they are given the sinks that put rows in line.
  std::unique_ptr<PartitionPool> writers_;
  std::unique_ptr<BatchQueue> queue_;
  OutputSinks queued_sinks_;
  BatchOutput* output_ = nullptr;  // The queue or the finisher.
  std::atomic<bool> interrupted_{false};
  AbandonFlag abandoned_;
  std::unique_ptr<BatchRunner> runner_;
  std::vector<std::string> table_names_;
  std::vector<std::optional<size_t>> watermark_index_;
  std::optional<WatermarkTracker> tracker_;
  std::vector<std::unique_ptr<SliceReader>> readers_;
  std::optional<BatchReader> batch_reader_;
  std::vector<std::string> offsets_;  // End of the last batch, one a table.
  // One a table: the trigger of the last batch with its rows, or the start.
  std::vector<EventTime> last_rows_;
  int64_t next_batch_ = 0;
  bool finished_ = false;  // Flushed.
  std::optional<PlannedBatch> planned_;
  std::optional<BatchCommit> last_commit_;
};

}  // namespace braid
