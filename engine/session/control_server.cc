#include "engine/session/control_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio.hpp>
#include <cerrno>
#include <istream>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/session/control_message.h"
#include "engine/session/state_view.h"
#include "state/rows/limits.h"

namespace braid {

namespace {

namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;
using Endpoint = asio::local::stream_protocol::endpoint;

constexpr const char* kSocketName = "control.sock";
// Lines of an answer that go out together.
constexpr size_t kSendBytes = 64 << 10;
// A client that stops reading is given up after this time.
constexpr timeval kSendTimeout = {10, 0};

// A path of a socket may hold 107 bytes; this one goes through a descriptor of the directory, so
// that the directory may lie anywhere.
class SocketPath {
 public:
  explicit SocketPath(const std::string& directory)
      : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        failure_(descriptor_ < 0 ? errno : 0) {}
  ~SocketPath() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  SocketPath(const SocketPath&) = delete;
  SocketPath& operator=(const SocketPath&) = delete;

  bool valid() const { return descriptor_ >= 0; }
  // Why it is not valid.
  std::string failure() const { return std::generic_category().message(failure_); }
  std::string path() const { return fmt::format("/proc/self/fd/{}/{}", descriptor_, kSocketName); }

 private:
  int descriptor_;
  int failure_;
};

}  // namespace

class ControlServer::Implementation {
 public:
  Implementation(Job* job, std::function<std::string(const BatchProgress&)> to_json)
      : job_(job), to_json_(std::move(to_json)), acceptor_(context_) {}

  ~Implementation() {
    stopping_ = true;
    if (thread_.joinable()) {
      // Wakes the accept, also where the socket's file is gone; the thread sees stopping_.
      shutdown(acceptor_.native_handle(), SHUT_RDWR);
      thread_.join();
    }
    if (path_) unlink(path_->path().c_str());
  }

  Status Start(const std::string& directory) {
    path_.emplace(directory);
    if (!path_->valid()) {
      return Fail(ErrorCode::kIo,
                  fmt::format("{} cannot be opened: {}", directory, path_->failure()));
    }
    unlink(path_->path().c_str());
    boost::system::error_code error;
    acceptor_.open(asio::local::stream_protocol(), error);
    if (!error) acceptor_.bind(Endpoint(path_->path()), error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return Fail(ErrorCode::kIo, fmt::format("the control socket {}/{} cannot be made: {}",
                                              directory, kSocketName, error.message()));
    }
    thread_ = std::thread([this] { Serve(); });
    return {};
  }

  void Publish(const BatchProgress& progress) {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
  }

 private:
  void Serve() {
    while (!stopping_) {
      Socket socket(context_);
      boost::system::error_code error;
      acceptor_.accept(socket, error);
      if (error || stopping_) continue;
      setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &kSendTimeout,
                 sizeof(kSendTimeout));
      setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &kSendTimeout,
                 sizeof(kSendTimeout));
      Answer(&socket);
    }
  }

  static Status Send(Socket* socket, const std::string& text) {
    boost::system::error_code error;
    asio::write(*socket, asio::buffer(text), error);
    if (error) return Fail(ErrorCode::kIo, error.message());
    return {};
  }

  void Answer(Socket* socket) {
    boost::system::error_code error;
    std::string request;
    asio::read_until(*socket, asio::dynamic_buffer(request, kControlRequestBytesMax), '\n', error);
    if (error) return;
    const Status answered = AnswerRequest(socket, request);
    // If this fails too, the client has gone: nobody is left to be told.
    (void)Send(socket, answered ? fmt::format("{}\n", kControlEndLine)
                                : ControlErrorLine(answered.error()));
  }

  Status AnswerRequest(Socket* socket, const std::string& request) {
    const std::string command = ControlCommand(request);
    if (command == "stop" || command == "abandon") {
      command == "stop" ? job_->Stop() : job_->Abandon();
      return {};
    }
    if (command == "progress") {
      std::optional<BatchProgress> progress;
      {
        const std::lock_guard lock(mutex_);
        progress = progress_;
      }
      return progress ? Send(socket, to_json_(*progress) + "\n") : Status();
    }
    const Result<StateRequest> state_request = ParseStateRequest(request);
    if (!state_request) return tl::unexpected(state_request.error());
    std::string lines;
    Status answered =
        AnswerStateRequest(job_->store(), *state_request, [&](const std::string& line) -> Status {
          lines.append(line).push_back('\n');
          if (lines.size() < kSendBytes) return {};
          return Send(socket, std::exchange(lines, std::string()));
        });
    if (!answered || lines.empty()) return answered;
    return Send(socket, lines);
  }

  Job* job_;
  std::function<std::string(const BatchProgress&)> to_json_;
  asio::io_context context_;
  asio::local::stream_protocol::acceptor acceptor_;
  std::optional<SocketPath> path_;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::optional<BatchProgress> progress_;  // Guarded by mutex_.
};

ControlServer::ControlServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ControlServer::~ControlServer() = default;

Result<std::unique_ptr<ControlServer>> ControlServer::Start(
    const std::string& directory, Job* job,
    std::function<std::string(const BatchProgress&)> to_json) {
  auto implementation = std::make_unique<Implementation>(job, std::move(to_json));
  if (Status started = implementation->Start(directory); !started) {
    return tl::unexpected(started.error());
  }
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(implementation)));
}

void ControlServer::Publish(const BatchProgress& progress) { implementation_->Publish(progress); }

Result<ControlAnswer> AskControl(const std::string& directory, const std::string& request,
                                 const std::function<Status(const std::string&)>& consumer,
                                 size_t line_bytes_max) {
  const SocketPath path(directory);
  if (!path.valid()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("the checkpoint directory '{}' cannot be opened: {}", directory,
                            path.failure()));
  }
  asio::io_context context;
  Socket socket(context);
  boost::system::error_code error;
  socket.connect(Endpoint(path.path()), error);
  if (error) return ControlAnswer::kNobody;
  asio::write(socket, asio::buffer(request + "\n"), error);
  asio::streambuf received(line_bytes_max);
  bool has_begun = false;
  while (!error) {
    asio::read_until(socket, received, '\n', error);
    if (error) break;
    std::istream stream(&received);
    std::string line;
    std::getline(stream, line);
    if (line == kControlEndLine) return ControlAnswer::kGiven;
    if (line.starts_with(kControlErrorStart)) return tl::unexpected(ReadControlError(line));
    has_begun = true;
    if (Status taken = consumer(line); !taken) return tl::unexpected(taken.error());
  }
  if (error == asio::error::not_found) {
    return Fail(ErrorCode::kIo,
                fmt::format("the query on {}: a line of its answer is longer than {} bytes",
                            directory, line_bytes_max));
  }
  if (!has_begun) return ControlAnswer::kEnded;
  return Fail(ErrorCode::kIo,
              fmt::format("the query on {} ended while it answered: ask again", directory));
}

}  // namespace braid
