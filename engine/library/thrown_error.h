// Remembers what a program's code threw where no error can be given back, until it can.
//
// Thread rule: any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "engine/library/guard.h"

namespace braid {

class ThrownError {
 public:
  // The outcome of `call()`, or `otherwise` if it throws.
  template <typename Call, typename Otherwise>
  auto Or(const std::string& what, Otherwise otherwise, Call&& call) const {
    using Given = decltype(call());
    Result<Given> outcome = CallProgram(what, [&] { return Result<Given>(call()); });
    if (outcome) return std::move(*outcome);
    Keep(std::move(outcome.error()));
    return Given(std::move(otherwise));
  }

  // The same for a call without an outcome.
  template <typename Call>
  void Try(const std::string& what, Call&& call) const {
    Status status = CallProgram(what, std::forward<Call>(call));
    if (!status) Keep(std::move(status.error()));
  }

  // The first error that was kept.
  Status status() const {
    const std::lock_guard lock(mutex_);
    if (error_) return tl::unexpected(*error_);
    return {};
  }

 private:
  void Keep(Error error) const {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  mutable std::mutex mutex_;
  mutable std::optional<Error> error_;  // Guarded by mutex_.
};

}  // namespace braid
