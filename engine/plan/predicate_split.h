// Takes ON and WHERE apart: equi-join keys, preJoinFilter of each side, postJoinFilter, WHERE
// before and after the join, and the time bounds that stand among the conditions over both sides.
//
// Thread rule: free function; the result is a value.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "braid/error.h"
#include "engine/expression/expression.h"
#include "engine/plan/joined_columns.h"
#include "engine/plan/stream_plan.h"
#include "engine/plan/time_bound.h"

namespace braid {

// left = right, or left IS NOT DISTINCT FROM right; over joined columns, of one type.
struct EquiKey {
  std::array<ExpressionPtr, 2> sides;
  bool null_safe = false;
  ExpressionPtr conjunct;          // As written.
  std::optional<TimeBound> bound;  // An equality of times is a bound too.
};

// A condition of ON over both sides that is no key.
struct PostCondition {
  ExpressionPtr conjunct;
  std::optional<TimeBound> bound;
};

// All expressions are over joined columns.
struct PredicateSplit {
  std::vector<EquiKey> keys;
  std::array<std::vector<ExpressionPtr>, 2> pre;  // Constant conjuncts are in both.
  std::vector<PostCondition> post;
  std::array<std::vector<ExpressionPtr>, 2> where_before;
  std::vector<ExpressionPtr> where_after;

  // Of keys and post conditions, in the order of ON.
  std::vector<TimeBound> bounds;
  // Per side, columns of that side a NULL in which keeps a condition over both sides from being
  // TRUE; rising.
  std::array<std::vector<int>, 2> null_rejecting;
};

// `type` is the type after SimplifyOuterJoin. Fails as TimeBoundOf does.
Result<PredicateSplit> SplitPredicates(JoinType type, std::vector<ExpressionPtr> on,
                                       const std::vector<ExpressionPtr>& where,
                                       const JoinedColumns& columns);

}  // namespace braid
