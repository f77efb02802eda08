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

  // Totals over all batches shown.
  int64_t num_batches() const { return num_batches_; }
  int64_t num_input_rows() const { return num_input_rows_; }
  int64_t num_output_rows() const { return num_output_rows_; }
  int64_t num_padded_rows() const { return num_padded_rows_; }
  int64_t num_late_rows() const { return num_late_rows_; }
  int64_t num_bad_records() const { return num_bad_records_; }
  int64_t num_null_time_rows() const { return num_null_time_rows_; }
  int64_t num_row_errors() const { return num_row_errors_; }
  int64_t num_state_rows() const { return num_state_rows_; }

 private:
  void ShowLine(const BatchProgress& progress);

  // The live line is written anew at most this often.
  static constexpr std::chrono::milliseconds kLineInterval{100};

  ProgressStyle style_;
  bool line_shown_ = false;
  std::chrono::steady_clock::time_point line_shown_at_;
  int64_t num_batches_ = 0;
  int64_t num_input_rows_ = 0;
  int64_t num_output_rows_ = 0;
  int64_t num_padded_rows_ = 0;
  int64_t num_late_rows_ = 0;
  int64_t num_bad_records_ = 0;
  int64_t num_null_time_rows_ = 0;
  int64_t num_row_errors_ = 0;
  int64_t num_state_rows_ = 0;
};

}  // namespace braid
