// Runs a job in both modes over the same finite input, and says where their results differ and why.
//
// Errors: those of preparing and running the job, with the mode in front; kInvalidOption for input
// that does not end or cannot be read twice. Nothing runs unless both modes take the job.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "braid/error.h"
#include "engine/compare/comparison.h"
#include "engine/session/job.h"

namespace braid {

// So many of the rows that are in one mode only are described in full, of each mode.
constexpr int64_t kAllRows = std::numeric_limits<int64_t>::max();

// `options`: as the job would run. Its mode, its checkpoint and where it writes do not count.
// Memory: both results are held, and some 60 bytes a row beside them.
Result<Comparison> Compare(std::string_view text, const JobOptions& options, int64_t num_rows);

}  // namespace braid
