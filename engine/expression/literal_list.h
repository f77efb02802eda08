// needle IN (literal, literal, …): the list is sorted once, a long one is searched by halving.
//
// Thread rule: immutable.
#pragma once

#include <vector>

#include "engine/expression/evaluation_node.h"

namespace braid {

// REQUIRES: (needle, literal, …), all of one kind.
EvaluationNodePtr MakeLiteralListNode(std::vector<EvaluationNodePtr> arguments);

}  // namespace braid
