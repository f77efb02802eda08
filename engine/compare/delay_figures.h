// Median, 99th percentile, maximum and distribution of delays.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/compare/comparison.h"

namespace braid {

// Of microseconds in any order. The figures are exact (nearest rank); the distribution is that of
// an even sample. Linear.
DelayFigures FiguresOf(std::vector<int64_t> delays);

}  // namespace braid
