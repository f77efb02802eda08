// What follows from the type of a join alone: which sides pad, which must decide, which a WHERE may
// filter beforehand; and which paddings a WHERE takes away.
//
// Thread rule: free functions.
#pragma once

#include <vector>

#include "engine/expression/expression.h"
#include "engine/plan/joined_columns.h"
#include "engine/plan/stream_plan.h"
#include "engine/sql/logical_plan.h"

namespace braid {

// Rows of `side` without a match are emitted (null-padded, or as they are by ANTI).
bool Pads(JoinType type, Side side);

// Rows of `side` wait for a decision, so this side must be evicted some day: those that pad, and
// the left rows of SEMI.
bool MustDecide(JoinType type, Side side);

// Every row of `side` is in the result at least padded, or decides about itself alone: a WHERE over
// this side alone may act on new rows.
bool IsPreserved(JoinType type, Side side);

// The result holds columns of `side`.
bool IsInOutput(JoinType type, Side side);

// The type of the join after WHERE took paddings away: a conjunct that is never TRUE when a side's
// columns are all NULL removes the rows padded on that side (LEFT and RIGHT become INNER, FULL
// becomes LEFT or RIGHT).
JoinType SimplifyOuterJoin(JoinType type, const std::vector<ExpressionPtr>& where,
                           const JoinedColumns& columns);

}  // namespace braid
