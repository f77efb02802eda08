// Sends bytes over one TCP connection that it makes when it is needed.
//
// Thread rule: one thread at a time; Interrupt and status from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/error.h"
#include "engine/connectors/socket_options.h"

namespace braid {

class LineSender {
 public:
  virtual ~LineSender() = default;

  // Sends the texts in a row. Whenever the connection cannot be made or breaks, it tries again,
  // after growing delays and for as long as it takes, with `greeting` and all texts from the
  // beginning. What the receiver had from the attempt before, it gets twice. After success all is
  // with the operating system.
  //
  // kIo when the first attempt fails and the options say not to reconnect; kCancelled after
  // Interrupt, if the receiver takes nothing for half a second.
  virtual Status Send(std::string_view greeting, const std::vector<std::string>& texts) = 0;

  // Ends the connection after what was sent.
  virtual void Close() = 0;

  // Makes a Send that waits fail soon, and every later one.
  virtual void Interrupt() = 0;

  // "connected", "cannot connect: …"
  virtual std::string status() const = 0;
};

// `warn` is called by Send, at the first failure after a success.
Result<std::unique_ptr<LineSender>> NewLineSender(const SocketOptions& options,
                                                  std::function<void(std::string)> warn);

}  // namespace braid
