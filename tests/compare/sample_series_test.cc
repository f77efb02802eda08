#include "engine/compare/sample_series.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

StateSample SampleAt(int64_t time) { return {EventTime{time}, std::nullopt, time % 777, time}; }

TEST(SampleSeriesTest, KeepsAnEvenSampleAndTheLastOne) {
  for (const int64_t count : {1, 2, 1'999, 2'000, 2'001, 12'345, 1'000'000}) {
    SampleSeries series;
    for (int64_t time = 0; time < count; ++time) series.Add(SampleAt(time));
    const std::vector<StateSample> samples = series.samples();
    ASSERT_LE(samples.size(), 2'001U);
    EXPECT_EQ(samples.front().event_time->micros, 0);
    EXPECT_EQ(samples.back().event_time->micros, count - 1);
    const int64_t step = samples.size() > 1 ? samples[1].event_time->micros : 1;
    for (size_t index = 1; index + 1 < samples.size(); ++index) {
      EXPECT_EQ(samples[index].event_time->micros, static_cast<int64_t>(index) * step);
    }
    EXPECT_GE(static_cast<int64_t>(samples.size()), std::min<int64_t>(count, 1'000));
    EXPECT_EQ(series.state_bytes_max(), count - 1);
  }
}

}  // namespace
}  // namespace braid
