// What is legal but unwise: said once, with the line to write instead.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/query_shape.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// Of tables whose watermark has no delay, in micro-batch mode: each once.
void WarnOfNoDelay(const std::vector<const TableDefinition*>& tables,
                   std::vector<std::string>* warnings);

// Adds to plan->warnings that no row can be late, if late rows are asked for.
void WarnOfNoWatermark(const std::vector<const TableDefinition*>& tables, StreamPlan* plan);

// Adds to plan->warnings what the finished join of the plan gives reason for. (That a side is never
// evicted, or that state grows, is added where that is planned.)
void WarnOfJoin(const QueryShape& shape, StreamPlan* plan);

}  // namespace braid
