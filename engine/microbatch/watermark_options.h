// How the watermark of one table moves, beside its delay: what the table's scan.watermark.* options
// and the settings behind them say. Both modes run by it.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <optional>

#include "braid/time.h"

namespace braid {

struct WatermarkOptions {
  // Per-record mode: false, a watermark after every record; true, one after so many records of
  // finite input or so much time of live input. Micro-batch mode has one a batch.
  bool periodic = false;
  int64_t periodic_records = 1'000;
  Interval periodic_interval = Milliseconds(200);
  // A table that gave no row for so long no longer holds the query's watermark back; absent: never.
  std::optional<Interval> idle_timeout;
  // A row whose time is further ahead of the clock when it is read does not move the watermark;
  // absent: every row does.
  std::optional<Interval> max_ahead;
};

}  // namespace braid
