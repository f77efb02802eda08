// Where a batch goes once it is joined, step by step in the order that makes its rows appear
// exactly once: its plan is logged and the sinks begin it; the sinks take its rows; they publish
// it; its state and offsets are committed. A step of a batch may be taken only after all steps of
// the batches before it.
//
// Errors: after an error the query is over; what was committed stands.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "braid/error.h"
#include "braid/progress.h"
#include "state/batch_log.h"
#include "state/state_delta.h"

namespace braid {

// All that its commit needs of a batch that has run. It shares no changing thing with the join.
struct JoinedBatch {
  BatchCommit commit;
  std::vector<SideDelta> deltas;
  // The batch after it, if it is known already: its plan is then logged with this commit.
  std::optional<BatchPlan> next_plan;
  // Absent: nobody wants to know. The times of the steps of BatchOutput are not in it yet.
  std::optional<BatchProgress> progress;
  int64_t reading_micros = 0;  // Time that was spent on its rows before its plan was logged.
  int64_t running_micros = 0;  // … on the joins.
  int64_t closing_micros = 0;  // … on finding out what it has changed.
};

class BatchOutput {
 public:
  virtual ~BatchOutput() = default;

  // `is_logged`: the plan was put into the store earlier.
  virtual Status Begin(const BatchPlan& plan, bool is_logged) = 0;
  // Rows go to the sinks between Begin and Publish.
  virtual Status Publish(int64_t batch_id) = 0;
  virtual Status Commit(JoinedBatch batch) = 0;
};

}  // namespace braid
