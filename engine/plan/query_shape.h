// The shape of a query that a mode can run: one table, or a join of two inputs, each a table or, in
// per-record mode, a query of this shape with a join; with every filter and projection of views,
// subqueries and the outer query moved to the one place where it acts.
//
// Views and subqueries are substituted, so that nothing below knows that they were there: what
// stands below the join is over a table's columns, what stands above it over the joined columns.
//
// Thread rule: free functions; the trees that are read are immutable, a shape is one thread's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/mode.h"
#include "engine/expression/expression.h"
#include "engine/plan/joined_columns.h"
#include "engine/plan/stream_plan.h"
#include "engine/sql/logical_plan.h"

namespace braid {

struct QueryShape;

// One side: SELECT columns FROM table WHERE filters; or a query with a join, whose projections are
// the columns.
struct InputShape {
  TablePtr table;
  std::shared_ptr<QueryShape> query;   // Instead of a table; nobody else has it.
  std::string alias;                   // The name the query uses for it; empty: a join without one.
  std::vector<ExpressionPtr> filters;  // Conjuncts over the table's columns, inner ones first.
  std::vector<ExpressionPtr> columns;  // Over the table's columns, or the query's output.
  std::vector<LogicalColumn> names;    // One a column.

  // Once the input is planned: all columns that the query can name on this side, needed or not; and
  // of a query none of whose columns is row time, why not.
  std::vector<SideColumn> visible;
  std::string lost_row_time;

  // The alias, or the names of what is joined.
  std::string ReadableName() const;
};

struct QueryShape {
  std::vector<InputShape> inputs;                 // One, or left and right.
  JoinType join_type = JoinType::kInner;          // After PushDownConditions.
  JoinType written_join_type = JoinType::kInner;  // As the query says.
  bool is_cross_join = false;
  Place join_place;
  std::vector<ExpressionPtr> on;           // Conjuncts over left, then right columns.
  std::vector<ExpressionPtr> where;        // Conjuncts over the same (or the single input's).
  std::vector<ExpressionPtr> projections;  // Over the same.
  std::vector<LogicalColumn> output;
};

// Walks the tree from the root. In micro-batch mode fails with kInvalidQuery and its place for a
// second join.
Result<QueryShape> ShapeOf(const LogicalNode& root, Mode mode);

// Lets WHERE take paddings of shape->join_type away; then moves each condition that acts on the
// rows of one input, which is a query, into that query's WHERE: those of ON and WHERE of an inner
// join, and those of a WHERE over a preserved side. Conditions over a table stay: they are looked
// at when the row arrives. The inputs' own queries are not gone through.
void PushDownConditions(QueryShape* shape);

// All tables, left to right.
std::vector<const TableDefinition*> TablesOf(const QueryShape& shape);

// MakeStreamPlan from the shape on: for a caller that changes it first. `query` gives its text,
// sink and limit.
Result<StreamPlan> MakeStreamPlanOf(const BoundQuery& query, QueryShape shape, Mode mode,
                                    RowTimeJoin row_time_join = RowTimeJoin::kSql,
                                    const ReportTables& reports = {});

}  // namespace braid
