// The options of 'socket' (docs/connectors.md), beside those of the format.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>

#include "braid/time.h"
#include "engine/connectors/option_reader.h"

namespace braid {

struct SocketOptions {
  enum class Mode : uint8_t { kConnect, kListen };

  Mode mode = Mode::kConnect;
  std::string host;
  uint16_t port = 0;  // 0: kListen only; the system chooses one.

  bool reconnect = true;
  Interval backoff_min = Milliseconds(100);
  Interval backoff_max = Seconds(10);

  int64_t line_bytes_max = 1 << 20;
  int64_t queue_bytes_max = 4 << 20;
  int64_t trigger_bytes_max = 4 << 20;
  int64_t connections_max = 1'000;
  Interval idle_timeout = Seconds(1);

  // "localhost:9000"
  std::string Address() const;
};

// Errors are kept in `reader`. The options of both sides of a table are known on either.
SocketOptions ReadSocketOptions(OptionReader* reader);

// A delay before each further attempt: the least one first, then twice the one before.
class Backoff {
 public:
  explicit Backoff(const SocketOptions& options)
      : min_(options.backoff_min), max_(options.backoff_max), next_(min_) {}

  Interval Next() {
    const Interval delay = next_;
    next_ = next_ + next_ < max_ ? next_ + next_ : max_;
    return delay;
  }
  void Reset() { next_ = min_; }

 private:
  Interval min_;
  Interval max_;
  Interval next_;
};

}  // namespace braid
