// How a running job shows its progress on standard error: a live line on a terminal, or one line of
// JSON a batch, or nothing.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "braid/error.h"
#include "braid/progress.h"
#include "engine/cli/run_totals.h"

namespace braid {

enum class ProgressStyle : uint8_t { kNone, kLine, kJson };

// auto: a live line on a terminal, else nothing; none; json.
Result<ProgressStyle> ParseProgressStyle(const std::string& text);

class ProgressDisplay {
 public:
  explicit ProgressDisplay(ProgressStyle style) : style_(style) {}

  void Show(const BatchProgress& progress);
  // Wipes the live line, so that other text can be printed.
  void Clear();

  // Of all batches shown.
  const RunTotals& totals() const { return totals_; }

 private:
  void ShowLine(const BatchProgress& progress);

  // The live line is written anew at most this often.
  static constexpr std::chrono::milliseconds kLineInterval{100};

  ProgressStyle style_;
  bool line_shown_ = false;
  std::chrono::steady_clock::time_point line_shown_at_;
  RunTotals totals_;
  int64_t num_state_rows_ = 0;
};

}  // namespace braid
