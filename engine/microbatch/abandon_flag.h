// Says that nobody wants the running batch any more: whoever works on it for long looks from time
// to time, once a block of rows, and gives up with the error that Check gives.
//
// Thread rule: any thread.
#pragma once

#include <atomic>

#include "braid/error.h"

namespace braid {

class AbandonFlag {
 public:
  void Raise() { raised_.store(true, std::memory_order_relaxed); }
  bool is_raised() const { return raised_.load(std::memory_order_relaxed); }
  // kCancelled once it is raised.
  Status Check() const {
    if (!is_raised()) return {};
    return Fail(ErrorCode::kCancelled, "the running batch was abandoned");
  }

 private:
  std::atomic<bool> raised_{false};
};

}  // namespace braid
