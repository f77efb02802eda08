// Functions over texts: CONCAT, LPAD, LTRIM, POSITION, REPLACE, RPAD, RTRIM, SPLIT_INDEX, SUBSTRING
// and TRIM. Positions and lengths count characters (code points), from 1. All are NULL if an
// argument is NULL.
//
// Thread rule: free functions; kernels are immutable.
#pragma once

#include <string_view>

#include "engine/expression/evaluation_node.h"
#include "engine/expression/function_registry.h"

namespace braid {

// Texts -> STRING.
Result<ExpressionPtr> MakeTextCall(FunctionCall call);
// Texts -> INT.
Result<ExpressionPtr> MakeTextMeasure(FunctionCall call);
// LPAD, RPAD: (text, INT, text).
Result<ExpressionPtr> MakePad(FunctionCall call);
// SPLIT_INDEX(text, separator, INT).
Result<ExpressionPtr> MakeSplitIndex(FunctionCall call);
// SUBSTRING(text, INT[, INT]), SUBSTR.
Result<ExpressionPtr> MakeSubstring(FunctionCall call);

// The kernel of the function of this name; an empty one if it is none of these.
Kernel FindTextKernel(std::string_view name);

}  // namespace braid
