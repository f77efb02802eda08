// Why a side is never evicted, and the exact lines to write so that it is. Three things are needed:
// a watermark on the other table, its column at the join, and a condition that says how far that
// column may be after a time of this side.
//
// Thread rule: free function.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/joined_columns.h"
#include "engine/plan/predicate_split.h"
#include "engine/plan/query_shape.h"

namespace braid {

// "table r has no watermark; add to CREATE TABLE r: WATERMARK FOR ts AS ts - INTERVAL '5' SECOND".
// REQUIRES: StateWatermarkOf(side, …) found no rule.
std::string MissingForEviction(Side side, const QueryShape& shape, const PredicateSplit& split,
                               const JoinedColumns& columns);

}  // namespace braid
