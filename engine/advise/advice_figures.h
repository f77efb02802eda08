// From what was measured to what is advised.
//
// Thread rule: free functions.
#pragma once

#include "engine/advise/advice.h"
#include "engine/advise/time_distribution.h"

namespace braid {

// The smallest delay, in whole milliseconds, with which a row of this lateness is never late: the
// watermark, cut to a millisecond, stays below its time. -1 us (a row that is newer than all before
// it) needs none.
Interval DelayFor(Interval lateness);

// Fills delays and num_late_at_written_delay.
void AdviseDelays(const TimeDistribution& lateness, SideAdvice* side);

// State of a join with right - left in [lower, upper]: the rate of a side times how long it waits.
// A left row waits until the other side's watermark has passed left + upper, a right row until it
// has passed right - lower.
StateCost CostOf(const Advice& advice, Interval lower, Interval upper);

// Fills count, bins and bounds. REQUIRES: rates, costs and watermark_lag of `advice` are known.
void AdviseBounds(const TimeDistribution& differences, const Advice& advice, MatchAdvice* matches);

}  // namespace braid
