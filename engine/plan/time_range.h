// The time range: the bounds between the two columns that stored rows carry as their time, as one
// interval of right.time - left.time that a probe tests without looking at the rows.
//
// Thread rule: free functions.
#pragma once

#include <vector>

#include "engine/plan/joined_columns.h"
#include "engine/plan/predicate_split.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// Gives a side that needs no time for eviction the column of a bound as its time, so that the bound
// can be tested on stored times. REQUIRES: eviction has been planned for both sides.
void ChooseTimesForRange(const PredicateSplit& split, const JoinedColumns& columns, JoinPlan* plan);

// The intersection of all bounds between the two stored times; empty ends when one of them is not a
// plain column. Inclusive, in microseconds; lower > upper when nothing can match.
TimeRange TimeRangeOf(const PredicateSplit& split, const JoinedColumns& columns,
                      const JoinPlan& plan);

// The post conditions that the time range does not decide already.
std::vector<ExpressionPtr> UndecidedConditions(const PredicateSplit& split,
                                               const JoinedColumns& columns, const JoinPlan& plan);

}  // namespace braid
