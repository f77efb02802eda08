// What of a row is stored: only the columns that the output, the WHERE after the join or the
// postJoinFilter reads from a stored row, and the key parts that a hash must be checked against.
// A column that the key word or the stored time holds already is not stored a second time.
//
// Thread rule: free function.
#pragma once

#include <vector>

#include "engine/plan/stream_plan.h"

namespace braid {

// Fills payload_expressions, stored and key_payload of the side. `needed` has one entry a column of
// the side. REQUIRES: keys, pads, time and null_rejecting_columns are planned.
void PlanStoredRow(const std::vector<bool>& needed, const std::vector<uint8_t>& null_safe_keys,
                   JoinSidePlan* plan);

}  // namespace braid
