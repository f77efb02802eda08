#include "engine/compare/delay_figures.h"

#include <algorithm>
#include <cmath>

namespace braid {

namespace {

constexpr size_t kSampleMax = 100'000;
constexpr int kPercentiles = 100;

// The smallest value that at least this share of `size` values does not exceed.
size_t NearestRank(double share, size_t size) {
  const double rank = std::ceil(share * static_cast<double>(size));
  return rank < 1 ? 0 : std::min(static_cast<size_t>(rank), size) - 1;
}

int64_t ValueAtShare(double share, std::vector<int64_t>* values) {
  const auto nth =
      values->begin() + static_cast<std::ptrdiff_t>(NearestRank(share, values->size()));
  std::nth_element(values->begin(), nth, values->end());
  return *nth;
}

std::vector<Interval> PercentilesOf(const std::vector<int64_t>& delays) {
  const size_t step = (delays.size() + kSampleMax - 1) / kSampleMax;
  std::vector<int64_t> sample;
  for (size_t index = 0; index < delays.size(); index += step) sample.push_back(delays[index]);
  std::sort(sample.begin(), sample.end());
  std::vector<Interval> percentiles;
  for (int percent = 0; percent <= kPercentiles; ++percent) {
    const double share = static_cast<double>(percent) / kPercentiles;
    percentiles.push_back({sample[NearestRank(share, sample.size())]});
  }
  return percentiles;
}

}  // namespace

DelayFigures FiguresOf(std::vector<int64_t> delays) {
  DelayFigures figures;
  figures.num_rows = static_cast<int64_t>(delays.size());
  if (delays.empty()) return figures;
  const auto [smallest, largest] = std::minmax_element(delays.begin(), delays.end());
  const Interval minimum{*smallest};
  figures.maximum = {*largest};
  figures.percentiles = PercentilesOf(delays);
  figures.percentiles.front() = minimum;
  figures.percentiles.back() = figures.maximum;
  figures.median = {ValueAtShare(0.5, &delays)};
  figures.percentile_99 = {ValueAtShare(0.99, &delays)};
  return figures;
}

}  // namespace braid
