// The clock that triggers and PROCTIME() read. Programs pass their own to make tests repeatable.
//
// Thread rule: all methods from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "braid/export.h"
#include "braid/time.h"

namespace braid {

class BRAID_EXPORT Clock {
 public:
  virtual ~Clock() = default;

  // Now, UTC.
  virtual EventTime Now() const = 0;

  // Waits until `time`, or until `stopped()` is true and Wake was called.
  virtual void WaitUntil(EventTime time, const std::function<bool()>& stopped) = 0;

  // Makes every WaitUntil look at `stopped` again.
  virtual void Wake() = 0;
};

// The machine's clock.
class BRAID_EXPORT SystemClock final : public Clock {
 public:
  EventTime Now() const override;
  void WaitUntil(EventTime time, const std::function<bool()>& stopped) override;
  void Wake() override;

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
};

// A clock that stands still until it is told to move.
class BRAID_EXPORT ManualClock final : public Clock {
 public:
  explicit ManualClock(EventTime now = {}) : now_(now) {}

  EventTime Now() const override;
  void WaitUntil(EventTime time, const std::function<bool()>& stopped) override;
  void Wake() override;

  // Moves the clock; it never goes back.
  void AdvanceTo(EventTime time);

 private:
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  EventTime now_;
};

}  // namespace braid
