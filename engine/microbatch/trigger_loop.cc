#include "engine/microbatch/trigger_loop.h"

namespace braid {

TriggerLoop::TriggerLoop(TriggeredQuery* query, Clock* clock, Trigger trigger)
    : query_(query),
      clock_(clock),
      trigger_(trigger),
      has_new_rows_(std::make_shared<std::atomic<bool>>(false)) {
  query_->SetRowsListener([clock, has_new_rows = has_new_rows_] {
    if (!has_new_rows->exchange(true)) clock->Wake();
  });
}

EventTime TriggerLoop::NextFire(EventTime fired, Interval interval) {
  int64_t periods = fired.micros / interval.micros;
  if (fired.micros % interval.micros < 0) --periods;
  return {SaturatingMultiply(SaturatingAdd(periods, 1), interval.micros)};
}

Status TriggerLoop::Run() {
  Status status = stopped() ? Status() : RunTriggers();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  served_.notify_all();
  return status;
}

Status TriggerLoop::RunTriggers() {
  if (Status started = query_->Start(); !started) return started;
  while (!stopped()) {
    const EventTime fired = clock_->Now();
    // Before the sources are asked: who has rows after that tells again.
    *has_new_rows_ = false;
    const Result<TriggeredQuery::Ran> ran = RunTrigger();
    if (!ran) {
      // A stop that interrupts a waiting source is no failure.
      if (stopped() && ran.error().code == ErrorCode::kCancelled) return {};
      return tl::unexpected(ran.error());
    }
    if (*ran == TriggeredQuery::Ran::kEnd || trigger_.kind == Trigger::Kind::kOnce ||
        query_->limit_reached()) {
      return {};
    }
    if (trigger_.kind == Trigger::Kind::kInterval) {
      const EventTime next = NextFire(fired, trigger_.interval);
      if (clock_->Now() < next) WaitUntil(next);
    } else if (*ran == TriggeredQuery::Ran::kNothing) {
      WaitForRows();
    }
  }
  return {};
}

Result<TriggeredQuery::Ran> TriggerLoop::RunTrigger() {
  const int64_t asked = num_asked_;
  Result<TriggeredQuery::Ran> ran = query_->RunTrigger();
  if (ran && *ran == TriggeredQuery::Ran::kNothing) {
    if (somebody_waits()) {
      if (Status settled = query_->Settle(); !settled) return tl::unexpected(settled.error());
    }
    const std::lock_guard lock(mutex_);
    num_served_ = asked;
    served_.notify_all();
  }
  return ran;
}

void TriggerLoop::WaitUntil(EventTime time) {
  clock_->WaitUntil(time, [this] { return stopped() || somebody_waits(); });
}

void TriggerLoop::WaitForRows() {
  clock_->WaitUntil(clock_->Now() + kIdlePoll,
                    [this] { return stopped() || somebody_waits() || *has_new_rows_; });
}

void TriggerLoop::AwaitAllAvailable() {
  std::unique_lock lock(mutex_);
  const int64_t number = ++num_asked_;
  lock.unlock();
  clock_->Wake();
  lock.lock();
  served_.wait(lock, [&] { return ended_ || num_served_ >= number; });
}

bool TriggerLoop::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void TriggerLoop::Stop() {
  stopping_ = true;
  query_->Interrupt();
  clock_->Wake();
}

}  // namespace braid
