// Fires a query's triggers until its inputs end, it fails, or it is told to stop.
//
// Thread rule: Run on one thread; Stop from any thread (and any number of times).
#pragma once

#include <atomic>

#include "braid/clock.h"
#include "braid/error.h"
#include "braid/trigger.h"
#include "engine/microbatch/micro_batch_query.h"

namespace braid {

class TriggerLoop {
 public:
  // Borrows both.
  TriggerLoop(MicroBatchQuery* query, Clock* clock, Trigger trigger)
      : query_(query), clock_(clock), trigger_(trigger) {}

  // Starts the query and runs it. Returns when all finite inputs have ended (for any trigger),
  // after the one batch of kOnce, when LIMIT is reached, or after Stop; a running batch is finished
  // first.
  Status Run();

  void Stop();
  bool stopped() const { return stopping_.load(); }

  // When the trigger after one that fired at `fired` is due.
  static EventTime NextFire(EventTime fired, Interval interval);

 private:
  // How long an idle query of kAsap waits before it asks its sources again.
  static constexpr Interval kIdlePoll = {2'000};

  MicroBatchQuery* query_;
  Clock* clock_;
  Trigger trigger_;
  std::atomic<bool> stopping_{false};
};

}  // namespace braid
