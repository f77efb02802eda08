// The distribution of very many lengths of time in fixed memory: exact counts as long as there are
// few different ones, then a histogram with bins of a fixed relative width, as HdrHistogram has it
// (Gil Tene, "HdrHistogram: A High Dynamic Range Histogram", http://hdrhistogram.org). A bin also
// knows the smallest and the largest value in it, so that whatever is said is a value that occurred
// and the smallest and largest of all are exact.
//
// Error: none while is_exact(). Then a quantile is off by less than 1/1024 of itself (0.1 %), and
// the smallest interval is at most two bins wider than the true one: 0.2 % of its farther end.
//
// Memory: at most 2^16 exact counts (2 MB), then 24 bytes for each bin up to the largest value: at
// most 1.3 MB for each sign.
// Thread rule: one thread at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "braid/time.h"

namespace braid {

class TimeDistribution {
 public:
  static constexpr size_t kExactMax = size_t{1} << 16;

  // Values that cannot be told apart, or are one.
  struct Bin {
    int64_t count = 0;
    int64_t smallest = 0;
    int64_t largest = 0;
  };

  struct Range {
    Interval lower;  // Both occurred.
    Interval upper;
    int64_t count = 0;  // In it.
  };

  // `exact_max`: how many different values are counted exactly; at most kExactMax.
  explicit TimeDistribution(size_t exact_max = kExactMax) : exact_max_(exact_max) {}

  void Add(Interval length, int64_t count = 1) {
    if (is_exact_) {
      AddExact(length.micros, count);
    } else {
      AddBinned(length.micros, count);
    }
  }

  int64_t count() const;
  bool is_exact() const { return is_exact_; }

  // All bins with a count, by rising value. O(bins).
  std::vector<Bin> Bins() const;

 private:
  // Values below 2^kFineBits have a bin each; from there on each power of two has 2^kFineBits / 2.
  static constexpr int kFineBits = 11;

  static size_t BinOf(uint64_t magnitude);
  void AddExact(int64_t value, int64_t count);
  void AddBinned(int64_t value, int64_t count);
  void TurnToBins();

  size_t exact_max_;
  bool is_exact_ = true;
  boost::unordered_flat_map<int64_t, int64_t> exact_;  // Value -> count.
  std::vector<Bin> negative_;                          // By BinOf(-value - 1).
  std::vector<Bin> positive_;                          // By BinOf(value).
};

// Questions to the bins of a distribution. REQUIRES: rising, not empty.

// The smallest value that at least `share` of all do not exceed; the smallest of all for 0.
Interval QuantileOf(const std::vector<TimeDistribution::Bin>& bins, double share);

// The narrowest interval with at least `share` of all in it; of several the first. O(bins).
TimeDistribution::Range NarrowestRange(const std::vector<TimeDistribution::Bin>& bins,
                                       double share);

// How many lie in [lower, upper]; an absent end is open. Bins that an end cuts count in part.
double CountWithin(const std::vector<TimeDistribution::Bin>& bins, std::optional<Interval> lower,
                   std::optional<Interval> upper);

}  // namespace braid
