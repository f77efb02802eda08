// State watermark predicates: when a stored row of a side can have no more partners, because the
// other side's watermark has passed every time that a partner could have.
//
//   key rule    The other side's row time, or row time plus a constant, is an equi-join key: a row
//               goes when its key time <= watermark + min(0, constant).
//   range rule  Otherwise, of each bound that the other side's row time must keep to: with
//               `other <= this + d` a row goes when this < watermark - d, with `<` when
//               this <= watermark - d. Of several bounds whichever lets the row go first.
//
// This side's column may be any timestamp column.
// Thread rule: free functions.
#pragma once

#include <string>
#include <vector>

#include "braid/time.h"
#include "engine/plan/joined_columns.h"
#include "engine/plan/predicate_split.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// A row goes when column < watermark + limit (inclusive: <=).
struct RemovalRule {
  int column = -1;  // Of this side.
  Interval limit;
  bool inclusive = false;
};

struct StateWatermark {
  std::vector<RemovalRule> rules;  // Any one removes the row. Empty: the side is never evicted.
  // The rule comes from a NULL-safe key: rows with a NULL time may match and are never removed.
  bool keeps_null_times = false;
};

StateWatermark StateWatermarkOf(Side side, const PredicateSplit& split,
                                const JoinedColumns& columns);

// Fills time, eviction_offset and eviction_text of the side. REQUIRES: rules is not empty.
void ApplyStateWatermark(Side side, const StateWatermark& state_watermark,
                         const JoinedColumns& columns, JoinSidePlan* plan);

}  // namespace braid
