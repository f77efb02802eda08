// REGEXP_EXTRACT, REGEXP_LIKE and REGEXP_REPLACE, by RE2: its syntax is that of Java but for what
// needs backtracking (look-around, back references), and its time is linear in the text.
//
// A pattern that is a literal is compiled once; one from a column once for each run of equal ones.
//
// Thread rule: free functions; kernels are immutable.
#pragma once

#include "engine/expression/evaluation_node.h"
#include "engine/expression/function_registry.h"

namespace braid {

// (text, pattern) -> BOOLEAN.
Result<ExpressionPtr> MakeRegexpLike(FunctionCall call);
// (text, pattern[, INT]) -> STRING.
Result<ExpressionPtr> MakeRegexpExtract(FunctionCall call);

// The kernel of the call; an empty one if it is none of these functions. Fails with kInvalidQuery
// for a literal pattern that is none.
Result<Kernel> FindRegexpKernel(const Expression& call);

}  // namespace braid
