// How often tests with chance in them repeat what they do: `make soak` sets BRAID_SOAK to 10.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace braid::testing {

// 1, or what the environment variable BRAID_SOAK says.
inline int SoakFactor() {
  const char* const factor = std::getenv("BRAID_SOAK");
  return factor == nullptr ? 1 : std::max(1, std::atoi(factor));
}

}  // namespace braid::testing
