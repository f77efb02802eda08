#include "engine/cli/progress_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "engine/cli/progress_json.h"
#include "state/rows/value.h"

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
  ++num_batches_;
  num_input_rows_ += progress.num_input_rows;
  num_output_rows_ += progress.num_output_rows;
  num_row_errors_ += progress.num_row_errors;
  for (const SourceProgress& source : progress.sources) {
    num_bad_records_ += source.num_bad_records;
  }
  if (progress.state) {
    num_padded_rows_ += progress.state->num_padded_rows;
    num_late_rows_ += progress.state->num_rows_dropped_by_watermark;
    num_null_time_rows_ += progress.state->rows_null_time;
    num_state_rows_ = progress.state->num_rows_total;
  }
  if (style_ == ProgressStyle::kJson) {
    std::fprintf(stderr, "%s\n", ProgressToJson(progress).c_str());
  } else if (style_ == ProgressStyle::kLine) {
    ShowLine(progress);
  }
}

void ProgressDisplay::ShowLine(const BatchProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (line_shown_ && now - line_shown_at_ < kLineInterval) return;
  std::string watermark = "unset";
  if (progress.watermark) {
    watermark = *progress.watermark == Watermark::Infinity()
                    ? "end of input"
                    : FormatValue({DataType::Timestamp(3), AtMicros(*progress.watermark).micros});
  }
  const std::string line = fmt::format(
      "batch {}  {} rows in  {} rows out  {:.0f} rows/s  watermark {}  {} rows in state",
      progress.batch_id, num_input_rows_, num_output_rows_, progress.processed_rows_per_second,
      watermark, num_state_rows_);
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
