// Puts the plan of a join together: its type after WHERE, the split of the predicates, eviction of
// both sides, the time range, and what is stored of a row.
//
// Thread rule: free function.
#pragma once

#include <vector>

#include "braid/error.h"
#include "engine/plan/input_plan.h"
#include "engine/plan/joined_columns.h"
#include "engine/plan/query_shape.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// Fills plan->join and plan->where. `shape` is over `columns`. Fails with kInvalidQuery and the
// reason where a side that must pad or decide would never be evicted, and as TimeBoundOf does.
Status PlanJoin(const QueryShape& shape, const JoinedColumns& columns,
                std::vector<PlannedInput> inputs, Mode mode, StreamPlan* plan);

}  // namespace braid
