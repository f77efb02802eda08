// The nodes that evaluate an argument only for the rows that need it: AND, OR, CASE, COALESCE, IN.
//
// Thread rule: immutable.
#pragma once

#include <vector>

#include "engine/expression/evaluation_node.h"

namespace braid {

// AND and OR of any number of BOOLEANs.
EvaluationNodePtr MakeLogicNode(Operation operation, std::vector<EvaluationNodePtr> arguments);

// (condition, value, …, else), all values of `type`.
EvaluationNodePtr MakeCaseNode(DataType type, std::vector<EvaluationNodePtr> arguments);

// The first that is not NULL, all of `type`.
EvaluationNodePtr MakeCoalesceNode(DataType type, std::vector<EvaluationNodePtr> arguments);

// (needle, candidate, …), all of one kind.
EvaluationNodePtr MakeInNode(std::vector<EvaluationNodePtr> arguments);

}  // namespace braid
