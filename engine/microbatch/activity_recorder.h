// Keeps what a query is doing, for whoever looks at it from outside. Written a few times a batch
// and once a slice, never a row.
//
// Thread rule: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "braid/query_activity.h"

namespace braid {

class ActivityRecorder {
 public:
  QueryActivity activity() const;

  void BeginTrigger();
  // Also the end of the batch that runs; `next_batch` comes next.
  void EndTrigger(int64_t next_batch);
  // What the sources said when they were asked.
  void SetDataAvailable(bool available);
  // Whether tables are not read since the state is at its limit.
  void SetPaused(bool paused);

  void BeginBatch(int64_t batch_id, int64_t num_input_rows);
  // `total` in units; 0 if it is not known.
  void BeginPhase(BatchPhase phase, ProgressUnit unit = ProgressUnit::kRows, int64_t total = 0);
  // So much more of `phase` is done; ignored unless it is the one that runs.
  void Advance(BatchPhase phase, int64_t count);
  // The same for what is to be done, where it shows only on the way.
  void AddTotal(BatchPhase phase, int64_t count);
  void AddOutputRows(int64_t count);

  // Where joins run ahead (batch_queue.h), all of the above is about the batch that is joined. This
  // is about the one whose output is being finished, which is shown while no batch is joined.
  void BeginOutput(int64_t batch_id, BatchPhase phase);
  void SetJoining(bool joining);

 private:
  // More than there are at once between the beginning of a join and the end of a commit.
  static constexpr size_t kBatchesKept = 4;

  // Rows of a batch that was begun.
  struct BatchRows {
    int64_t batch_id = 0;
    int64_t num_input_rows = 0;
    int64_t num_output_rows = 0;
  };

  mutable std::mutex mutex_;
  QueryActivity activity_;
  bool joining_ = true;
  std::optional<QueryActivity> output_;
  std::deque<BatchRows> batches_;  // The newest ones, up to that of activity_.
};

// A trigger, for as long as it lives.
class ActiveTrigger {
 public:
  ActiveTrigger(ActivityRecorder* activity, const int64_t* next_batch)
      : activity_(activity), next_batch_(next_batch) {
    activity_->BeginTrigger();
  }
  ~ActiveTrigger() { activity_->EndTrigger(*next_batch_); }
  ActiveTrigger(const ActiveTrigger&) = delete;
  ActiveTrigger& operator=(const ActiveTrigger&) = delete;

 private:
  ActivityRecorder* activity_;
  const int64_t* next_batch_;
};

}  // namespace braid
