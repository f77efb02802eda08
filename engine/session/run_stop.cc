#include "engine/session/run_stop.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/session/control_server.h"
#include "state/lock_holder.h"

namespace braid {

namespace {

using std::chrono::steady_clock;

// Where the file system does not tell of changes, they are looked for so often.
constexpr std::chrono::milliseconds kLookAgain{500};

// Who holds a checkpoint, and when that may have changed.
class CheckpointLock {
 public:
  explicit CheckpointLock(const std::string& directory)
      : location_(directory + "/state"), events_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    constexpr uint32_t kChanges = IN_CREATE | IN_DELETE | IN_CLOSE_WRITE;
    inotify_add_watch(events_, directory.c_str(), kChanges);
    inotify_add_watch(events_, (directory + "/state").c_str(), kChanges);
  }
  ~CheckpointLock() {
    if (events_ >= 0) close(events_);
  }
  CheckpointLock(const CheckpointLock&) = delete;
  CheckpointLock& operator=(const CheckpointLock&) = delete;

  // Absent: nobody does.
  std::optional<pid_t> Holder() const { return LockHolder(location_); }

  // Until a file of the checkpoint comes, goes or is closed after writing, or the time is there.
  void WaitForChange(steady_clock::time_point deadline) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    pollfd waiting = {events_, POLLIN, 0};
    poll(&waiting, 1, static_cast<int>(std::clamp(left, {}, kLookAgain).count()));
    std::array<char, 4096> told;
    while (read(events_, told.data(), told.size()) > 0) {
    }
  }

 private:
  const std::string location_;
  const int events_;
};

Status Unreachable(const std::string& directory, pid_t holder) {
  return Fail(ErrorCode::kConflict,
              fmt::format("process {} holds the checkpoint in {} and does not answer on its "
                          "control.sock; stop it by a signal (kill {})",
                          holder, directory, holder));
}

}  // namespace

Status StopRunOn(const std::string& directory, const RunStop& how) {
  const CheckpointLock lock(directory);
  const std::string request = how.now ? "{\"command\":\"abandon\"}" : "{\"command\":\"stop\"}";
  const auto ask = [&](const std::string& line) {
    return AskControl(directory, line, [](const std::string&) -> Status { return {}; });
  };
  auto deadline = steady_clock::now() + how.patience;
  while (true) {
    const Result<ControlAnswer> asked = ask(request);
    if (!asked) return tl::unexpected(asked.error());
    if (*asked != ControlAnswer::kNobody) break;
    const std::optional<pid_t> holder = lock.Holder();
    if (!holder) {
      return Fail(ErrorCode::kNotFound,
                  fmt::format("no query runs on {}: there is nothing to stop", directory));
    }
    if (steady_clock::now() >= deadline) return Unreachable(directory, *holder);
    lock.WaitForChange(deadline);
  }
  // As long as the batch takes. A program may keep the checkpoint open after the query's end.
  deadline = steady_clock::now() + how.patience;
  while (lock.Holder()) {
    const Result<ControlAnswer> listens = ask("{\"command\":\"progress\"}");
    if (!listens && listens.error().code != ErrorCode::kIo) break;
    const auto now = steady_clock::now();
    if (listens && *listens == ControlAnswer::kGiven) deadline = now + how.patience;
    if (now >= deadline) break;
    lock.WaitForChange(deadline);
  }
  return {};
}

}  // namespace braid
