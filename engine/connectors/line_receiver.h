// Receives lines over TCP on a thread of its own and puts them into a queue: from a peer that it
// connects to, again and again with growing delays, or from any number of senders that connect to
// it. When the queue is full it reads no further, and TCP makes the senders wait.
//
// What a connection that ends leaves behind: an orderly end makes a last line without line end a
// line; after a reset it is dropped, since nobody knows what is missing of it.
//
// Memory: the queue, and for each connection what has come of one line.
// Thread rule: Start once; everything else from any thread. Destroying it stops the thread within
// milliseconds and closes all sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "braid/error.h"
#include "engine/connectors/line_queue.h"
#include "engine/connectors/socket_options.h"

namespace braid {

struct ReceiverStatus {
  int64_t num_connections = 0;  // Now.
  int64_t num_accepted = 0;     // Ever.
  // When the newest bytes came, or a connection.
  std::chrono::steady_clock::time_point last_activity;
  std::string text;     // "connected", "3 senders", "the peer has closed the connection; …"
  std::string problem;  // Why the newest attempt to connect has failed; empty after success.

  // A connection was there and none is now.
  bool is_closed() const { return num_accepted > 0 && num_connections == 0; }
};

class LineReceiver {
 public:
  virtual ~LineReceiver() = default;

  // Connecting: begins to. Listening: fails with kIo if the address cannot be had.
  virtual Status Start() = 0;

  // There is room in the queue again.
  virtual void Resume() = 0;

  // From now on a connection that has ended is not made again.
  virtual void StopReconnecting() = 0;

  virtual ReceiverStatus status() const = 0;

  // Listening: the port, once started.
  virtual uint16_t port() const = 0;
};

// `queue` is borrowed. `warn` is called on the receiver's thread, at most once a second.
Result<std::unique_ptr<LineReceiver>> NewLineReceiver(const SocketOptions& options,
                                                      LineQueue* queue,
                                                      std::function<void(std::string)> warn);

}  // namespace braid
