// Which rows of a query only add to its result, and which take rows of it back (-U, -D), in
// per-record mode: a table may give changes, a regular join makes its own, and an interval join
// takes rows that are added only.
//
// Thread rule: free functions over immutable plans.
#pragma once

#include <vector>

#include "braid/error.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// `table_gives_changes` has one entry a table in the order of TableInputs; what it does not reach
// counts as false.

// Whether the query's output may take rows back.
bool MayRetract(const StreamPlan& plan, const std::vector<bool>& table_gives_changes);

// Fails with kInvalidQuery if changes would come to a join that takes none: an interval join of any
// kind, or the join of micro-batch mode. Names the join and the table, or the join, that they come
// from.
Status CheckChangeFlow(const StreamPlan& plan, const std::vector<bool>& table_gives_changes);

}  // namespace braid
