// How many rows a benchmark takes: all of them, or few where only whether it works is of interest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace braid {

// `rows`, or a hundredth where the environment has BRAID_BENCH_SMOKE.
inline int64_t BenchRows(int64_t rows) {
  static const bool is_smoke = std::getenv("BRAID_BENCH_SMOKE") != nullptr;
  return is_smoke ? std::max<int64_t>(rows / 100, 1) : rows;
}

}  // namespace braid
