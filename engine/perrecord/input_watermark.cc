#include "engine/perrecord/input_watermark.h"

#include <algorithm>

namespace braid {

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::min();

}  // namespace

InputWatermark::InputWatermark(Interval delay, const WatermarkOptions& options, bool is_finite)
    : delay_micros_(delay.micros),
      options_(options),
      is_periodic_(options.periodic),
      counts_records_(is_finite) {}

int64_t InputWatermark::reached() const {
  if (max_time_ == kNone) return kUnsetMillis;
  return WatermarkAfter(EventTime{max_time_}, Interval{delay_micros_}).millis;
}

std::optional<EventTime> InputWatermark::max_time() const {
  if (max_time_ == kNone) return std::nullopt;
  return EventTime{max_time_};
}

// The smallest row time that gives a larger watermark than the one sent.
void InputWatermark::ComputeNext() {
  if (sent_ == kUnsetMillis) return;
  next_ = SaturatingAdd(SaturatingMultiply(SaturatingAdd(sent_, 1), 1'000), delay_micros_);
}

int64_t InputWatermark::Emit() {
  const int64_t mark = reached();
  if (mark == kUnsetMillis || mark <= sent_) return kUnsetMillis;
  sent_ = mark;
  ComputeNext();
  return mark;
}

int64_t InputWatermark::CountRecord() {
  if (!counts_records_ || ++num_records_ < options_.periodic_records) return kUnsetMillis;
  num_records_ = 0;
  return Emit();
}

int64_t InputWatermark::Tick(EventTime now) {
  if (!is_periodic_ || counts_records_) return kUnsetMillis;
  if (last_tick_ && now < *last_tick_ + options_.periodic_interval) return kUnsetMillis;
  last_tick_ = now;
  return Emit();
}

int64_t InputWatermark::Raise(int64_t millis) {
  if (millis == kUnsetMillis || millis <= sent_) return kUnsetMillis;
  sent_ = millis;
  ComputeNext();
  return millis;
}

void InputWatermark::Restore(std::optional<EventTime> max_time, int64_t sent) {
  if (max_time) max_time_ = max_time->micros;
  sent_ = sent;
  ComputeNext();
}

}  // namespace braid
