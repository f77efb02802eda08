// The lines that show a running job on a terminal.
//
// Thread rule: free functions.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/progress.h"
#include "braid/query_activity.h"
#include "engine/cli/run_totals.h"
#include "engine/cli/terminal_line.h"

namespace braid {

// All that the lines say.
struct ProgressView {
  QueryActivity activity;
  std::chrono::milliseconds batch_time{0};  // Since the running batch was first seen.
  std::chrono::milliseconds run_time{0};
  RunTotals totals;
  std::optional<BatchProgress> last;          // The newest batch that is done.
  std::optional<double> rows_per_second;      // Of input, over the last seconds.
  std::array<bool, 2> pads = {false, false};  // Whether stored rows of the side wait for NULLs.
};

// One line on the batch, one on the run, one a table, one on the state of a join, and one on
// dropped rows if there are any. A batch gets its bar once it takes kBarAfter.
constexpr std::chrono::milliseconds kBarAfter{500};
std::vector<TerminalLine> DrawProgress(const ProgressView& view, bool utf8);

// "1,234,567".
std::string GroupDigits(int64_t count);
// "3.2 s", "2 min 3 s", "3 h 12 min", "2 d 3 h".
std::string FormatLength(std::chrono::milliseconds length);
// "512 B", "1.2 MB" (10^6).
std::string FormatBytes(int64_t bytes);

}  // namespace braid
