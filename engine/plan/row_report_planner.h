// Plans late-rows.table and unmatched-rows.table: which columns of a query's tables they ask for,
// and how each of their columns is made. By name, as SQL finds a column: one that is called like a
// column of a joined table takes that column's value, NULL for rows of a table without it; else
// table_name, row_time, watermark and batch_id are what the engine knows of the row.
//
// Thread rule: free functions.
#pragma once

#include <set>
#include <vector>

#include "braid/error.h"
#include "braid/mode.h"
#include "engine/plan/input_plan.h"
#include "engine/plan/row_report.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// What the reports ask for of an input over `table`: kept up to the late filter, or up to the join.
ReportedColumns ReportedColumnsOf(const ReportTables& reports, const TableDefinition& table,
                                  Mode mode);

// Fills plan->late_rows and plan->unmatched_rows, and tells the inputs. `tables` are all of the
// query: in a tree of joins a column may be one of a table of another join, and is NULL here. Fails
// with kInvalidQuery for a column that nothing is known for, for a type that does not fit, and for
// unmatched rows of a query without a join. REQUIRES: the inputs were planned with
// ReportedColumnsOf.
Status PlanReports(const ReportTables& reports, Mode mode,
                   const std::vector<const TableDefinition*>& tables,
                   std::vector<PlannedInput>* inputs, StreamPlan* plan);

}  // namespace braid
