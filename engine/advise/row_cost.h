// What a stored row of a join side costs: the bytes that the engine's own state needs for a sample
// of the side's rows.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>

#include "engine/microbatch/arrival_stage.h"
#include "engine/plan/stream_plan.h"
#include "state/side_state.h"

namespace braid {

class RowCost {
 public:
  RowCost(const JoinPlan& plan, Side side);

  // Stores the rows, unless there are enough already.
  void Sample(const Arrivals& arrivals);

  // Bytes a row: entry, its part of the index, and payload; 0 without rows.
  double bytes_per_row() const;

 private:
  SideState state_;
  int64_t num_rows_ = 0;
  int64_t payload_bytes_ = 0;
};

}  // namespace braid
