// SIGINT and SIGTERM as a call on a thread of its own, where everything may be called.
//
// Thread rule: make one, before any other thread is started; it blocks the signals for all threads
// that are started afterwards.
#pragma once

#include <functional>
#include <thread>

namespace braid {

class StopSignals {
 public:
  // Calls `on_signal` for each signal that comes, with how many have come by then and which one it
  // is.
  explicit StopSignals(std::function<void(int count, int signal)> on_signal);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  std::thread thread_;
};

}  // namespace braid
