// What of a row is stored: only the columns that the output, the WHERE after the join or the
// postJoinFilter reads from a stored row, and the key parts that a hash must be checked against.
// A column that the key word or the stored time holds already is not stored a second time.
//
// Thread rule: free function.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan/stream_plan.h"

namespace braid {

// Whether an exact key is stored beside its word: per-record state keeps rows with a NULL key,
// whose word alone would not tell them from a value's.
enum class KeyStorage : uint8_t { kWhereHashed, kAlways };

// Fills payload_expressions, stored and key_payload of the side. `needed` has one entry a column of
// the side. REQUIRES: keys, pads, time and null_rejecting_columns are planned.
void PlanStoredRow(const std::vector<bool>& needed, const std::vector<uint8_t>& null_safe_keys,
                   KeyStorage storage, JoinSidePlan* plan);

}  // namespace braid
