// JSON_VALUE(json, path): the text of one scalar in a JSON text.
//
// The path is a literal: $, then .name, ['name'] and [index] in any number; "lax " may stand before
// it. NULL if the text is no JSON or there is no such value, or for null, an object or an array.
// A string comes without its quotes; other numbers than integers are printed as a DOUBLE is.
//
// Thread rule: free functions; kernels are immutable.
#pragma once

#include "engine/expression/evaluation_node.h"
#include "engine/expression/function_registry.h"

namespace braid {

// Fails with kInvalidQuery for a path that is no literal.
Result<ExpressionPtr> MakeJsonValue(FunctionCall call);

// Fails with kInvalidQuery for a path that cannot be read.
Result<Kernel> MakeJsonValueKernel(const Expression& call);

}  // namespace braid
