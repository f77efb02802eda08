// The other ends of connections, for tests: blocking TCP sockets of this machine. Failures end the
// test program.
//
// Thread rule: each object by one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

// One connection.
class TcpPeer {
 public:
  explicit TcpPeer(int descriptor) : descriptor_(descriptor) {}
  ~TcpPeer() { Close(); }
  TcpPeer(TcpPeer&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  TcpPeer& operator=(TcpPeer&&) = delete;

  static TcpPeer ConnectTo(uint16_t port);

  // Sends all of it; waits while the other side does not read.
  void Send(std::string_view bytes);
  // As much as goes without waiting; how many bytes that was.
  size_t SendSome(std::string_view bytes);
  // Waits until the other side's system has everything.
  void AwaitDelivery();
  // Up to the end of the connection, or until `bytes` bytes are there.
  std::string Receive(size_t bytes = SIZE_MAX);
  // Ends in order, or with a reset.
  void Close();
  void Reset();

 private:
  int descriptor_;
};

// Waits for connections at a free port of 127.0.0.1.
class TcpServer {
 public:
  // `port`: 0 for a free one. `backlog`: connections that may wait to be accepted; with 0, attempts
  // after the first get no answer.
  explicit TcpServer(uint16_t port = 0, int backlog = 64);
  ~TcpServer() { Close(); }
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  uint16_t port() const { return port_; }
  TcpPeer Accept();
  // True if somebody connects within `milliseconds`.
  bool HasVisitor(int milliseconds) const;
  void Close();

 private:
  int descriptor_ = -1;
  uint16_t port_ = 0;
};

// Of this process.
int64_t CountOpenDescriptors();

}  // namespace braid
