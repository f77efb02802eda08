// How a running job shows its progress on standard error: a block of a few lines that is drawn anew
// in place, on a terminal; or one line of JSON a batch; or nothing.
//
// Ownership: borrows the terminal.
// Thread rule: any thread. A slow terminal holds up whoever draws, not the query that tells of its
// batches (but for JSON lines).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "braid/progress.h"
#include "braid/query_activity.h"
#include "engine/cli/progress_block.h"
#include "engine/cli/run_totals.h"
#include "engine/cli/terminal.h"
#include "engine/cli/terminal_line.h"

namespace braid {

enum class ProgressStyle : uint8_t { kNone, kBlock, kJson };

// --progress: auto, none or json. auto is the block if standard error is a terminal that can move
// its cursor, else nothing.
Result<ProgressStyle> ParseProgressStyle(const std::string& text, bool is_terminal,
                                         const TerminalLook& look);

class ProgressDisplay {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Options {
    ProgressStyle style = ProgressStyle::kNone;
    TerminalLook look;
    std::array<bool, 2> pads = {false, false};  // ProgressView::pads.
    std::function<QueryActivity()> activity;    // What the query is doing; called by Tick.
    TimePoint started;
  };

  // A shorter run shows no block: it would only flash.
  static constexpr std::chrono::milliseconds kShownAfter{300};
  // The block is drawn at most this often.
  static constexpr std::chrono::milliseconds kDrawInterval{100};

  explicit ProgressDisplay(Terminal* terminal) : terminal_(terminal) {}

  // Before it, nothing is shown. Once.
  void Begin(Options options);
  // A batch is done.
  void Show(const BatchProgress& progress);
  // Draws the block if it is time to.
  void Tick(TimePoint now);
  // Whole lines of other text: they come to stand above the block.
  void PrintAbove(std::string_view lines);
  // Wipes the block, for good.
  void End();

  bool is_block_shown() const;
  // Of all batches shown.
  RunTotals totals() const;

 private:
  ProgressView MakeView(TimePoint now);
  std::optional<double> MeasureRate(TimePoint now, const ProgressView& view);
  // How to go to where the block begins, and the block itself.
  std::string GoToBlock(const TerminalSize& size) const;
  std::string BlockText(const TerminalSize& size);

  // The rate is that of the last seconds.
  static constexpr std::chrono::seconds kRateWindow{5};
  static constexpr std::chrono::milliseconds kRateWindowMin{500};

  struct Sample {
    TimePoint time;
    double rows = 0;
  };

  Terminal* const terminal_;

  mutable std::mutex mutex_;
  Options options_;  // Guarded by mutex_, as all below.
  RunTotals totals_;
  std::optional<BatchProgress> last_;
  std::optional<int64_t> running_batch_;
  TimePoint running_since_;
  std::deque<Sample> samples_;

  // Taken after mutex_, if both are.
  mutable std::mutex drawing_;
  bool begun_ = false;  // Guarded by drawing_, as all below.
  bool ended_ = false;
  TimePoint drawn_at_;
  std::vector<TerminalLine> lines_;
  std::vector<int> drawn_widths_;  // Columns of each line on the terminal.
  std::string drawn_text_;
};

}  // namespace braid
