#include "engine/compare/sample_series.h"

#include <algorithm>

namespace braid {

void SampleSeries::Add(const StateSample& sample) {
  state_rows_max_ = std::max(state_rows_max_, sample.state_rows);
  state_bytes_max_ = std::max(state_bytes_max_, sample.state_bytes);
  if (count_++ % step_ != 0) {
    last_ = sample;
    return;
  }
  last_.reset();
  if (kept_.size() == kSamplesMax) {
    size_t kept = 0;
    for (size_t index = 0; index < kept_.size(); index += 2) kept_[kept++] = kept_[index];
    kept_.resize(kept);
    step_ *= 2;
  }
  kept_.push_back(sample);
}

std::vector<StateSample> SampleSeries::samples() const {
  std::vector<StateSample> samples = kept_;
  if (last_) samples.push_back(*last_);
  return samples;
}

}  // namespace braid
