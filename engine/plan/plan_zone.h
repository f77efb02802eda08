// Whether a query depends on the session zone (table.local-time-zone), anywhere from what it reads
// to what it writes.
//
// Thread rule: free functions.
#pragma once

#include "engine/plan/stream_plan.h"

namespace braid {

// A column TIMESTAMP_LTZ is read, whose text may lack a zone; or an expression depends on it.
bool DependsOnZone(const StreamPlan& plan);

}  // namespace braid
