#include "engine/cli/progress_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/cli/run_summary.h"

namespace braid {

namespace {

constexpr int kBarColumns = 20;

void AddBar(double done, bool utf8, TerminalLine* line) {
  const int full = std::clamp(static_cast<int>(done * kBarColumns), 0, kBarColumns);
  std::string bar;
  std::string rest;
  for (int column = 0; column < kBarColumns; ++column) {
    (column < full ? bar : rest) +=
        utf8 ? (column < full ? "█" : "░") : (column < full ? "#" : "-");
  }
  if (!utf8) line->Add("[");
  line->Add(bar, TextStyle::kGood).Add(rest, TextStyle::kDim);
  if (!utf8) line->Add("]");
  line->Add(fmt::format(" {:3.0f} %", done * 100));
}

std::string Amount(ProgressUnit unit, int64_t amount) {
  return unit == ProgressUnit::kBytes ? FormatBytes(amount) : GroupDigits(amount);
}

TerminalLine BatchLine(const ProgressView& view, bool utf8) {
  const QueryActivity& activity = view.activity;
  TerminalLine line;
  const bool looks_for_rows = activity.phase == BatchPhase::kReading && activity.done == 0 &&
                              !activity.is_data_available && view.batch_time < kBarAfter;
  if (activity.phase == BatchPhase::kIdle || looks_for_rows) {
    line.Add("waiting", TextStyle::kDim);
    if (activity.is_paused) line.Add("  paused: the state is at its limit", TextStyle::kWarning);
    line.Add(fmt::format("  batch {} is next", activity.batch_id));
    return line;
  }
  line.Add(fmt::format("batch {}", activity.batch_id));
  if (view.batch_time < kBarAfter) return line;
  // So wide that the bar stands still from phase to phase.
  line.Add(fmt::format("  {:<10}  ", BatchPhaseName(activity.phase)));
  if (activity.total > 0) {
    AddBar(static_cast<double>(activity.done) / static_cast<double>(activity.total), utf8, &line);
    line.Add(fmt::format("  {} of {}{}", Amount(activity.unit, activity.done),
                         Amount(activity.unit, activity.total),
                         activity.unit == ProgressUnit::kRows ? " rows" : ""));
  } else if (activity.done > 0) {
    line.Add(Amount(activity.unit, activity.done) +
             (activity.unit == ProgressUnit::kRows ? " rows" : ""));
  }
  line.Add("  " + FormatLength(view.batch_time), TextStyle::kDim);
  return line;
}

TerminalLine RunLine(const ProgressView& view) {
  TerminalLine line;
  const QueryActivity& running = view.activity;
  line.Add(
      fmt::format("{} rows in", GroupDigits(view.totals.num_input_rows + running.num_input_rows)));
  // Beside the rows that it counts: many more may come out.
  if (view.rows_per_second) {
    line.Add(
        fmt::format(", {} a second", GroupDigits(static_cast<int64_t>(*view.rows_per_second))));
  }
  line.Add(
      fmt::format("  {} out", GroupDigits(view.totals.num_output_rows + running.num_output_rows)));
  line.Add("  " + FormatLength(view.run_time), TextStyle::kDim);
  return line;
}

// "holds back, 2 min 3 s behind clicks"
std::string HoldsBack(const SourceProgress& source, const std::vector<SourceProgress>& sources) {
  if (!source.watermark) return "holds back: no row time yet";
  const SourceProgress* ahead = nullptr;
  for (const SourceProgress& other : sources) {
    if (&other == &source || !other.watermark) continue;
    if (ahead == nullptr || *other.watermark > *ahead->watermark) ahead = &other;
  }
  if (ahead == nullptr || *ahead->watermark <= *source.watermark) return "holds back";
  const std::chrono::milliseconds lag(ahead->watermark->millis - source.watermark->millis);
  return fmt::format("holds back, {} behind {}", FormatLength(lag), ahead->table);
}

std::vector<TerminalLine> TableLines(const ProgressView& view, bool utf8) {
  std::vector<TerminalLine> lines;
  if (!view.last) return lines;
  int name_columns = 0;
  for (const SourceProgress& source : view.last->sources) {
    name_columns = std::max(name_columns, TextWidth(source.table));
  }
  for (const SourceProgress& source : view.last->sources) {
    TerminalLine& line = lines.emplace_back();
    line.Add(source.holds_back ? (utf8 ? "▶ " : "> ") : "  ", TextStyle::kWarning);
    line.Add(source.table).PadTo(2 + name_columns + 2);
    if (source.watermark || source.holds_back) {
      line.Add("watermark ", TextStyle::kDim).Add(FormatWatermark(source.watermark));
    }
    if (source.paused) {
      line.Add("  paused: the state is at its limit", TextStyle::kWarning);
    } else if (source.holds_back) {
      line.Add("  " + HoldsBack(source, view.last->sources), TextStyle::kWarning);
    } else if (source.backlog_bytes.value_or(0) > 0) {
      line.Add(fmt::format("  {} to read", FormatBytes(*source.backlog_bytes)), TextStyle::kDim);
    } else if (source.finished) {
      line.Add("  ended", TextStyle::kDim);
    } else if (source.idle_ms >= 1000) {
      line.Add(fmt::format("  idle {}{}", FormatLength(std::chrono::milliseconds(source.idle_ms)),
                           source.idle ? ", not waited for" : ""),
               TextStyle::kDim);
    }
  }
  return lines;
}

TerminalLine StateLine(const StateOperatorProgress& state, const ProgressView& view) {
  TerminalLine line;
  line.Add("  state ", TextStyle::kDim);
  line.Add(fmt::format("{} rows, {}", GroupDigits(state.num_rows_total),
                       FormatBytes(state.memory_used_bytes)));
  if (state.spilled_bytes > 0) {
    line.Add(fmt::format(" ({} of it entries and heads) and {} on disk",
                         FormatBytes(state.memory_index_bytes), FormatBytes(state.spilled_bytes)));
  }
  int64_t waiting = 0;
  if (view.pads[0]) waiting += state.num_left_rows;
  if (view.pads[1]) waiting += state.num_right_rows;
  if (waiting > 0) line.Add(fmt::format("; {} wait for a match or NULLs", GroupDigits(waiting)));
  return line;
}

TerminalLine DroppedLine(const RunTotals& totals) {
  TerminalLine line;
  const auto add = [&line](int64_t count, std::string_view what) {
    if (count == 0) return;
    line.Add(line.empty() ? "  dropped " : ", ", TextStyle::kDim);
    line.Add(fmt::format("{} {}", GroupDigits(count), what), TextStyle::kWarning);
  };
  add(totals.num_late_rows, "late");
  add(totals.num_bad_records, "bad");
  add(totals.num_row_errors, "with an error");
  return line;
}

}  // namespace

std::string GroupDigits(int64_t count) {
  std::string digits = fmt::format("{}", count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t place = digits.size(); place > first + 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::string FormatLength(std::chrono::milliseconds length) {
  const int64_t seconds = length.count() / 1000;
  if (seconds < 10) return fmt::format("{:.1f} s", static_cast<double>(length.count()) / 1000);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3'600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  if (seconds < 86'400) return fmt::format("{} h {} min", seconds / 3'600, seconds / 60 % 60);
  return fmt::format("{} d {} h", seconds / 86'400, seconds / 3'600 % 24);
}

std::string FormatBytes(int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes);
  for (const char* unit : {"kB", "MB", "GB"}) {
    amount /= 1000;
    if (amount < 999.95) return fmt::format("{:.1f} {}", amount, unit);
  }
  return fmt::format("{:.1f} TB", amount / 1000);
}

std::vector<TerminalLine> DrawProgress(const ProgressView& view, bool utf8) {
  std::vector<TerminalLine> lines = {BatchLine(view, utf8), RunLine(view)};
  for (TerminalLine& line : TableLines(view, utf8)) lines.push_back(std::move(line));
  if (view.last && view.last->state) lines.push_back(StateLine(*view.last->state, view));
  TerminalLine dropped = DroppedLine(view.totals);
  if (!dropped.empty()) lines.push_back(std::move(dropped));
  return lines;
}

}  // namespace braid
