// What is legal but unwise: said once, with the line to write instead.
//
// Thread rule: free function.
#pragma once

#include "engine/plan/query_shape.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// Adds to plan->warnings what the tables and the finished plan give reason for. (That a side is
// never evicted is added where eviction is planned.)
void AddWarnings(const QueryShape& shape, StreamPlan* plan);

}  // namespace braid
