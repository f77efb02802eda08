// What the braid command ends with, if no signal ends it (then 128 + its number). Documented in
// docs/operations.md and `braid --help`.
#pragma once

#include "braid/error.h"

namespace braid {

enum class ExitCode : int {
  kDone = 0,      // Finished, or stopped by SIGINT or SIGTERM after a whole batch.
  kFailed = 1,    // The run failed: input, disk, damaged checkpoint.
  kUsage = 2,     // The command line, an option or the query is wrong: nothing was run.
  kConflict = 3,  // The checkpoint or the output folder belongs to another query or process.

  // braid compare alone, which says by 0 and 1 what diff does.
  kDiffers = 1,        // The final rows differ.
  kCompareFailed = 4,  // A run failed, where other commands end with kFailed.
};

constexpr ExitCode ExitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidQuery:
    case ErrorCode::kInvalidOption:
      return ExitCode::kUsage;
    case ErrorCode::kConflict:
      return ExitCode::kConflict;
    default:
      return ExitCode::kFailed;
  }
}

}  // namespace braid
