// Fires a query's triggers until its inputs end, it fails, or it is told to stop.
//
// Thread rule: Run on one thread; all else from any thread (and any number of times).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "braid/clock.h"
#include "braid/error.h"
#include "braid/trigger.h"
#include "engine/microbatch/triggered_query.h"

namespace braid {

class TriggerLoop {
 public:
  // Borrows both; the clock outlives the query.
  TriggerLoop(TriggeredQuery* query, Clock* clock, Trigger trigger);

  // Starts the query and runs it. Returns when all finite inputs have ended (for any trigger),
  // after the one batch of kOnce, when LIMIT is reached, or after Stop; a running batch is finished
  // first.
  Status Run();

  void Stop();
  bool stopped() const { return stopping_.load(); }

  // Waits until a trigger that fired after the call has found nothing new, and everything before it
  // is committed, or Run has ended. Triggers fire at once while somebody waits.
  void AwaitAllAvailable();
  // Run has returned, or is about to.
  bool ended() const;

  // When the trigger after one that fired at `fired` is due.
  static EventTime NextFire(EventTime fired, Interval interval);

 private:
  // How long an idle query of kAsap waits before it asks its sources again, unless one tells of
  // new rows.
  static constexpr Interval kIdlePoll = {2'000};

  Status RunTriggers();
  Result<TriggeredQuery::Ran> RunTrigger();
  void WaitUntil(EventTime time);
  void WaitForRows();
  bool somebody_waits() const { return num_asked_.load() > num_served_.load(); }

  TriggeredQuery* query_;
  Clock* clock_;
  Trigger trigger_;
  std::atomic<bool> stopping_{false};
  // Sources tell of new rows. Shared with their threads, which may outlive the loop.
  std::shared_ptr<std::atomic<bool>> has_new_rows_;

  // Calls of AwaitAllAvailable, and how many of them a trigger without new input has answered.
  // Written under mutex_.
  std::atomic<int64_t> num_asked_{0};
  std::atomic<int64_t> num_served_{0};
  mutable std::mutex mutex_;
  std::condition_variable served_;
  bool ended_ = false;  // Guarded by mutex_.
};

}  // namespace braid
