// The nodes that evaluate all of their arguments for all rows: columns, literals, comparisons,
// tests, and whatever a kernel does.
//
// Thread rule: immutable.
#pragma once

#include <vector>

#include "engine/expression/evaluation_node.h"

namespace braid {

EvaluationNodePtr MakeColumnNode(int column);
EvaluationNodePtr MakeLiteralNode(Value value);
EvaluationNodePtr MakeProcessingTimeNode();

// Runs `kernel` over the values of the arguments. The place of row errors is the expression's.
EvaluationNodePtr MakeKernelNode(ExpressionPtr expression, Kernel kernel,
                                 std::vector<EvaluationNodePtr> arguments);

// Filters plain columns and literals without making a column of truth values.
EvaluationNodePtr MakeComparisonNode(Operation operation, EvaluationNodePtr left,
                                     EvaluationNodePtr right);

// NOT and IS [NOT] NULL, TRUE, FALSE.
EvaluationNodePtr MakeTestNode(Operation operation, EvaluationNodePtr argument);

}  // namespace braid
