#include "engine/advise/time_distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "state/rows/check.h"

namespace braid {

namespace {

int64_t TotalOf(const std::vector<TimeDistribution::Bin>& bins) {
  int64_t total = 0;
  for (const TimeDistribution::Bin& bin : bins) total += bin.count;
  return total;
}

// So many of `total` are `share` of it.
int64_t CountOf(int64_t total, double share) {
  // A share such as 0.9 is no binary fraction: 0.9 * 10 must not become 10.
  const double wanted = std::ceil(static_cast<double>(total) * share - 1e-9);
  return std::clamp(static_cast<int64_t>(wanted), int64_t{1}, total);
}

}  // namespace

size_t TimeDistribution::BinOf(uint64_t magnitude) {
  constexpr uint64_t kFine = uint64_t{1} << kFineBits;
  if (magnitude < kFine) return magnitude;
  // Bits beyond the kFineBits leading ones are dropped.
  const int dropped = static_cast<int>(std::bit_width(magnitude)) - kFineBits;
  const uint64_t leading = magnitude >> dropped;
  return kFine + static_cast<uint64_t>(dropped - 1) * (kFine / 2) + (leading - kFine / 2);
}

void TimeDistribution::AddExact(int64_t value, int64_t count) {
  exact_[value] += count;
  if (exact_.size() > exact_max_) TurnToBins();
}

void TimeDistribution::AddBinned(int64_t value, int64_t count) {
  std::vector<Bin>& bins = value < 0 ? negative_ : positive_;
  const size_t index = BinOf(static_cast<uint64_t>(value < 0 ? ~value : value));
  if (index >= bins.size()) bins.resize(index + 1);
  Bin& bin = bins[index];
  bin.smallest = bin.count == 0 ? value : std::min(bin.smallest, value);
  bin.largest = bin.count == 0 ? value : std::max(bin.largest, value);
  bin.count += count;
}

void TimeDistribution::TurnToBins() {
  is_exact_ = false;
  for (const auto& [value, count] : exact_) AddBinned(value, count);
  exact_ = {};
}

int64_t TimeDistribution::count() const { return TotalOf(Bins()); }

std::vector<TimeDistribution::Bin> TimeDistribution::Bins() const {
  std::vector<Bin> bins;
  if (is_exact_) {
    bins.reserve(exact_.size());
    for (const auto& [value, count] : exact_) bins.push_back({count, value, value});
    std::sort(bins.begin(), bins.end(),
              [](const Bin& left, const Bin& right) { return left.smallest < right.smallest; });
    return bins;
  }
  std::copy_if(negative_.rbegin(), negative_.rend(), std::back_inserter(bins),
               [](const Bin& bin) { return bin.count > 0; });
  std::copy_if(positive_.begin(), positive_.end(), std::back_inserter(bins),
               [](const Bin& bin) { return bin.count > 0; });
  return bins;
}

Interval QuantileOf(const std::vector<TimeDistribution::Bin>& bins, double share) {
  BRAID_CHECK(!bins.empty(), "an empty distribution has no quantiles");
  if (share <= 0) return {bins.front().smallest};
  int64_t missing = CountOf(TotalOf(bins), share);
  for (const TimeDistribution::Bin& bin : bins) {
    missing -= bin.count;
    if (missing <= 0) return {bin.largest};
  }
  return {bins.back().largest};
}

TimeDistribution::Range NarrowestRange(const std::vector<TimeDistribution::Bin>& bins,
                                       double share) {
  BRAID_CHECK(!bins.empty(), "an empty distribution has no range");
  const int64_t wanted = CountOf(TotalOf(bins), share);
  TimeDistribution::Range best{{bins.front().smallest}, {bins.back().largest}, TotalOf(bins)};
  size_t first = 0;
  int64_t within = 0;
  for (const TimeDistribution::Bin& last : bins) {
    within += last.count;
    while (within - bins[first].count >= wanted) within -= bins[first++].count;
    if (within < wanted) continue;
    const Interval lower{bins[first].smallest};
    const Interval upper{last.largest};
    if (upper + -lower < best.upper + -best.lower) best = {lower, upper, within};
  }
  return best;
}

double CountWithin(const std::vector<TimeDistribution::Bin>& bins, std::optional<Interval> lower,
                   std::optional<Interval> upper) {
  double within = 0;
  for (const TimeDistribution::Bin& bin : bins) {
    const int64_t from = lower ? std::max(bin.smallest, lower->micros) : bin.smallest;
    const int64_t to = upper ? std::min(bin.largest, upper->micros) : bin.largest;
    if (from > to) continue;
    const double width = static_cast<double>(bin.largest) - static_cast<double>(bin.smallest);
    const double part =
        width == 0 ? 1 : (static_cast<double>(to) - static_cast<double>(from)) / width;
    within += part * static_cast<double>(bin.count);
  }
  return within;
}

}  // namespace braid
