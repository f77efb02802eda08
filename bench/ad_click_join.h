// The query of the ad-click workload, and its rows as a join gets them.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>

#include "bench/workload_rows.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/plan/stream_plan.h"

namespace braid {

inline constexpr int64_t kAdClickWindowSeconds = 60;

// Impressions (l) and their clicks (r) within the window; its result has all columns of both.
StreamPlan MakeAdClickPlan(bool outer, Mode mode);

// The rows of one side as they come out of the side's ArrivalStage.
Arrivals MakeAdClickArrivals(const JoinPlan& plan, Side side, const WorkloadSide& rows);

}  // namespace braid
