// The plan of a run that is compared: the job's query with columns behind its own that say which
// rows a row of the result is made of, the same in both modes; and a table of late rows that says
// which rows were dropped, in the same terms.
//
// A row of a side is known by its row time and the join keys, which the state holds anyway.
//
// Thread rule: free functions; a plan is immutable after it is made.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "braid/error.h"
#include "engine/plan/stream_plan.h"
#include "engine/session/settings.h"
#include "engine/sql/logical_plan.h"

namespace braid {

// Where the result's rows, and the late ones, tell of the rows of one side: as indexes of columns.
struct SideColumns {
  int time = -1;     // TIMESTAMP or TIMESTAMP_LTZ; -1: the side has no watermark.
  int present = -1;  // TRUE, NULL in padded rows; -1: the time or the keys say it.
  std::vector<int> keys;

  // Those that tell one row from another.
  std::vector<int> identity() const;
};

struct ComparePlan {
  StreamPlan plan;
  int num_columns = 0;  // Of the job's own output; the others stand behind.
  std::array<SideColumns, 2> result;
  // Whether rows of the result may lack a row of the side.
  std::array<bool, 2> may_be_missing = {false, false};
  // Of a late row: its watermark (TIMESTAMP or TIMESTAMP_LTZ) stands in late_watermark.
  std::array<SideColumns, 2> late;
  std::array<int, 2> late_watermark = {-1, -1};
};

// The name of the table that ComparePlan::plan writes late rows to.
constexpr const char* kComparedLateRows = "late rows that are compared";

// Fails as MakeStreamPlan does, and with kInvalidQuery for more than one join.
Result<ComparePlan> PlanComparison(const BoundQuery& query, const Settings& settings);

}  // namespace braid
