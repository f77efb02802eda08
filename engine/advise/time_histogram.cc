#include "engine/advise/time_histogram.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace braid {

namespace {

constexpr double kCoveredShare = 0.99;
constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

constexpr std::array<int64_t, 16> kSecondSteps{1,   2,   5,   10,    15,    30,    60,     120,
                                               300, 600, 900, 1'800, 3'600, 7'200, 21'600, 43'200};

// The smallest round step that is at least `least`.
int64_t RoundStep(int64_t least) {
  const auto in_decades = [least](int64_t unit) {
    for (int64_t decade = unit;; decade = SaturatingMultiply(decade, 10)) {
      for (const int64_t factor : {1, 2, 5}) {
        const int64_t step = SaturatingMultiply(decade, factor);
        if (step >= least) return step;
      }
    }
  };
  if (least < kSecond) return std::min(in_decades(1), kSecond);
  for (const int64_t seconds : kSecondSteps) {
    if (seconds * kSecond >= least) return seconds * kSecond;
  }
  return in_decades(kDay);
}

int64_t FloorTo(int64_t value, int64_t step) {
  const int64_t rest = value % step;
  return SaturatingAdd(value, rest < 0 ? -rest - step : -rest);
}

}  // namespace

TimeHistogram MakeHistogram(const std::vector<TimeDistribution::Bin>& bins, int num_bars_max) {
  const TimeDistribution::Range range = NarrowestRange(bins, kCoveredShare);
  const int64_t span = (range.upper + -range.lower).micros;
  TimeHistogram histogram;
  // One bar less: the first one begins before the range.
  int64_t width = RoundStep(span / (num_bars_max - 1) + 1);
  int64_t from = FloorTo(range.lower.micros, width);
  const int64_t last = FloorTo(range.upper.micros, width);
  histogram.width = {width};
  histogram.num_before = CountWithin(bins, std::nullopt, Interval{SaturatingAdd(from, -1)});
  for (; from <= last; from = SaturatingAdd(from, width)) {
    const int64_t to = SaturatingAdd(from, width - 1);
    histogram.bars.push_back({{from}, CountWithin(bins, Interval{from}, Interval{to})});
  }
  histogram.num_after = CountWithin(bins, Interval{from}, std::nullopt);
  return histogram;
}

}  // namespace braid
