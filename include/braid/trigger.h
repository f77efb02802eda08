// When batches run.
//
// Thread rule: values.
#pragma once

#include <chrono>
#include <cstdint>

#include "braid/time.h"

namespace braid {

struct Trigger {
  enum class Kind : uint8_t {
    kAsap,          // The next batch as soon as the one before is done.
    kInterval,      // At whole multiples of the interval, UTC; an overrun starts the next at once.
    kOnce,          // One batch with all that is there, and its no-data batch.
    kAvailableNow,  // What is there at the start, in as many batches as limits ask for.
  };

  Kind kind = Kind::kAsap;
  Interval interval;  // kInterval only, > 0.

  static Trigger Asap() { return {Kind::kAsap, {}}; }
  static Trigger Once() { return {Kind::kOnce, {}}; }
  static Trigger AvailableNow() { return {Kind::kAvailableNow, {}}; }
  static Trigger Every(std::chrono::microseconds interval) {
    return {Kind::kInterval, Interval{interval.count()}};
  }
};

}  // namespace braid
