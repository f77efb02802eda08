#include "engine/advise/advice_figures.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace braid {

namespace {

constexpr std::array kDelayShares = {1.0, 0.999, 0.99};
constexpr std::array kBoundShares = {0.9, 0.99, 0.999, 1.0};
constexpr double kMicrosPerSecond = 1e6;

// A row with the lateness of a delay's whole millisecond is late already.
int64_t LateRows(const std::vector<TimeDistribution::Bin>& bins, Interval delay) {
  return std::llround(CountWithin(bins, delay.micros > 0 ? delay : Interval{0}, std::nullopt));
}

}  // namespace

Interval DelayFor(Interval lateness) {
  if (lateness.micros < 0) return {0};
  return Milliseconds(lateness.micros / 1'000 + 1);
}

void AdviseDelays(const TimeDistribution& lateness, SideAdvice* side) {
  const std::vector<TimeDistribution::Bin> bins = lateness.Bins();
  side->is_lateness_exact = lateness.is_exact();
  if (bins.empty()) return;
  for (const double share : kDelayShares) {
    const Interval delay = DelayFor(QuantileOf(bins, share));
    side->delays.push_back({share, delay, LateRows(bins, delay)});
  }
  if (side->written_delay) side->num_late_at_written_delay = LateRows(bins, *side->written_delay);
}

StateCost CostOf(const Advice& advice, Interval lower, Interval upper) {
  const std::array<Interval, 2> waits = {upper + advice.watermark_lag,
                                         -lower + advice.watermark_lag};
  StateCost cost;
  for (size_t side = 0; side < waits.size(); ++side) {
    const SideAdvice& table = advice.sides[side];
    const auto num_rows = static_cast<double>(table.num_joined_rows);
    const double seconds =
        static_cast<double>(std::max(waits[side].micros, int64_t{0})) / kMicrosPerSecond;
    // Rows that span no time have no rate: all of them are there at once.
    const bool has_rate = table.rows_per_second > 0;
    cost.rows[side] = has_rate ? std::min(num_rows, table.rows_per_second * seconds) : num_rows;
    cost.bytes[side] = cost.rows[side] * table.bytes_per_row;
  }
  return cost;
}

void AdviseBounds(const TimeDistribution& differences, const Advice& advice, MatchAdvice* matches) {
  matches->bins = differences.Bins();
  matches->is_exact = differences.is_exact();
  for (const TimeDistribution::Bin& bin : matches->bins) matches->count += bin.count;
  if (matches->bins.empty()) return;
  for (const double share : kBoundShares) {
    const TimeDistribution::Range range = NarrowestRange(matches->bins, share);
    matches->bounds.push_back(
        {share, range.lower, range.upper, range.count, CostOf(advice, range.lower, range.upper)});
  }
}

}  // namespace braid
