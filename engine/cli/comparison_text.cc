#include "engine/cli/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/advise/bound_text.h"
#include "engine/cli/progress_block.h"

namespace braid {

namespace {

constexpr size_t kSamplesShown = 12;
constexpr int64_t kMicrosPerMilli = 1'000;

template <typename... Arguments>
void Add(std::string* text, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(*text), format, std::forward<Arguments>(arguments)...);
}

std::string Duration(int64_t micros) {
  constexpr int64_t kLong = 100'000'000;
  if (micros >= kLong) return FormatLength(std::chrono::milliseconds(micros / kMicrosPerMilli));
  return fmt::format("{:.3f} s", static_cast<double>(micros) / 1e6);
}

// To its two largest units, or to the millisecond.
std::string RoundedLength(Interval length) {
  struct Step {
    Interval from;
    Interval unit;
  };
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  constexpr int64_t kDay = 24 * kHour;
  constexpr std::array<Step, 3> kSteps{{{Seconds(kDay), Seconds(kHour)},
                                        {Seconds(kHour), Seconds(kMinute)},
                                        {Seconds(kMinute), Seconds(1)}}};
  Interval unit = Milliseconds(1);
  for (const Step& step : kSteps) {
    if (length < step.from && -length < step.from) continue;
    unit = step.unit;
    break;
  }
  return LengthText({length.micros / unit.micros * unit.micros});
}

int64_t InputRows(const ModeFigures& figures) {
  int64_t rows = 0;
  for (const TableFigures& table : figures.tables) rows += table.num_rows;
  return rows;
}

void AddFigures(const Comparison& comparison, std::string* text) {
  using Figure = std::function<std::string(size_t)>;
  const auto count = [&comparison](int64_t ModeFigures::*figure) -> Figure {
    return
        [&comparison, figure](size_t mode) { return GroupDigits(comparison.modes[mode].*figure); };
  };
  const auto& modes = comparison.modes;
  const std::vector<std::pair<const char*, Figure>> lines = {
      {"operator", [&](size_t mode) { return modes[mode].operator_name; }},
      {"rows read", [&](size_t mode) { return GroupDigits(InputRows(modes[mode])); }},
      {"rows dropped for being late", count(&ModeFigures::num_late)},
      {"rows dropped for an error", count(&ModeFigures::num_row_errors)},
      {"rows written", count(&ModeFigures::num_output_rows)},
      {"final rows", count(&ModeFigures::num_final_rows)},
      {"of them in this mode only",
       [&](size_t mode) { return GroupDigits(comparison.only[mode].count); }},
      {"most rows in state", count(&ModeFigures::state_rows_max)},
      {"most bytes in state",
       [&](size_t mode) { return FormatBytes(modes[mode].state_bytes_max); }},
      {"wall time", [&](size_t mode) { return Duration(modes[mode].wall_micros); }},
      {"processor time", [&](size_t mode) { return Duration(modes[mode].processor_micros); }},
  };
  Add(text, "{:<28} {:>25} {:>25}\n", "", "micro-batch", "per-record");
  for (const auto& [name, figure] : lines) {
    Add(text, "{:<28} {:>25} {:>25}\n", name, figure(0), figure(1));
  }
}

void AddDelays(const Comparison& comparison, std::string* text) {
  Add(text,
      "\nFrom the row to its result, in event time\n{:<11} {:<13} {:>12} {:>12} {:>13} {:>13}\n",
      "", "", "rows", "median", "99 %", "largest");
  for (size_t kind = 0; kind < kNumRowKinds; ++kind) {
    for (size_t mode = 0; mode < 2; ++mode) {
      const DelayFigures& delay = comparison.modes[mode].delays[kind];
      if (delay.num_rows == 0) continue;
      Add(text, "{:<11} {:<13} {:>12} {:>12} {:>13} {:>13}\n",
          RowKindName(static_cast<RowKind>(kind)), ModeName(kBothModes[mode]),
          GroupDigits(delay.num_rows), RoundedLength(delay.median),
          RoundedLength(delay.percentile_99), RoundedLength(delay.maximum));
    }
  }
}

// What a reader is told of the rows of `mode` alone.
std::string ReasonText(DifferenceReason reason, RowKind kind, size_t mode) {
  const char* const here = ModeName(kBothModes[mode]);
  const char* const other = ModeName(kBothModes[1 - mode]);
  switch (reason) {
    case DifferenceReason::kLate:
      return fmt::format("a row of it was late in {} and dropped", other);
    case DifferenceReason::kAtWatermark:
      return fmt::format("a row of it was late in {}, being exactly at the watermark", other);
    case DifferenceReason::kPartnerLate:
      return fmt::format("its partner was late in {} and dropped", here);
    case DifferenceReason::kPaddedEarly:
      return kind == RowKind::kPadded
                 ? fmt::format("padded before its partner came; {} joined them", other)
                 : fmt::format("{} had padded a row of it before the other came", other);
    case DifferenceReason::kStateGone:
      return fmt::format("its first row had left state in {} when the second came", other);
    case DifferenceReason::kBoundary:
      return "its times are on the edge of the range, which is finer in one mode";
    case DifferenceReason::kOtherContent:
      return fmt::format("{} joined the same rows, with other values", other);
    case DifferenceReason::kUnknown:
      break;
  }
  return "for no known reason";
}

void AddOnly(const Comparison& comparison, size_t mode, std::string* text) {
  const OnlyRows& only = comparison.only[mode];
  if (only.count == 0) return;
  Add(text, "\nOnly in {} mode: {} {}\n", ModeName(kBothModes[mode]), GroupDigits(only.count),
      only.count == 1 ? "row" : "rows");
  for (size_t reason = 0; reason < kNumDifferenceReasons; ++reason) {
    const auto which = static_cast<DifferenceReason>(reason);
    for (const RowKind kind : {RowKind::kMatched, RowKind::kPadded}) {
      const int64_t count = only.count_of(which, kind);
      if (count == 0) continue;
      Add(text, "  {:>9} {:<8} {}\n", GroupDigits(count), RowKindName(kind),
          ReasonText(which, kind, mode));
    }
  }
  if (only.rows.empty()) return;
  const auto shown = static_cast<int64_t>(only.rows.size());
  Add(text, "{}:\n", shown == only.count ? "They are" : fmt::format("The first {}", shown));
  for (const DifferingRow& row : only.rows) {
    Add(text, "  {}\n", fmt::join(row.values, ", "));
    Add(text, "      {}, {}{}\n", RowKindName(row.kind), DifferenceReasonName(row.reason),
        row.emitted_at ? ", came at " + TimeText(*row.emitted_at) : "");
  }
}

// The last sample at or before `time`.
const StateSample* SampleAt(const ModeFigures& figures, EventTime time) {
  const StateSample* found = nullptr;
  for (const StateSample& sample : figures.samples) {
    if (sample.event_time && *sample.event_time <= time) found = &sample;
  }
  return found;
}

std::string BehindText(const StateSample* sample) {
  if (sample == nullptr || !sample->watermark) return "unset";
  if (*sample->watermark == Watermark::Infinity()) return "end";
  const Interval behind{sample->event_time->micros - AtMicros(*sample->watermark).micros};
  return RoundedLength(behind);
}

void AddSamples(const Comparison& comparison, std::string* text) {
  std::set<EventTime> times;
  for (const ModeFigures& figures : comparison.modes) {
    for (const StateSample& sample : figures.samples) {
      if (sample.event_time) times.insert(*sample.event_time);
    }
  }
  if (times.size() < 2) return;
  Add(text,
      "\nOver event time: how far the watermark is behind, and the rows in state\n"
      "{:<23} {:>27} {:>27}\n"
      "{:<23} {:>14} {:>12} {:>14} {:>12}\n",
      "", ModeName(kBothModes[0]), ModeName(kBothModes[1]), "largest time read", "behind", "rows",
      "behind", "rows");
  const std::vector<EventTime> all(times.begin(), times.end());
  const size_t num_shown = std::min(kSamplesShown, all.size());
  for (size_t shown = 0; shown < num_shown; ++shown) {
    const EventTime time = all[shown * (all.size() - 1) / (num_shown - 1)];
    Add(text, "{:<23}", TimeText(time));
    for (const ModeFigures& figures : comparison.modes) {
      const StateSample* sample = SampleAt(figures, time);
      Add(text, " {:>14} {:>12}", BehindText(sample),
          GroupDigits(sample == nullptr ? 0 : sample->state_rows));
    }
    *text += "\n";
  }
}

}  // namespace

std::string FormatComparison(const Comparison& comparison) {
  std::string text;
  AddFigures(comparison, &text);
  AddDelays(comparison, &text);
  AddSamples(comparison, &text);
  Add(&text, "\n{}: {} equal row{}",
      comparison.agrees() ? "The final rows agree" : "The final rows differ",
      GroupDigits(comparison.num_equal), comparison.num_equal == 1 ? "" : "s");
  if (comparison.num_padded_at_another_time > 0) {
    Add(&text, ", {} of them padded at another\nevent time",
        GroupDigits(comparison.num_padded_at_another_time));
  }
  text += ".\n";
  for (size_t mode = 0; mode < 2; ++mode) AddOnly(comparison, mode, &text);
  return text;
}

}  // namespace braid
