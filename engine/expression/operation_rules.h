// The type rules of operations: which arguments each takes, which implicit casts it adds, and the
// type it gives.
//
// Thread rule: free functions over immutable trees.
#pragma once

#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/expression/expression.h"

namespace braid {

// A call whose arguments have the types that its evaluation needs.
struct BoundCall {
  DataType type;
  std::vector<ExpressionPtr> arguments;
};

// Fails with kInvalidQuery, the place, what was given and what fits. kCast, kTryCast and kFunction
// are made by MakeCast and MakeFunction and refused here.
//
// Commuted sums of a time or interval (`INTERVAL '1' DAY + ts`, `3 * INTERVAL '1' DAY`) come back
// with the time or interval first.
Result<BoundCall> BindOperation(Operation operation, std::vector<ExpressionPtr> arguments,
                                const Place& place);

// As SQL writes it: "AND", "<=", "IS NOT DISTINCT FROM", "COALESCE".
std::string_view OperationName(Operation operation);

}  // namespace braid
