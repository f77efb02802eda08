// Rows of chunks as a version sees them.
//
// Thread rule: free functions.
#pragma once

#include <span>
#include <vector>

#include "state/state_delta.h"
#include "state/store/chunk_directory.h"

namespace braid {

// Of the rows of a chunk, as they were read: those alive, with the matched flags that the chunk's
// marks add. Shares the arrays if all are alive. `rows.num_rows` = 0 when none is.
StateRows KeepLiveRows(StateRows rows, const StoredChunk& chunk, const Liveness& liveness);

// The rows of all runs, whose ids rise from one to the next. REQUIRES: at least one run, equal
// layouts.
StateRows JoinRuns(std::span<const StateRows> runs);

}  // namespace braid
