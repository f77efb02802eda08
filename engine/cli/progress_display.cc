#include "engine/cli/progress_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/session/progress_json.h"

namespace braid {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr const char* kEraseLineEnd = "\x1b[K";
constexpr const char* kEraseBelow = "\x1b[J";

// Input rows of the running batch that are done with.
double RowsDone(const QueryActivity& activity) {
  const double rows = static_cast<double>(activity.num_input_rows);
  switch (activity.phase) {
    case BatchPhase::kJoining:
      return activity.total == 0
                 ? 0
                 : rows * static_cast<double>(activity.done) / static_cast<double>(activity.total);
    case BatchPhase::kEvicting:
    case BatchPhase::kPublishing:
    case BatchPhase::kCommitting:
      return rows;
    default:
      return 0;
  }
}

}  // namespace

Result<ProgressStyle> ParseProgressStyle(const std::string& text, bool is_terminal,
                                         const TerminalLook& look) {
  if (text == "none") return ProgressStyle::kNone;
  if (text == "json") return ProgressStyle::kJson;
  if (text == "auto") {
    return is_terminal && look.moves_cursor ? ProgressStyle::kBlock : ProgressStyle::kNone;
  }
  return Fail(ErrorCode::kInvalidOption,
              fmt::format("--progress {}: write auto, none or json", text));
}

void ProgressDisplay::Begin(Options options) {
  const std::scoped_lock lock(mutex_, drawing_);
  options_ = std::move(options);
  begun_ = true;
}

void ProgressDisplay::Show(const BatchProgress& progress) {
  bool json = false;
  {
    const std::lock_guard lock(mutex_);
    totals_.Add(progress);
    last_ = progress;
    json = options_.style == ProgressStyle::kJson;
  }
  if (json) PrintAbove(ProgressToJson(progress) + "\n");
}

RunTotals ProgressDisplay::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

bool ProgressDisplay::is_block_shown() const {
  const std::lock_guard lock(drawing_);
  return !drawn_widths_.empty();
}

// Rows a second over the window that ends now.
std::optional<double> ProgressDisplay::MeasureRate(TimePoint now, const ProgressView& view) {
  const double rows = static_cast<double>(view.totals.num_input_rows) + RowsDone(view.activity);
  samples_.push_back({now, rows});
  while (samples_.size() > 2 && samples_[1].time <= now - kRateWindow) samples_.pop_front();
  const Sample& first = samples_.front();
  if (now - first.time < kRateWindowMin) return std::nullopt;
  return std::max(0.0, rows - first.rows) / std::chrono::duration<double>(now - first.time).count();
}

ProgressView ProgressDisplay::MakeView(TimePoint now) {
  ProgressView view;
  view.activity = options_.activity();
  view.totals = totals_;
  view.last = last_;
  view.pads = options_.pads;
  view.run_time = duration_cast<milliseconds>(now - options_.started);
  // A batch that was told of may still be the one that runs: its rows count once.
  if (last_ && view.activity.batch_id <= last_->batch_id) {
    view.activity.num_input_rows = 0;
    view.activity.num_output_rows = 0;
  }
  const bool runs = view.activity.phase != BatchPhase::kIdle;
  if (!runs) {
    running_batch_.reset();
  } else if (running_batch_ != view.activity.batch_id) {
    running_batch_ = view.activity.batch_id;
    running_since_ = now;
  }
  if (runs) view.batch_time = duration_cast<milliseconds>(now - running_since_);
  view.rows_per_second = MeasureRate(now, view);
  return view;
}

void ProgressDisplay::Tick(TimePoint now) {
  ProgressView view;
  bool utf8 = false;
  {
    const std::lock_guard lock(mutex_);
    if (options_.style != ProgressStyle::kBlock || now - options_.started < kShownAfter) return;
    {
      const std::lock_guard drawing_lock(drawing_);
      if (ended_ || now - drawn_at_ < kDrawInterval) return;
      drawn_at_ = now;
    }
    view = MakeView(now);
    utf8 = options_.look.utf8;
  }
  std::vector<TerminalLine> lines = DrawProgress(view, utf8);
  const std::lock_guard drawing_lock(drawing_);
  if (ended_) return;
  lines_ = std::move(lines);
  const TerminalSize size = terminal_->size();
  const bool is_shown = !drawn_widths_.empty();
  const std::string go = GoToBlock(size);
  const std::string before = std::exchange(drawn_text_, "");
  const std::string block = BlockText(size);
  // What stands there already is left alone.
  if (block != before || !is_shown) terminal_->Write(go + block);
}

void ProgressDisplay::PrintAbove(std::string_view lines) {
  const std::lock_guard lock(drawing_);
  const TerminalSize size = terminal_->size();
  if (drawn_widths_.empty()) {
    terminal_->Write(lines);
    return;
  }
  const std::string go = GoToBlock(size);
  terminal_->Write(fmt::format("{}{}{}{}", go, kEraseBelow, lines, BlockText(size)));
}

void ProgressDisplay::End() {
  const std::lock_guard lock(drawing_);
  ended_ = true;
  if (!drawn_widths_.empty()) {
    terminal_->Write(fmt::format("{}{}", GoToBlock(terminal_->size()), kEraseBelow));
  }
  drawn_widths_.clear();
}

// A terminal that became narrower has folded what was drawn into more rows.
std::string ProgressDisplay::GoToBlock(const TerminalSize& size) const {
  if (drawn_widths_.empty()) return "";
  int rows = 0;
  for (const int width : drawn_widths_) {
    rows += std::max(1, (width + size.columns - 1) / size.columns);
  }
  return fmt::format("\r\x1b[{}A", rows);
}

// Every line ends with a line end, so that what others print, or the keyboard echoes, begins below.
std::string ProgressDisplay::BlockText(const TerminalSize& size) {
  const int columns = std::max(1, size.columns - 1);
  const size_t count = std::min(lines_.size(), static_cast<size_t>(std::max(1, size.rows - 1)));
  drawn_widths_.clear();
  drawn_text_.clear();
  for (size_t line = 0; line < count; ++line) {
    drawn_text_ += lines_[line].Render(columns, options_.look.colors);
    drawn_text_ += kEraseLineEnd;
    drawn_text_ += "\n";
    drawn_widths_.push_back(std::min(columns, lines_[line].width()));
  }
  drawn_text_ += kEraseBelow;
  return drawn_text_;
}

}  // namespace braid
