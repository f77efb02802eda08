// The watermark of one table as its records pass: max(row time) - delay, floored to a millisecond,
// sent after every record that moves it, or periodically (scan.watermark.emit.strategy). It never
// goes back.
//
// An idle table (scan.watermark.idle-timeout) leaves the minimum of the query: whoever watches over
// all tables raises its watermark to that of the others, which is the same.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "braid/time.h"
#include "engine/microbatch/watermark_options.h"
#include "engine/perrecord/record_block.h"

namespace braid {

class InputWatermark {
 public:
  InputWatermark(Interval delay, const WatermarkOptions& options, bool is_finite);

  // What follows a record with this row time (kNoRowTime if it has none): the watermark to send, or
  // kUnsetMillis for none.
  int64_t Observe(int64_t time_micros) {
    if (time_micros > max_time_) max_time_ = time_micros;
    if (is_periodic_) return CountRecord();
    if (max_time_ < next_) return kUnsetMillis;
    return Emit();
  }

  // Periodic, live input: what is due at this moment of the wall clock.
  int64_t Tick(EventTime now);

  // Sends at least this much from now on. Returns it, or kUnsetMillis if that is no news.
  int64_t Raise(int64_t millis);

  // The last one sent; kUnsetMillis before.
  int64_t sent() const { return sent_; }
  // What max(row time) - delay is now, sent or not.
  int64_t reached() const;
  std::optional<EventTime> max_time() const;

  void Restore(std::optional<EventTime> max_time, int64_t sent);

 private:
  int64_t CountRecord();
  int64_t Emit();
  void ComputeNext();

  const int64_t delay_micros_;
  const WatermarkOptions options_;
  const bool is_periodic_;
  const bool counts_records_;
  int64_t max_time_ = std::numeric_limits<int64_t>::min();
  int64_t sent_ = kUnsetMillis;
  int64_t next_ = std::numeric_limits<int64_t>::min() + 1;  // A row time that moves it.
  int64_t num_records_ = 0;
  std::optional<EventTime> last_tick_;
};

}  // namespace braid
