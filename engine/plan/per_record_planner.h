// Chooses the per-record operator of a join: a lower and an upper bound between one row-time column
// of each side, or one PROCTIME() column of each, make an interval join, anything less a regular
// one.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/plan/joined_columns.h"
#include "engine/plan/predicate_split.h"
#include "engine/plan/query_shape.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// Fills all of *join but what of a row is stored. Fails with kInvalidQuery for bounds between
// processing times while a table below has a watermark, and between row times of which one is a
// TIMESTAMP and one a TIMESTAMP_LTZ.
Status PlanPerRecordJoin(const QueryShape& shape, const PredicateSplit& split,
                         const JoinedColumns& columns, JoinPlan* join,
                         std::vector<std::string>* warnings);

// per-record.interval-join = datastream: makes a row-time interval join a DataStream one. Fails
// with kInvalidQuery for outer joins and for a lower bound above the upper one.
Status UseDataStreamJoin(const QueryShape& shape, JoinPlan* join);

// Says where the primary keys are among the stored columns. REQUIRES: stored rows are planned.
void PlanPrimaryKeys(const JoinedColumns& columns, JoinPlan* join);

}  // namespace braid
