#include "engine/connectors/line_receiver.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <list>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/connectors/host_lookup.h"
#include "engine/connectors/line_splitter.h"

namespace braid {

namespace {

using boost::asio::ip::tcp;
using SystemError = boost::system::error_code;

constexpr std::chrono::seconds kConnectTimeout(10);
// After the system refused to accept, mostly for want of descriptors.
constexpr std::chrono::milliseconds kAcceptPause(100);
constexpr std::chrono::seconds kWarningPause(1);

std::vector<tcp::endpoint> Endpoints(const HostAddresses& addresses, uint16_t port) {
  std::vector<tcp::endpoint> endpoints;
  for (const std::string& text : addresses) {
    SystemError failed;
    const auto address = boost::asio::ip::make_address(text, failed);
    if (!failed) endpoints.emplace_back(address, port);
  }
  return endpoints;
}

std::string SendersText(int64_t senders) {
  return senders == 1 ? "1 sender" : fmt::format("{} senders", senders);
}

struct Connection {
  Connection(tcp::socket connected, int64_t line_bytes_max)
      : socket(std::move(connected)), splitter(line_bytes_max) {}

  tcp::socket socket;
  LineSplitter splitter;
  bool has_sent = false;
  bool was_reset = false;  // Known already; the system tells it only once.
};

// All members below the public ones belong to the receiver's thread, but those that say otherwise.
class AsioLineReceiver final : public LineReceiver {
 public:
  AsioLineReceiver(const SocketOptions& options, LineQueue* queue,
                   std::function<void(std::string)> warn)
      : options_(options),
        queue_(queue),
        warn_(std::move(warn)),
        io_(std::make_shared<boost::asio::io_context>(1)),
        acceptor_(*io_),
        connecting_(*io_),
        timer_(*io_),
        connect_timer_(*io_),
        backoff_(options),
        reconnects_(options.reconnect),
        alive_(std::make_shared<int>(0)) {
    status_.last_activity = std::chrono::steady_clock::now();
    status_.text = is_listening() ? "no sender yet" : "connecting";
  }

  ~AsioLineReceiver() override {
    io_->stop();
    if (thread_.joinable()) thread_.join();
  }

  Status Start() override;
  void Resume() override {
    boost::asio::post(*io_, [this] { ContinuePaused(); });
  }
  void StopReconnecting() override {
    boost::asio::post(*io_, [this] { reconnects_ = false; });
  }
  ReceiverStatus status() const override {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  uint16_t port() const override { return port_; }

 private:
  using Connections = std::list<Connection>;

  bool is_listening() const { return options_.mode == SocketOptions::Mode::kListen; }

  Status Listen();
  void Accept();
  void AcceptLater();

  void Connect();
  void ConnectTo(std::vector<tcp::endpoint> endpoints);
  void TryEndpoint(size_t index);
  void ConnectLater(const std::string& reason);

  void AddConnection(tcp::socket socket, bool was_reset);
  void AwaitBytes(Connections::iterator connection);
  void ReadBytes(Connections::iterator connection);
  void Close(Connections::iterator connection, const SystemError& reason);
  void ContinuePaused();

  void Warn(const std::string& message);

  const SocketOptions options_;
  LineQueue* const queue_;
  const std::function<void(std::string)> warn_;
  // Shared with a look-up that may outlive the receiver.
  std::shared_ptr<boost::asio::io_context> io_;
  tcp::acceptor acceptor_;
  tcp::socket connecting_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer connect_timer_;
  Backoff backoff_;
  bool reconnects_;
  std::shared_ptr<int> alive_;
  Connections connections_;
  std::vector<Connections::iterator> paused_;
  bool is_accepting_ = false;
  bool is_connecting_ = false;
  std::vector<tcp::endpoint> endpoints_;  // While it connects.
  std::array<char, size_t{64} << 10> buffer_;
  std::optional<std::chrono::steady_clock::time_point> warned_;
  uint16_t port_ = 0;  // Set by Start.

  mutable std::mutex mutex_;
  ReceiverStatus status_;  // Guarded by mutex_.

  std::thread thread_;
};

Status AsioLineReceiver::Start() {
  if (is_listening()) {
    if (Status listening = Listen(); !listening) return listening;
    Accept();
  } else {
    boost::asio::post(*io_, [this] { Connect(); });
  }
  try {
    thread_ = std::thread([this] {
      const auto work = boost::asio::make_work_guard(*io_);
      io_->run();
    });
  } catch (const std::system_error& failure) {
    return Fail(ErrorCode::kIo, fmt::format("cannot start a thread: {}", failure.what()));
  }
  return {};
}

Status AsioLineReceiver::Listen() {
  const Result<HostAddresses> addresses = LookUpHostNow(options_.host);
  if (!addresses) return tl::unexpected(addresses.error());
  SystemError failed;
  for (const tcp::endpoint& endpoint : Endpoints(*addresses, options_.port)) {
    failed = {};
    if (acceptor_.is_open()) acceptor_.close(failed);
    acceptor_.open(endpoint.protocol(), failed);
    if (!failed) acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor_.bind(endpoint, failed);
    if (!failed) acceptor_.listen(boost::asio::socket_base::max_listen_connections, failed);
    if (!failed) port_ = acceptor_.local_endpoint(failed).port();
    if (!failed) return {};
  }
  return Fail(ErrorCode::kIo,
              fmt::format("cannot listen at {}: {}", options_.Address(), failed.message()));
}

void AsioLineReceiver::Accept() {
  if (is_accepting_ || static_cast<int64_t>(connections_.size()) >= options_.connections_max) {
    return;
  }
  is_accepting_ = true;
  acceptor_.async_accept([this](const SystemError& failed, tcp::socket socket) {
    is_accepting_ = false;
    if (failed) {
      Warn(fmt::format("cannot accept a sender: {}", failed.message()));
      return AcceptLater();
    }
    AddConnection(std::move(socket), /*was_reset=*/false);
    Accept();
  });
}

void AsioLineReceiver::AcceptLater() {
  timer_.expires_after(kAcceptPause);
  timer_.async_wait([this](const SystemError& stopped) {
    if (!stopped) Accept();
  });
}

void AsioLineReceiver::Connect() {
  const std::weak_ptr<int> alive = alive_;
  LookUpHost(options_.host, [this, alive, io = io_](Result<HostAddresses> addresses) {
    // Not run once the receiver is gone: its destructor has stopped the context for good.
    boost::asio::post(*io, [this, alive, addresses = std::move(addresses)] {
      if (alive.expired()) return;
      if (!addresses) return ConnectLater(addresses.error().message);
      std::vector<tcp::endpoint> endpoints = Endpoints(*addresses, options_.port);
      if (endpoints.empty()) return ConnectLater("the host has no address that can be used");
      ConnectTo(std::move(endpoints));
    });
  });
}

void AsioLineReceiver::ConnectTo(std::vector<tcp::endpoint> endpoints) {
  connect_timer_.expires_after(kConnectTimeout);
  connect_timer_.async_wait([this](const SystemError& stopped) {
    SystemError ignored;
    if (!stopped && is_connecting_) connecting_.close(ignored);
  });
  is_connecting_ = true;
  endpoints_ = std::move(endpoints);
  TryEndpoint(0);
}

void AsioLineReceiver::TryEndpoint(size_t index) {
  connecting_.async_connect(endpoints_[index], [this, index](const SystemError& failed) {
    // A peer that has answered, sent and broken off again before this was run: what it has sent
    // is there to be read.
    const bool was_reset = failed == boost::asio::error::connection_reset;
    const bool timed_out = failed == boost::asio::error::operation_aborted;
    if (!failed || was_reset) {
      is_connecting_ = false;
      connect_timer_.cancel();
      return AddConnection(std::exchange(connecting_, tcp::socket(*io_)), was_reset);
    }
    SystemError ignored;
    connecting_.close(ignored);
    if (!timed_out && index + 1 < endpoints_.size()) return TryEndpoint(index + 1);
    is_connecting_ = false;
    connect_timer_.cancel();
    ConnectLater("cannot connect: " + (timed_out ? "no answer" : failed.message()));
  });
}

void AsioLineReceiver::ConnectLater(const std::string& reason) {
  const Interval delay = backoff_.Next();
  const std::string text =
      fmt::format("{}; next attempt after {} ms", reason, (delay.micros + 999) / 1'000);
  {
    const std::lock_guard lock(mutex_);
    status_.text = text;
    status_.problem = reason;
  }
  Warn(text);
  timer_.expires_after(std::chrono::microseconds(delay.micros));
  timer_.async_wait([this](const SystemError& stopped) {
    if (!stopped) Connect();
  });
}

void AsioLineReceiver::AddConnection(tcp::socket socket, bool was_reset) {
  SystemError ignored;
  // So that a peer whose machine is gone is noticed at last.
  socket.set_option(boost::asio::socket_base::keep_alive(true), ignored);
  socket.non_blocking(true, ignored);
  connections_.emplace_back(std::move(socket), options_.line_bytes_max);
  connections_.back().was_reset = was_reset;
  {
    const std::lock_guard lock(mutex_);
    ++status_.num_accepted;
    status_.num_connections = static_cast<int64_t>(connections_.size());
    status_.last_activity = std::chrono::steady_clock::now();
    status_.problem.clear();
    status_.text = is_listening() ? SendersText(status_.num_connections) : "connected";
  }
  AwaitBytes(std::prev(connections_.end()));
}

void AsioLineReceiver::AwaitBytes(Connections::iterator connection) {
  if (!queue_->AskRoom()) {
    paused_.push_back(connection);
    return;
  }
  connection->socket.async_wait(tcp::socket::wait_read,
                                [this, connection](const SystemError& failed) {
                                  if (failed) return Close(connection, failed);
                                  ReadBytes(connection);
                                });
}

void AsioLineReceiver::ReadBytes(Connections::iterator connection) {
  // Others may have filled the queue since.
  if (!queue_->AskRoom()) {
    paused_.push_back(connection);
    return;
  }
  SystemError failed;
  const size_t size = connection->socket.read_some(boost::asio::buffer(buffer_), failed);
  if (failed == boost::asio::error::would_block || failed == boost::asio::error::interrupted) {
    return AwaitBytes(connection);
  }
  if (failed && connection->was_reset) failed = boost::asio::error::connection_reset;
  if (failed) return Close(connection, failed);
  if (!connection->has_sent) backoff_.Reset();
  connection->has_sent = true;
  LineBlock block;
  connection->splitter.Append({buffer_.data(), size}, &block);
  queue_->Put(std::move(block));
  {
    const std::lock_guard lock(mutex_);
    status_.last_activity = std::chrono::steady_clock::now();
  }
  AwaitBytes(connection);
}

void AsioLineReceiver::Close(Connections::iterator connection, const SystemError& reason) {
  const bool orderly = reason == boost::asio::error::eof;
  std::string text = orderly ? "the peer has closed the connection"
                             : fmt::format("the connection broke: {}", reason.message());
  if (orderly) {
    LineBlock block;
    connection->splitter.Finish(&block);
    queue_->Put(std::move(block));
  } else if (connection->splitter.has_partial_line()) {
    text += "; the line that was cut is dropped";
  }
  SystemError ignored;
  connection->socket.close(ignored);
  connections_.erase(connection);
  {
    // After the last line is in the queue: who sees the end has seen the lines.
    const std::lock_guard lock(mutex_);
    status_.num_connections = static_cast<int64_t>(connections_.size());
    status_.last_activity = std::chrono::steady_clock::now();
    if (is_listening()) {
      status_.text =
          connections_.empty() ? "all senders have closed" : SendersText(status_.num_connections);
    } else {
      status_.text = text;
    }
  }
  if (is_listening()) {
    if (!orderly) Warn("a sender: " + text);
    Accept();
  } else if (reconnects_) {
    ConnectLater(text);
  }
}

void AsioLineReceiver::ContinuePaused() {
  for (const Connections::iterator connection : std::exchange(paused_, {})) AwaitBytes(connection);
}

void AsioLineReceiver::Warn(const std::string& message) {
  const auto now = std::chrono::steady_clock::now();
  if (warned_ && now - *warned_ < kWarningPause) return;
  warned_ = now;
  warn_(message);
}

}  // namespace

Result<std::unique_ptr<LineReceiver>> NewLineReceiver(const SocketOptions& options,
                                                      LineQueue* queue,
                                                      std::function<void(std::string)> warn) {
  try {
    return std::make_unique<AsioLineReceiver>(options, queue, std::move(warn));
  } catch (const std::exception& failure) {
    return Fail(ErrorCode::kIo, fmt::format("cannot open sockets: {}", failure.what()));
  }
}

}  // namespace braid
