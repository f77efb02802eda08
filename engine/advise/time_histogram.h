// A distribution in a few bars of one round width, for a terminal.
//
// Thread rule: free function.
#pragma once

#include <vector>

#include "engine/advise/time_distribution.h"

namespace braid {

struct TimeHistogram {
  struct Bar {
    Interval from;  // To from + width, that end not included.
    double count = 0;
  };

  Interval width;
  std::vector<Bar> bars;
  double num_before = 0;
  double num_after = 0;
};

// The bars cover the narrowest range with 99 % of all, in steps that people count in (1, 2, 5 … ms,
// 1, 2, 5, 10, 15, 30 s …).
// REQUIRES: bins are not empty; num_bars_max >= 2.
TimeHistogram MakeHistogram(const std::vector<TimeDistribution::Bin>& bins, int num_bars_max);

}  // namespace braid
