// A logical plan as text, one node a line, inputs indented: for tests, and for people who look into
// the binder. Not the output of EXPLAIN, which shows what becomes of it.
//
//   Project l.id AS id, r.w AS w
//     Filter l.v > 1
//       Join LEFT OUTER ON l.id = r.id
//         Scan l
//         Scan clicks AS r
//
// Columns are written with the alias of their table; behind a projection with their name alone.
//
// Thread rule: free function.
#pragma once

#include <string>

#include "engine/sql/logical_plan.h"

namespace braid {

std::string PrintLogicalPlan(const LogicalNode& node);

}  // namespace braid
