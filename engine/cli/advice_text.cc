#include "engine/cli/advice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "engine/advise/bound_text.h"
#include "engine/advise/time_histogram.h"
#include "engine/cli/progress_block.h"
#include "engine/plan/interval_text.h"

namespace braid {

namespace {

constexpr size_t kWidth = 80;
constexpr int kBarsMax = 16;
constexpr int kBarWidth = 44;
constexpr int kLabelWidth = 20;
constexpr std::array kQuantiles = {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0};
// From this part of --max on a pair counts as at its edge, and from this share of the pairs on the
// distribution may go on beyond it.
constexpr double kEdge = 0.9;
constexpr double kEdgeShareMin = 0.02;

template <typename... Arguments>
void Add(std::string* text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(*text), format, std::forward<Arguments>(arguments)...);
}

std::string Percent(double share) {
  // 100 % is said of all alone.
  if (share < 1 && share > 0.9995) return fmt::format("{} %", std::floor(share * 1e5) / 1e3);
  return fmt::format("{:.1f} %", share * 100);
}

std::string ShareName(double share) { return fmt::format("{} %", share * 100); }

std::string Count(double count) { return GroupDigits(std::llround(count)); }

// "12.5 a second", "3.2 an hour": a number that is not below 1, if a unit gives one.
std::string Rate(double per_second) {
  struct Unit {
    const char* name;
    double seconds;
  };
  constexpr std::array<Unit, 4> kUnits{
      {{"a second", 1}, {"a minute", 60}, {"an hour", 3'600}, {"a day", 86'400}}};
  const auto* unit = std::find_if(kUnits.begin(), kUnits.end() - 1, [per_second](const Unit& one) {
    return per_second * one.seconds >= 1;
  });
  const double rate = per_second * unit->seconds;
  return fmt::format("{} {}", rate >= 100 ? Count(rate) : fmt::format("{:.1f}", rate), unit->name);
}

std::string NameOf(const SideAdvice& side) {
  return side.alias == side.table ? side.table : fmt::format("{} ({})", side.table, side.alias);
}

void AddSide(const SideAdvice& side, std::string* text) {
  Add(text, "{}: {} rows, of which {} can match\n", NameOf(side), GroupDigits(side.num_rows),
      GroupDigits(side.num_joined_rows));
  if (side.first_time) {
    Add(text, "  from {} to {}: {}\n", TimeText(*side.first_time), TimeText(*side.last_time),
        side.rows_per_second > 0 ? Rate(side.rows_per_second) : "one moment");
    Add(text, "  a row in state takes {:.1f} bytes\n", side.bytes_per_row);
  }
  const std::array<std::pair<int64_t, const char*>, 4> lost = {{
      {side.num_null_time_rows, "rows have no time (NULL): they match nothing"},
      {side.num_null_key_rows, "rows have no key (NULL): they match nothing"},
      {side.num_row_errors, "rows were dropped: an expression fails for them"},
      {side.num_bad_records, "bad records were skipped"},
  }};
  for (const auto& [count, what] : lost) {
    if (count > 0) Add(text, "  {} {}\n", GroupDigits(count), what);
  }
}

void AddQuantiles(const Advice& advice, std::string* text) {
  Add(text, "  {:>9}  {:>22}  {:>22}\n", "", "all pairs",
      fmt::format("nearest {}", advice.side(Side::kRight).alias));
  for (const double share : kQuantiles) {
    const std::string name = share == 0     ? "smallest"
                             : share == 1   ? "largest"
                             : share == 0.5 ? "median"
                                            : ShareName(share);
    Add(text, "  {:>9}  {:>22}  {:>22}\n", name, LengthText(QuantileOf(advice.pairs.bins, share)),
        LengthText(QuantileOf(advice.nearest.bins, share)));
  }
  if (!advice.pairs.is_exact) {
    *text += "  (off by 0.1 % at most; the smallest and the largest are exact)\n";
  }
}

// A bar of `eighths` eighths of a column.
std::string Bar(int64_t eighths, bool utf8) {
  static constexpr std::array<const char*, 8> kBlocks = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!utf8) return std::string(static_cast<size_t>((eighths + 4) / 8), '#');
  std::string bar;
  for (int64_t column = 0; column < eighths / 8; ++column) bar += "█";
  return bar + kBlocks[static_cast<size_t>(eighths % 8)];
}

void AddHistogram(const MatchAdvice& matches, bool utf8, std::string* text) {
  const TimeHistogram histogram = MakeHistogram(matches.bins, kBarsMax);
  double highest = std::max(histogram.num_before, histogram.num_after);
  for (const TimeHistogram::Bar& bar : histogram.bars) highest = std::max(highest, bar.count);
  const auto total = static_cast<double>(matches.count);
  const auto add_line = [&](const std::string& label, double count) {
    const int64_t eighths = std::llround(count / highest * kBarWidth * 8);
    std::string line = fmt::format("  {:>{}} {:>7}  {}", label, kLabelWidth, Percent(count / total),
                                   Bar(eighths, utf8));
    line.resize(line.find_last_not_of(' ') + 1);
    *text += line + "\n";
  };
  Add(text, "\n  {:>{}} {:>7}   (bars of {})\n", "from", kLabelWidth, "pairs",
      LengthText(histogram.width));
  if (histogram.num_before > 0) add_line("earlier", histogram.num_before);
  for (const TimeHistogram::Bar& bar : histogram.bars) add_line(LengthText(bar.from), bar.count);
  if (histogram.num_after > 0) add_line("later", histogram.num_after);
}

// Half a row on average is still a row at times.
std::string StateText(const Advice& advice, const StateCost& cost) {
  const double left_rows = std::ceil(cost.rows[0]);
  return fmt::format("state: {} row{} of {}, {} of {}; {}", Count(left_rows),
                     left_rows == 1 ? "" : "s", advice.side(Side::kLeft).alias,
                     Count(std::ceil(cost.rows[1])), advice.side(Side::kRight).alias,
                     FormatBytes(std::llround(cost.total_bytes())));
}

bool IsSameRange(const BoundAdvice& one, const BoundAdvice& other) {
  return one.lower == other.lower && one.upper == other.upper;
}

// One entry for each range: shares that need the same one stand together.
void AddBounds(const Advice& advice, const MatchAdvice& matches, std::string* text) {
  constexpr size_t kIndent = 14;
  for (size_t first = 0; first < matches.bounds.size();) {
    const BoundAdvice& bound = matches.bounds[first];
    size_t last = first;
    while (last + 1 < matches.bounds.size() && IsSameRange(bound, matches.bounds[last + 1])) ++last;
    const double share = bound.share * 100;
    const std::string shares =
        first == last ? fmt::format("{} %", share)
                      : fmt::format("{}-{} %", share, matches.bounds[last].share * 100);
    Add(text, "  {:>10}  {}\n", shares,
        BoundText(advice, bound.lower, bound.upper, kIndent, kWidth));
    Add(text, "{:{}}{}\n", "", kIndent, StateText(advice, bound.state));
    first = last + 1;
  }
}

void AddWritten(const Advice& advice, std::string* text) {
  if (!advice.written_share) return;
  Add(text, "\nThe job's own bounds keep {} of the pairs", Percent(*advice.written_share));
  *text += ".\n";
  if (advice.written_state) Add(text, "  {}\n", StateText(advice, *advice.written_state));
}

// Pairs near the edge of what was looked at say that there are more beyond.
void AddEdge(const Advice& advice, std::string* text) {
  const Interval edge{std::llround(static_cast<double>(advice.max.micros) * kEdge)};
  const double at_edge = CountWithin(advice.pairs.bins, std::nullopt, -edge) +
                         CountWithin(advice.pairs.bins, edge, std::nullopt);
  const double share = at_edge / static_cast<double>(advice.pairs.count);
  if (share < kEdgeShareMin) return;
  Add(text,
      "\n{} of the pairs are {} or more apart, near --max: there may be\n"
      "more beyond it. Try a larger --max; if keys repeat, go by the nearest partners.\n",
      Percent(share), LengthText(edge));
}

void AddPairs(const Advice& advice, bool utf8, std::string* text) {
  const SideAdvice& left = advice.side(Side::kLeft);
  const SideAdvice& right = advice.side(Side::kRight);
  const std::string difference = fmt::format("{} - {}", right.time_name, left.time_name);
  if (advice.pairs.count == 0) {
    Add(text,
        "\nNo pair of rows has equal keys and is at most {} apart: compare the keys of\n"
        "the two tables, or try a larger --max.\n",
        LengthText(advice.max));
    return;
  }
  const double matched = static_cast<double>(advice.nearest.count);
  Add(text, "\n{} pairs of rows with equal keys, at most {} apart.\n",
      GroupDigits(advice.pairs.count), LengthText(advice.max));
  Add(text, "{} of the {} ({}) have a partner.\n", GroupDigits(advice.nearest.count), left.alias,
      Percent(matched / static_cast<double>(left.num_joined_rows)));
  Add(text, "\n{}:\n", difference);
  AddQuantiles(advice, text);
  AddHistogram(advice.pairs, utf8, text);
  *text += "\nTo keep so much of the pairs:\n";
  AddBounds(advice, advice.pairs, text);
  if (advice.nearest.count < advice.pairs.count) {
    Add(text, "\nTo keep the nearest {} of so many of the {} that have one:\n", right.alias,
        left.alias);
    AddBounds(advice, advice.nearest, text);
  }
  AddWritten(advice, text);
  Add(text, "\nState is reckoned at the average rates, with a watermark {} behind.\n",
      LengthText(advice.watermark_lag));
  AddEdge(advice, text);
}

void AddDelays(const SideAdvice& side, std::string* text) {
  if (side.delays.empty()) return;
  Add(text, "  {}\n", NameOf(side));
  for (size_t index = 0; index < side.delays.size(); ++index) {
    const DelayAdvice& advised = side.delays[index];
    if (index > 0 && advised.delay == side.delays[index - 1].delay) continue;
    const std::string line = WatermarkText(side, advised.delay);
    Add(text, "    {:<56}  {}\n", line.empty() ? FormatInterval(advised.delay) : line,
        advised.num_late_rows == 0 ? "no row late" : GroupDigits(advised.num_late_rows) + " late");
  }
  if (!side.written_delay) return;
  Add(text, "    {:<56}  {}\n", fmt::format("(the job's own: {})", LengthText(*side.written_delay)),
      side.num_late_at_written_delay == 0 ? "no row late"
                                          : GroupDigits(side.num_late_at_written_delay) + " late");
}

}  // namespace

std::string FormatAdvice(const Advice& advice, bool utf8) {
  std::string text;
  for (const SideAdvice& side : advice.sides) AddSide(side, &text);
  if (advice.num_pair_errors > 0) {
    Add(&text, "{} pairs were dropped: a condition fails for them\n",
        GroupDigits(advice.num_pair_errors));
  }
  for (const std::string& note : advice.notes) Add(&text, "note: {}\n", note);
  AddPairs(advice, utf8, &text);
  text += "\nTo have all rows in time, or 99.9 %, or 99 %:\n";
  for (const SideAdvice& side : advice.sides) AddDelays(side, &text);
  return text;
}

}  // namespace braid
