#include "engine/cli/stop_signals.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace braid {

namespace {

// Ends the waiting thread.
constexpr int kEndSignal = SIGUSR2;

sigset_t WaitedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, kEndSignal);
  return signals;
}

}  // namespace

StopSignals::StopSignals(std::function<void(int count, int signal)> on_signal) {
  const sigset_t signals = WaitedSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::thread([signals, call = std::move(on_signal)] {
    for (int count = 1;; ++count) {
      int signal = 0;
      if (sigwait(&signals, &signal) != 0 || signal == kEndSignal) return;
      call(count, signal);
    }
  });
}

StopSignals::~StopSignals() {
  pthread_kill(thread_.native_handle(), kEndSignal);
  thread_.join();
}

}  // namespace braid
