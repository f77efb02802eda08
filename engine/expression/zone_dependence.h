// Whether the value of an expression depends on the session zone (table.local-time-zone): what a
// moment shows on the clock, and what moment a clock time or a text is.
//
// Thread rule: free functions over immutable trees.
#pragma once

#include "engine/expression/expression.h"

namespace braid {

// Of the call alone, whatever its arguments depend on. REQUIRES: kCall.
bool CallDependsOnZone(const Expression& call);

// Of the whole tree; false for null.
bool DependsOnZone(const ExpressionPtr& expression);

}  // namespace braid
