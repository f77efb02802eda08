#include "engine/library/query_run.h"

#include <fmt/format.h>

#include <utility>

#include "engine/library/guard.h"
#include "engine/session/progress_json.h"
#include "state/rows/longest_wait.h"

namespace braid {

namespace {

tl::unexpected<Error> WaitsForItself(const char* call) {
  return Fail(ErrorCode::kInvalidQuery,
              std::string(call) +
                  " on the query's own thread (in a listener or a ForEachBatch function) would "
                  "wait for itself");
}

}  // namespace

QueryRun::QueryRun(const QueryDescription& description)
    : engine_(description.engine), listeners_(description.listeners) {}

Result<std::shared_ptr<QueryRun>> QueryRun::Start(const QueryDescription& description) {
  std::shared_ptr<QueryRun> query(new QueryRun(description));
  if (Status opened = query->Open(description); !opened) return tl::unexpected(opened.error());
  // The thread has a share, so that a handle that a call of the program's lets go does not take the
  // query away under the feet of that call.
  const std::shared_ptr<QueryRun> handle(query.get(), [query](QueryRun* run) { run->Close(); });
  std::unique_lock lock(query->mutex_);
  query->thread_ = std::thread([query] { query->Main(); });
  query->changed_.wait(lock, [&] { return query->started_ || query->ended_; });
  const bool failed = query->ended_ && !query->started_ && query->error_;
  lock.unlock();
  if (failed) return tl::unexpected(*query->error_);
  return handle;
}

Status QueryRun::Open(const QueryDescription& description) {
  for (const std::shared_ptr<QueryListener>& listener : listeners_) {
    if (listener == nullptr) return Fail(ErrorCode::kInvalidOption, "a query listener is null");
  }
  Result<std::unique_ptr<Job>> job = description.Prepare();
  if (!job) return tl::unexpected(job.error());
  job_ = std::move(*job);
  if (job_->is_explain()) {
    return Fail(ErrorCode::kInvalidQuery, "EXPLAIN starts nothing: call Explain() instead");
  }
  if (Status opened = job_->Open(); !opened) return opened;
  job_->running().SetStartedListener([this] { OnStarted(); });
  job_->running().SetProgressListener(
      [this](const BatchProgress& progress) { OnProgress(progress); });
  if (!job_->settings().checkpoint) return {};
  Result<std::unique_ptr<ControlServer>> control =
      ControlServer::Start(*job_->settings().checkpoint, job_.get(), ProgressToJson);
  if (!control) return tl::unexpected(control.error());
  control_ = std::move(*control);
  return {};
}

void QueryRun::Close() {
  if (!thread_.joinable()) return;
  job_->Stop();
  if (on_own_thread()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void QueryRun::Main() {
  {
    // thread_ is set when the starting thread lets go of the lock to wait.
    const std::lock_guard lock(mutex_);
  }
  Status status = job_->Run();
  if (status && listener_error_) status = tl::unexpected(*listener_error_);
  End(std::move(status));
}

template <typename Call>
void QueryRun::TellListeners(const Call& call) {
  for (const std::shared_ptr<QueryListener>& listener : listeners_) {
    Status told = CallProgram("a query listener", [&] { call(listener.get()); });
    if (told || listener_error_) continue;
    listener_error_ = std::move(told.error());
    job_->Stop();
  }
}

void QueryRun::OnStarted() {
  identity_.id = job_->running().query_id();
  identity_.run_id = job_->running().run_id();
  identity_.name = job_->settings().name;
  TellListeners([&](QueryListener* listener) { listener->OnStarted(identity_); });
  const std::lock_guard lock(mutex_);
  started_ = true;
  changed_.notify_all();
}

void QueryRun::OnProgress(const BatchProgress& progress) {
  {
    const std::lock_guard lock(mutex_);
    if (recent_.size() == kRecentProgressMax) recent_.pop_front();
    recent_.push_back(progress);
  }
  if (control_ != nullptr) control_->Publish(progress);
  TellListeners([&](QueryListener* listener) { listener->OnProgress(progress); });
}

void QueryRun::End(Status status) {
  std::optional<Error> error;
  if (!status) error = std::move(status.error());
  bool started = false;
  {
    const std::lock_guard lock(mutex_);
    started = started_;
  }
  // Whoever was not told of a start is not told of an end.
  if (started) {
    TellListeners([&](QueryListener* listener) { listener->OnTerminated(identity_, error); });
    if (!error && listener_error_) error = listener_error_;
  }
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  ended_ = true;
  changed_.notify_all();
}

Status QueryRun::Outcome() const {
  if (error_) return tl::unexpected(*error_);
  return {};
}

void QueryRun::Stop() {
  job_->Stop();
  WaitForEnd();
}

void QueryRun::Abandon() {
  job_->Abandon();
  WaitForEnd();
}

void QueryRun::WaitForEnd() {
  if (on_own_thread()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_; });
}

Status QueryRun::AwaitTermination() {
  if (on_own_thread()) return WaitsForItself("AwaitTermination");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_; });
  return Outcome();
}

Result<bool> QueryRun::AwaitTermination(std::chrono::milliseconds timeout) {
  if (on_own_thread()) return WaitsForItself("AwaitTermination");
  std::unique_lock lock(mutex_);
  const bool ended = changed_.wait_for(lock, WaitAtMost(timeout), [&] { return ended_; });
  if (ended && error_) return tl::unexpected(*error_);
  return ended;
}

Status QueryRun::ProcessAllAvailable() {
  if (on_own_thread()) return WaitsForItself("ProcessAllAvailable");
  job_->trigger_loop().AwaitAllAvailable();
  std::unique_lock lock(mutex_);
  // The loop answers before a query that is at its end has said what it ended with.
  if (job_->trigger_loop().ended()) changed_.wait(lock, [&] { return ended_; });
  return Outcome();
}

std::optional<BatchProgress> QueryRun::last_progress() const {
  const std::lock_guard lock(mutex_);
  if (recent_.empty()) return std::nullopt;
  return recent_.back();
}

std::vector<BatchProgress> QueryRun::recent_progress() const {
  const std::lock_guard lock(mutex_);
  return {recent_.begin(), recent_.end()};
}

QueryStatus QueryRun::status() const {
  QueryStatus status;
  const std::lock_guard lock(mutex_);
  status.is_active = !ended_;
  if (ended_) {
    status.message = error_ ? "failed: " + error_->ToString() : "ended";
    return status;
  }
  const QueryActivity activity = job_->running().activity();
  status.is_trigger_active = activity.is_trigger_active;
  status.is_data_available = activity.is_data_available;
  const char* preposition = activity.phase == BatchPhase::kEvicting ? " in" : "";
  status.message = activity.phase == BatchPhase::kIdle
                       ? "waiting for the next trigger"
                       : fmt::format("{}{} batch {}", BatchPhaseName(activity.phase), preposition,
                                     activity.batch_id);
  return status;
}

std::optional<Error> QueryRun::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace braid
