// The plan by which `braid advise` reads a join: an inner join on the job's keys and filters, with
// one time range, [-max, max], in place of all time bounds that the job writes. So a job whose
// bounds are still missing, which no mode would run as an outer join, is planned too.
//
// What stays of the job: its equi-join keys, every other ON condition, WHERE over the side that is
// preserved (of an inner join: all of WHERE), views and subqueries, and what is stored of a row.
//
// Thread rule: free function; the result is a value.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/time.h"
#include "engine/plan/stream_plan.h"
#include "engine/sql/logical_plan.h"

namespace braid {

struct AdvicePlan {
  StreamPlan plan;  // plan.join->time_range is [-max, max]; both sides have one plain time.
  Interval max;
  // "l.ts": the columns whose distance is looked at.
  std::array<std::string, 2> time_names;
  // Of those columns, as indexes into the tables' columns; -1 for a computed one.
  std::array<int, 2> table_columns = {-1, -1};
  // What the job says of right - left itself, both inclusive; absent ends are open.
  TimeRange written;
  std::vector<std::string> notes;  // What of the job does not count here.
};

// `max`: absent for an hour, or for twice the farthest bound that the job writes if that is more.
// Fails with kInvalidQuery, the reason and the place for a query that is not one join of two
// tables, for sides of which no time column is known, and as MakeStreamPlan does.
Result<AdvicePlan> PlanAdvice(const BoundQuery& query, std::optional<Interval> max);

}  // namespace braid
