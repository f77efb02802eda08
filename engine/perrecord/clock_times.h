// The times of rows that are kept by the clock: what it showed when each row of a block came.
//
// Thread rule: free function.
#pragma once

#include <cstdint>

#include "engine/perrecord/record_block.h"

namespace braid {

// One time a row of the arrays of `side`, those of the block set; `millis` is the clock before the
// first step.
Column ClockTimes(Side side, const RecordBlock& block, int64_t millis);

}  // namespace braid
