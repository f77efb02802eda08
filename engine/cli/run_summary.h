// The last words of a run: what it did, what it dropped, what waits and what would let it out.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/time.h"
#include "engine/cli/run_totals.h"
#include "engine/microbatch/micro_batch_query.h"

namespace braid {

class Job;

// How a run ended.
struct RunEnd {
  double seconds = 0;
  bool stopped = false;                   // By a signal or a request, before its inputs ended.
  std::optional<std::string> checkpoint;  // Its directory.
  std::optional<int64_t> last_batch;      // The newest committed one.
  bool flushed = false;                   // By this run or an earlier one on the checkpoint.
  // Of sides that pad or wait for the absence of a match: rows in state.
  struct WaitingSide {
    std::string table;
    int64_t num_rows = 0;
    std::optional<Watermark> needed;  // The oldest row leaves at it.
  };
  std::vector<WaitingSide> waiting;  // Only sides with rows.
  WaitingRows holder;                // The watermark now, and who holds it back.
  // The tables of late-rows.table and unmatched-rows.table; empty for none.
  std::string late_rows_table;
  std::string unmatched_rows_table;
};

// REQUIRES: the job was opened and does not run any more.
RunEnd DescribeEnd(Job* job, double seconds);

// Lines, each with its line end. Without `details` the first one and what went wrong alone: rows
// that were dropped.
std::string FormatRunSummary(const RunTotals& totals, const RunEnd& end, bool details);

// "2024-05-01 10:00:00.000", "unset", "end of input".
std::string FormatWatermark(const std::optional<Watermark>& watermark);

}  // namespace braid
