// Stops the query that runs on a checkpoint, from another process: `braid stop`.
//
// Thread rule: free functions. Not for the process that runs the query: looking at a lock gives up
// the process's own.
#pragma once

#include <chrono>
#include <string>

#include "braid/error.h"

namespace braid {

struct RunStop {
  bool now = false;  // Without the running batch.
  // How long a run may hold the checkpoint without listening yet, and how long one that has ended
  // may still hold it.
  std::chrono::milliseconds patience{10'000};
};

// Tells the query to stop and waits until it has ended and let go of the checkpoint. A query that
// is just starting is waited for. kNotFound: nothing runs there, or there is no such directory.
// kConflict: a process holds the checkpoint but cannot be talked to; the message names it.
Status StopRunOn(const std::string& directory, const RunStop& how);

}  // namespace braid
