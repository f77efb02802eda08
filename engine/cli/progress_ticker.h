// Draws a display from time to time, on a thread of its own.
//
// Ownership: borrows the display.
// Thread rule: make it after StopSignals, whose signals its thread must not take.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/cli/progress_display.h"

namespace braid {

class ProgressTicker {
 public:
  explicit ProgressTicker(ProgressDisplay* display);
  ~ProgressTicker();
  ProgressTicker(const ProgressTicker&) = delete;
  ProgressTicker& operator=(const ProgressTicker&) = delete;

 private:
  void Run();

  ProgressDisplay* const display_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;  // Guarded by mutex_.
  std::thread thread_;
};

}  // namespace braid
