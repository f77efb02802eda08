#include "tests/connectors/tcp_peer.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "state/rows/check.h"

namespace braid {

namespace {

sockaddr_in LocalAddress(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

TcpPeer TcpPeer::ConnectTo(uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BRAID_CHECK(descriptor >= 0, "socket");
  const sockaddr_in address = LocalAddress(port);
  const int failed =
      connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  BRAID_CHECK(failed == 0, "connect");
  return TcpPeer(descriptor);
}

void TcpPeer::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    BRAID_CHECK(sent > 0, "send");
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

size_t TcpPeer::SendSome(std::string_view bytes) {
  const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent > 0 ? static_cast<size_t>(sent) : 0;
}

void TcpPeer::AwaitDelivery() {
  int waiting = 1;
  while (waiting > 0) {
    BRAID_CHECK(ioctl(descriptor_, SIOCOUTQ, &waiting) == 0, "ioctl");
    std::this_thread::yield();
  }
}

std::string TcpPeer::Receive(size_t bytes) {
  std::string received;
  char buffer[65'536];
  while (received.size() < bytes) {
    const size_t wanted = std::min(sizeof(buffer), bytes - received.size());
    const ssize_t size = recv(descriptor_, buffer, wanted, 0);
    if (size <= 0) break;
    received.append(buffer, static_cast<size_t>(size));
  }
  return received;
}

void TcpPeer::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void TcpPeer::Reset() {
  const linger now = {1, 0};
  BRAID_CHECK(setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now)) == 0, "setsockopt");
  Close();
}

TcpServer::TcpServer(uint16_t port, int backlog) {
  descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BRAID_CHECK(descriptor_ >= 0, "socket");
  const int on = 1;
  setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address = LocalAddress(port);
  socklen_t size = sizeof(address);
  BRAID_CHECK(bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size) == 0, "bind");
  BRAID_CHECK(listen(descriptor_, backlog) == 0, "listen");
  BRAID_CHECK(getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) == 0, "name");
  port_ = ntohs(address.sin_port);
}

TcpPeer TcpServer::Accept() {
  const int descriptor = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
  BRAID_CHECK(descriptor >= 0, "accept");
  return TcpPeer(descriptor);
}

bool TcpServer::HasVisitor(int milliseconds) const {
  pollfd waiting = {descriptor_, POLLIN, 0};
  return poll(&waiting, 1, milliseconds) == 1;
}

void TcpServer::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

int64_t CountOpenDescriptors() {
  int64_t count = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd");
       entry != std::filesystem::directory_iterator(); ++entry) {
    ++count;
  }
  return count;
}

}  // namespace braid
