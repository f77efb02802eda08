// Plans the way of one input's rows up to the join (or to the output, without one). Of a table:
// which columns are read, which are computed, and what views and subqueries do to them. Only what
// somebody needs is read and computed; the watermarked column always is, so that lateness does not
// depend on what the query selects. Of a query that is an input: what the join sees of its output.
//
// Thread rule: free functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/plan/joined_columns.h"
#include "engine/plan/query_shape.h"
#include "engine/plan/stream_plan.h"

namespace braid {

struct PlannedInput {
  InputPlan plan;
  std::vector<SideColumn> columns;  // Of plan.schema.
  // For each column of the shape its index into plan.schema; -1 when not needed.
  std::vector<int> positions;
};

// Table columns that late-rows.table and unmatched-rows.table ask for, whatever the query needs.
struct ReportedColumns {
  std::set<int> of_table;  // Up to the late filter.
  std::set<int> of_side;   // Up to the join: among the side's columns.
};

// `needed` has one entry a column of the shape, which is of a table.
PlannedInput PlanInput(const InputShape& shape, const std::vector<bool>& needed,
                       const ReportedColumns& reported = {});

// `query` gives the needed columns of the shape, which is of a query; shape.visible is known.
PlannedInput PlanQueryInput(const InputShape& shape, const std::vector<bool>& needed,
                            StreamPlan query);

// All columns that the query can name on this side of a table, needed or not.
std::vector<SideColumn> VisibleColumns(const InputShape& shape);

// "l.ts", quoted where needed.
std::string QualifiedName(const std::string& alias, const std::string& column);

}  // namespace braid
