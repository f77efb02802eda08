// One running query of the per-record mode: reads records of all tables in a defined order, runs
// them through the joins, and ends an epoch at every checkpoint, between two records.
//
// An epoch is to this mode what a batch is to the other one, and ends in the same way: its plan
// (which records, in which order) is logged -> its rows become visible at the sink -> it is
// committed with the state in one transaction -> sources are told. After a crash in between, Start
// reads the planned records again in the planned order and ends the epoch with them. Without a
// checkpoint directory nothing is logged or committed, and an epoch also ends when there is nothing
// new to read.
//
// Errors: as TriggeredQuery.
// Thread rule: one thread at a time; Interrupt and activity from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "braid/clock.h"
#include "braid/source.h"
#include "engine/microbatch/activity_recorder.h"
#include "engine/microbatch/output_sinks.h"
#include "engine/microbatch/row_output.h"
#include "engine/microbatch/state_limits.h"
#include "engine/microbatch/triggered_query.h"
#include "engine/perrecord/join_tree.h"
#include "engine/perrecord/record_reader.h"
#include "engine/plan/stream_plan.h"
#include "state/versioned_store.h"

namespace braid {

struct PerRecordQueryOptions {
  std::string name;
  PerRecordOptions join;  // Lateness, clean-up, TTL; on_error, zone, durable.
  std::optional<Interleave>
      interleave;  // Absent: event-time if all inputs are finite, else arrival.
  Interval checkpoint_interval = {1'000'000};
  EndOfInput end_of_input = EndOfInput::kFlush;
  int retain_versions = 10;              // As the store was told.
  std::string checkpoint;                // Its directory, for messages.
  bool until_latest = false;             // Sources give only what exists at the start.
  std::vector<WatermarkOptions> tables;  // One a table; ignored without a watermark.
  // Result rows get one more column: the largest row time that was read when they came,
  // TIMESTAMP(6).
  bool tells_event_time = false;
  StateLimits state_limits;
};

// How things stand after a block of records.
struct BlockNews {
  std::optional<EventTime> event_time;  // The largest row time read.
  std::optional<Watermark> watermark;   // Of the uppermost join; absent: unset.
  int64_t num_state_rows = 0;
  int64_t state_bytes = 0;
};

class PerRecordQuery final : public TriggeredQuery, private TreeOutput {
 public:
  // `sources`: one a table, in the order of TableInputs(plan). `store` may hold an earlier run.
  static Result<std::unique_ptr<PerRecordQuery>> Create(
      std::shared_ptr<const StreamPlan> plan, std::vector<std::unique_ptr<Source>> sources,
      OutputSinks sinks, std::shared_ptr<VersionedStore> store, Clock* clock,
      const PerRecordQueryOptions& options);
  ~PerRecordQuery() override;

  Status Start() override;
  Result<Ran> RunTrigger() override;
  Status Settle() override;
  Status Finish() override;
  void Interrupt() override;
  void Abandon() override { abandoned_.Raise(); }

  void SetRowsListener(const std::function<void()>& listener) override;
  void SetStartedListener(std::function<void()> listener) override;
  void SetProgressListener(std::function<void(const BatchProgress&)> listener) override;
  // Called after each block of records, on the thread that runs.
  void SetBlockListener(std::function<void(const BlockNews&)> listener);

  const std::string& query_id() const override { return query_id_; }
  const std::string& run_id() const override { return run_id_; }
  bool limit_reached() const override { return output_plan_->limit_reached(); }
  int num_partitions() const override { return 1; }
  WaitingRows waiting() const override;
  QueryActivity activity() const override { return activity_.activity(); }
  std::optional<int64_t> last_batch() const override;
  bool is_flushed() const override { return finished_; }

 private:
  // What an epoch did so far.
  struct Epoch {
    EventTime started;
    int64_t started_micros = 0;
    int64_t reading_micros = 0;
    int64_t output_rows = 0;
    int64_t row_errors = 0;
    std::optional<Watermark> watermark;  // At its start: where the epoch before ended.
  };

  PerRecordQuery(std::shared_ptr<const StreamPlan> plan, OutputSinks sinks,
                 std::shared_ptr<VersionedStore> store, Clock* clock,
                 const PerRecordQueryOptions& options);

  Status CreateOutput();
  void CreateReader(std::vector<std::unique_ptr<Source>> sources);
  Status Restore(const std::optional<VersionInfo>& latest);
  Status OpenSink();
  Status RunPending(const BatchPlan& pending);
  Status CheckFinished();
  void TellStarted();

  Status ProcessBlock();
  Status Take(const OutputBlock& block, std::span<const int32_t> positions) override;

  StateSize state_size() const;
  bool is_over_limit() const;
  bool stays_over_limit() const;
  // As in micro-batch mode (micro_batch_query.h); looked at after every block.
  std::vector<uint8_t> PausedTables() const;
  void PauseTables();
  Status CheckStateLimit();
  Status CheckPause();

  Status BeginEpoch();
  bool checkpoint_due() const;
  Status FinishSlices();
  // `logged`: its plan is there already.
  Status EndEpoch(bool finished, bool logged);
  BatchPlan MakePlan(bool finished);
  BatchCommit MakeCommit(bool finished) const;
  Status CommitEpoch(bool finished, bool logged);
  void Report(bool finished, const std::map<std::string, int64_t>& durations);
  void ReportSources(BatchProgress* progress);
  void ReportState(BatchProgress* progress);
  std::optional<Watermark> watermark() const;

  std::shared_ptr<const StreamPlan> plan_;
  OutputSinks sinks_;
  std::shared_ptr<VersionedStore> store_;
  Clock* clock_;
  const PerRecordQueryOptions options_;
  std::function<void()> started_listener_;
  std::function<void(const BatchProgress&)> listener_;
  std::function<void(const BlockNews&)> block_listener_;

  std::string query_id_;
  std::string run_id_;
  ActivityRecorder activity_;
  std::unique_ptr<OutputPlan> output_plan_;
  std::unique_ptr<RowOutput> output_;
  std::unique_ptr<JoinTree> tree_;
  std::unique_ptr<RecordReader> reader_;

  std::atomic<bool> interrupted_{false};
  AbandonFlag abandoned_;
  int64_t next_batch_ = 0;
  bool finished_ = false;
  bool is_broken_ = false;          // A block was processed in part: its epoch is not committed.
  int64_t state_rows_ = 0;          // At the end of the last epoch.
  std::vector<int64_t> late_rows_;  // Of each table, up to then.
  std::optional<Epoch> epoch_;
  std::optional<BatchCommit> last_commit_;
};

}  // namespace braid
