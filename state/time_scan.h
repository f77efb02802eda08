// Looks through the times of entries that follow each other: which are below a bound, and the
// earliest of the rest.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>

#include "state/row_id.h"

namespace braid {

// Bit i is set iff entries[i].time < bound, for i < count <= 64. NULL times are never below.
// Lowers *earliest to the smallest time that is not below the bound.
uint64_t ScanTimes(const Entry* entries, uint32_t count, uint32_t bound, uint32_t* earliest);

}  // namespace braid
