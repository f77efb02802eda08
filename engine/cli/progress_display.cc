#include "engine/cli/progress_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "engine/cli/progress_json.h"
#include "engine/cli/run_summary.h"

namespace braid {

Result<ProgressStyle> ParseProgressStyle(const std::string& text) {
  if (text == "none") return ProgressStyle::kNone;
  if (text == "json") return ProgressStyle::kJson;
  if (text == "auto") {
    return isatty(STDERR_FILENO) == 1 ? ProgressStyle::kLine : ProgressStyle::kNone;
  }
  return Fail(ErrorCode::kInvalidOption,
              fmt::format("--progress {}: write auto, none or json", text));
}

void ProgressDisplay::Show(const BatchProgress& progress) {
  totals_.Add(progress);
  if (progress.state) num_state_rows_ = progress.state->num_rows_total;
  if (style_ == ProgressStyle::kJson) {
    std::fprintf(stderr, "%s\n", ProgressToJson(progress).c_str());
  } else if (style_ == ProgressStyle::kLine) {
    ShowLine(progress);
  }
}

void ProgressDisplay::ShowLine(const BatchProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (line_shown_ && now - line_shown_at_ < kLineInterval) return;
  const std::string line = fmt::format(
      "batch {}  {} rows in  {} rows out  {:.0f} rows/s  watermark {}  {} rows in state",
      progress.batch_id, totals_.num_input_rows, totals_.num_output_rows,
      progress.processed_rows_per_second, FormatWatermark(progress.watermark), num_state_rows_);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  line_shown_ = true;
  line_shown_at_ = now;
}

void ProgressDisplay::Clear() {
  if (!line_shown_) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  line_shown_ = false;
}

}  // namespace braid
