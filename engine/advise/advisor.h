// Reads the input of a job once and says which time bounds, state and watermark delays it asks for.
//
// Memory: what is said in row_sorter.h, with three eighths of the budget for each table, and in
// pair_finder.h, with the last quarter; then four distributions (time_distribution.h) and 16 MiB
// that each source reads ahead.
// Thread rule: one thread.
#pragma once

#include <cstdint>

#include "braid/clock.h"
#include "braid/error.h"
#include "engine/advise/advice.h"
#include "engine/advise/advice_plan.h"
#include "engine/session/job.h"

namespace braid {

struct AdvisorOptions {
  static constexpr int64_t kMemoryBytes = int64_t{512} << 20;

  int64_t memory_bytes_max = kMemoryBytes;
  // For tests: how many different lengths are counted exactly.
  size_t exact_max = TimeDistribution::kExactMax;
};

// `job` was prepared with the planner that made `plan`. Fails with kInvalidOption for a table that
// does not end, unless execution.trigger is available-now: then what there is now is read.
Result<Advice> Advise(Job* job, const AdvicePlan& plan, Clock* clock,
                      const AdvisorOptions& options);

}  // namespace braid
