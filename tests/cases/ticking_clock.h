// A clock for runs that are to end an epoch after every block of records.
#pragma once

#include <functional>

#include "braid/clock.h"

namespace braid::testing {

// Every look at it is a millisecond later.
class TickingClock final : public Clock {
 public:
  EventTime Now() const override { return {micros_ += 1'000}; }
  void WaitUntil(EventTime /*time*/, const std::function<bool()>& /*stopped*/) override {}
  void Wake() override {}

 private:
  mutable int64_t micros_ = 1'700'000'000'000'000;
};

}  // namespace braid::testing
