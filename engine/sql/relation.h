// A logical node together with the names by which expressions reach its columns; and the makers of
// nodes, which keep plans within the limits of limits.h.
//
// Thread rule: values, used by one thread while binding.
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/sql/logical_plan.h"
#include "engine/sql/scope.h"

namespace braid {

struct Relation {
  LogicalNodePtr node;
  Scope scope;
  int depth = 1;      // Of the node's tree.
  int64_t nodes = 1;  // In the node's tree, shared ones counted each time.

  int num_columns() const { return static_cast<int>(node->columns.size()); }
};

// All columns of a table, under `alias`.
Relation MakeScan(TablePtr table, std::string alias, Place place);

// The same rows under the name `alias` (empty: no name).
Relation Renamed(Relation relation, const std::string& alias);

Result<Relation> MakeFilter(Relation input, ExpressionPtr predicate, Place place);

// `names` are the output's columns; they are reached without a table name.
Result<Relation> MakeProject(const Relation& input, std::vector<ExpressionPtr> projections,
                             std::vector<std::string> names, Place place);

struct JoinParts {
  JoinType type = JoinType::kInner;
  ExpressionPtr predicate;  // Over left columns, then right columns; null for none.
  bool is_cross_join = false;
  Scope scope;  // Of the result.
  Place place;
};
Result<Relation> MakeJoin(const Relation& left, const Relation& right, JoinParts parts);

// True if rows of the right side come out of the join.
bool OutputsRight(JoinType type);

}  // namespace braid
