#include "engine/connectors/line_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/connectors/host_lookup.h"

namespace braid {

namespace {

using boost::asio::ip::tcp;
using SystemError = boost::system::error_code;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::seconds kConnectTimeout(10);
// How long a receiver may take nothing before an interrupted batch is given up.
constexpr std::chrono::milliseconds kGrace(500);

// Every operation is begun asynchronously and waited for here, so that Interrupt can end the wait.
class AsioLineSender final : public LineSender {
 public:
  AsioLineSender(const SocketOptions& options, std::function<void(std::string)> warn)
      : options_(options),
        warn_(std::move(warn)),
        io_(std::make_shared<boost::asio::io_context>(1)),
        work_(io_->get_executor()),
        socket_(*io_) {}

  Status Send(std::string_view greeting, const std::vector<std::string>& texts) override;
  void Close() override;
  void Interrupt() override {
    interrupted_ = true;
    boost::asio::post(*io_, [] {});
  }
  std::string status() const override {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  // Runs handlers until `done`, `deadline`, or Interrupt and then for the time of grace.
  Status Await(const bool& done, std::optional<SteadyTime> deadline);
  Status Attempt(std::string_view greeting, const std::vector<std::string>& texts);
  Status Connect();
  Status Write(std::string_view bytes);
  bool PeerHasClosed();
  void SetText(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }

  const SocketOptions options_;
  const std::function<void(std::string)> warn_;
  // Shared with a look-up that may outlive the sender.
  std::shared_ptr<boost::asio::io_context> io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  tcp::socket socket_;
  std::atomic<bool> interrupted_ = false;
  mutable std::mutex mutex_;
  std::string text_ = "no batch yet";  // Guarded by mutex_.
};

Status AsioLineSender::Await(const bool& done, std::optional<SteadyTime> deadline) {
  bool in_grace = false;
  while (!done) {
    if (interrupted_ && !in_grace) {
      in_grace = true;
      const SteadyTime end_of_grace = std::chrono::steady_clock::now() + kGrace;
      deadline = std::min(deadline.value_or(end_of_grace), end_of_grace);
    }
    if (!deadline) {
      io_->run_one();
    } else if (std::chrono::steady_clock::now() < *deadline) {
      io_->run_one_until(*deadline);
    } else {
      return interrupted_ ? Fail(ErrorCode::kCancelled, "stopped while sending")
                          : Fail(ErrorCode::kIo, "no answer");
    }
  }
  return {};
}

Status AsioLineSender::Connect() {
  struct Outcome {
    bool found = false;
    Result<HostAddresses> addresses;
    bool connected = false;
    SystemError failed;
  };
  // Shared with handlers that may run after the wait was given up.
  const auto outcome = std::make_shared<Outcome>();
  SetText("connecting");
  const SteadyTime deadline = std::chrono::steady_clock::now() + kConnectTimeout;
  LookUpHost(options_.host, [io = io_, outcome](Result<HostAddresses> addresses) {
    boost::asio::post(*io, [outcome, addresses = std::move(addresses)] {
      outcome->addresses = addresses;
      outcome->found = true;
    });
  });
  if (Status found = Await(outcome->found, deadline); !found) return found;
  if (!outcome->addresses) return tl::unexpected(outcome->addresses.error());

  std::vector<tcp::endpoint> endpoints;
  for (const std::string& text : *outcome->addresses) {
    SystemError ignored;
    endpoints.emplace_back(boost::asio::ip::make_address(text, ignored), options_.port);
  }
  boost::asio::async_connect(socket_, endpoints,
                             [outcome](const SystemError& failed, const tcp::endpoint&) {
                               outcome->failed = failed;
                               outcome->connected = true;
                             });
  if (Status connected = Await(outcome->connected, deadline); !connected) return connected;
  if (outcome->failed) {
    return Fail(ErrorCode::kIo, "cannot connect: " + outcome->failed.message());
  }
  SystemError ignored;
  socket_.set_option(boost::asio::socket_base::keep_alive(true), ignored);
  socket_.non_blocking(true, ignored);
  SetText("connected");
  return {};
}

Status AsioLineSender::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    SystemError failed;
    const size_t size = socket_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), failed);
    if (failed == boost::asio::error::would_block) {
      const auto ready = std::make_shared<bool>(false);
      socket_.async_wait(tcp::socket::wait_write, [ready](const SystemError&) { *ready = true; });
      if (Status waited = Await(*ready, std::nullopt); !waited) return waited;
      continue;
    }
    if (failed && failed != boost::asio::error::interrupted) {
      return Fail(ErrorCode::kIo, "the connection broke: " + failed.message());
    }
    bytes.remove_prefix(size);
  }
  return {};
}

// A peer that has closed would still let one write succeed. What it sends is of no interest.
bool AsioLineSender::PeerHasClosed() {
  char ignored[4096];
  SystemError failed;
  while (!failed) socket_.read_some(boost::asio::buffer(ignored), failed);
  return failed != boost::asio::error::would_block && failed != boost::asio::error::interrupted;
}

Status AsioLineSender::Attempt(std::string_view greeting, const std::vector<std::string>& texts) {
  if (socket_.is_open() && PeerHasClosed()) {
    SystemError ignored;
    socket_.close(ignored);
  }
  if (!socket_.is_open()) {
    if (Status connected = Connect(); !connected) return connected;
    if (Status greeted = Write(greeting); !greeted) return greeted;
  }
  for (const std::string& text : texts) {
    if (Status written = Write(text); !written) return written;
  }
  return {};
}

Status AsioLineSender::Send(std::string_view greeting, const std::vector<std::string>& texts) {
  Backoff backoff(options_);
  bool warned = false;
  while (true) {
    Status sent = Attempt(greeting, texts);
    if (sent) return sent;
    SystemError ignored;
    socket_.close(ignored);
    SetText(sent.error().message);
    const bool again = sent.error().code == ErrorCode::kIo && options_.reconnect;
    if (!again) {
      sent.error().message = fmt::format("socket {}: {}", options_.Address(), sent.error().message);
      return sent;
    }
    if (!std::exchange(warned, true)) warn_(sent.error().message + "; it is tried again");
    const bool never = false;
    const auto delay = std::chrono::microseconds(backoff.Next().micros);
    Status waited = Await(never, std::chrono::steady_clock::now() + delay);
    if (!waited && waited.error().code == ErrorCode::kCancelled) return waited;
  }
}

void AsioLineSender::Close() {
  SystemError ignored;
  if (!socket_.is_open()) return;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  socket_.close(ignored);
  SetText("closed");
}

}  // namespace

Result<std::unique_ptr<LineSender>> NewLineSender(const SocketOptions& options,
                                                  std::function<void(std::string)> warn) {
  try {
    return std::make_unique<AsioLineSender>(options, std::move(warn));
  } catch (const std::exception& failure) {
    return Fail(ErrorCode::kIo, fmt::format("cannot open sockets: {}", failure.what()));
  }
}

}  // namespace braid
