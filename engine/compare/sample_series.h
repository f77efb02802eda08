// Keeps an even sample of how a run stood, in bounded memory: when it is full, every second one
// goes, and from then on only every second, fourth … one is taken. The last one is always there.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/compare/comparison.h"

namespace braid {

class SampleSeries {
 public:
  void Add(const StateSample& sample);

  // Those that are kept, and the last one.
  std::vector<StateSample> samples() const;
  // Of all that were added.
  int64_t state_rows_max() const { return state_rows_max_; }
  int64_t state_bytes_max() const { return state_bytes_max_; }

 private:
  static constexpr size_t kSamplesMax = 2'000;

  std::vector<StateSample> kept_;
  std::optional<StateSample> last_;
  int64_t step_ = 1;
  int64_t count_ = 0;
  int64_t state_rows_max_ = 0;
  int64_t state_bytes_max_ = 0;
};

}  // namespace braid
