// The shape of a query that this mode can run: one table, or one join of two, with every filter and
// projection of views, subqueries and the outer query moved to the one place where it acts.
//
// Views and subqueries are substituted, so that nothing below knows that they were there: what
// stands below the join is over a table's columns, what stands above it over the joined columns.
//
// Thread rule: free functions over immutable trees.
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/expression/expression.h"
#include "engine/plan/stream_plan.h"
#include "engine/sql/logical_plan.h"

namespace braid {

// One side: SELECT columns FROM table WHERE filters.
struct InputShape {
  TablePtr table;
  std::string alias;                   // The name the query uses for it.
  std::vector<ExpressionPtr> filters;  // Conjuncts over the table's columns, inner ones first.
  std::vector<ExpressionPtr> columns;  // Over the table's columns.
  std::vector<LogicalColumn> names;    // One a column.
};

struct QueryShape {
  std::vector<InputShape> inputs;  // One, or left and right.
  JoinType join_type = JoinType::kInner;
  bool is_cross_join = false;
  Place join_place;
  std::vector<ExpressionPtr> on;           // Conjuncts over left, then right columns.
  std::vector<ExpressionPtr> where;        // Conjuncts over the same (or the single input's).
  std::vector<ExpressionPtr> projections;  // Over the same.
  std::vector<LogicalColumn> output;
};

// Walks the tree from the root. Fails with kInvalidQuery and its place for a second join.
Result<QueryShape> ShapeOf(const LogicalNode& root);

// MakeStreamPlan from the shape on: for a caller that changes it first. `query` gives its text,
// sink and limit.
Result<StreamPlan> MakeStreamPlanOf(const BoundQuery& query, QueryShape shape, Mode mode);

}  // namespace braid
