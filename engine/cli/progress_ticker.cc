#include "engine/cli/progress_ticker.h"

#include <chrono>

namespace braid {

ProgressTicker::ProgressTicker(ProgressDisplay* display)
    : display_(display), thread_([this] { Run(); }) {}

ProgressTicker::~ProgressTicker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void ProgressTicker::Run() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, ProgressDisplay::kDrawInterval, [this] { return stopping_; })) {
    display_->Tick(std::chrono::steady_clock::now());
  }
}

}  // namespace braid
