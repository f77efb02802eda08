// Functions over numbers: CEIL, EXP, FLOOR, LN, POWER, ROUND, SIGN and SQRT; and GREATEST and LEAST
// over values of any one type. All are NULL if an argument is NULL.
//
// Thread rule: free functions; kernels are immutable.
#pragma once

#include <string_view>

#include "engine/expression/evaluation_node.h"
#include "engine/expression/function_registry.h"

namespace braid {

// CEIL, FLOOR of a number: integers and floating-point numbers keep their type, a DECIMAL loses its
// fraction.
Result<ExpressionPtr> MakeWholeNumber(FunctionCall call);
// Numbers -> DOUBLE.
Result<ExpressionPtr> MakeDoubleFunction(FunctionCall call);
// ROUND(number[, INT]). The digits of a DECIMAL are a literal: its type depends on them.
Result<ExpressionPtr> MakeRound(FunctionCall call);
// SIGN(number), of the number's type.
Result<ExpressionPtr> MakeSign(FunctionCall call);
// GREATEST, LEAST: of the common type.
Result<ExpressionPtr> MakeExtreme(FunctionCall call);

// The kernel of the call; an empty one if it is none of these functions.
// REQUIRES: made by one of the functions above.
Kernel FindNumberKernel(const Expression& call);

}  // namespace braid
