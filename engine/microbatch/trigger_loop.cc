#include "engine/microbatch/trigger_loop.h"

namespace braid {

EventTime TriggerLoop::NextFire(EventTime fired, Interval interval) {
  int64_t periods = fired.micros / interval.micros;
  if (fired.micros % interval.micros < 0) --periods;
  return {SaturatingMultiply(SaturatingAdd(periods, 1), interval.micros)};
}

Status TriggerLoop::Run() {
  if (stopped()) return {};
  if (Status started = query_->Start(); !started) return started;
  while (!stopped()) {
    const EventTime fired = clock_->Now();
    const Result<MicroBatchQuery::Ran> ran = query_->RunTrigger();
    if (!ran) {
      // A stop that interrupts a waiting source is no failure.
      if (stopped() && ran.error().code == ErrorCode::kCancelled) return {};
      return tl::unexpected(ran.error());
    }
    if (*ran == MicroBatchQuery::Ran::kEnd || trigger_.kind == Trigger::Kind::kOnce ||
        query_->limit_reached()) {
      return {};
    }
    if (trigger_.kind == Trigger::Kind::kInterval) {
      const EventTime next = NextFire(fired, trigger_.interval);
      if (clock_->Now() < next) clock_->WaitUntil(next, [this] { return stopped(); });
    } else if (*ran == MicroBatchQuery::Ran::kNothing) {
      clock_->WaitUntil(clock_->Now() + kIdlePoll, [this] { return stopped(); });
    }
  }
  return {};
}

void TriggerLoop::Stop() {
  stopping_ = true;
  query_->Interrupt();
  clock_->Wake();
}

}  // namespace braid
