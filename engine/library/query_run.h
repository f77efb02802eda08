// A query that runs: its job on a thread of its own, its listeners, and what it has said of itself.
// Query is the handle to it.
//
// Ownership: owns the job; shares the engine's state and the listeners. It lives as long as its
// handle and its thread, whichever is longer; the handle's end stops it.
// Thread rule: as braid/query.h.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "braid/error.h"
#include "braid/progress.h"
#include "braid/query.h"
#include "braid/query_listener.h"
#include "engine/library/query_description.h"
#include "engine/session/control_server.h"
#include "engine/session/job.h"

namespace braid {

class QueryRun {
 public:
  // Returns once state is loaded and the tables are open, or with what was in the way.
  // When what is given back is let go, the query is stopped and its end is awaited, but not on its
  // own thread.
  static Result<std::shared_ptr<QueryRun>> Start(const QueryDescription& description);
  QueryRun(const QueryRun&) = delete;
  QueryRun& operator=(const QueryRun&) = delete;

  const QueryListener::Identity& identity() const { return identity_; }
  const std::vector<std::string>& warnings() const { return job_->warnings(); }
  const std::vector<std::string>& notes() const { return job_->notes(); }

  void Stop();
  void Abandon();
  Status AwaitTermination();
  Result<bool> AwaitTermination(std::chrono::milliseconds timeout);
  Status ProcessAllAvailable();

  std::optional<BatchProgress> last_progress() const;
  std::vector<BatchProgress> recent_progress() const;
  QueryStatus status() const;
  std::optional<Error> error() const;

 private:
  static constexpr size_t kRecentProgressMax = 100;

  explicit QueryRun(const QueryDescription& description);

  Status Open(const QueryDescription& description);
  void Main();
  void Close();
  void WaitForEnd();  // Not on the own thread.
  void OnStarted();
  void OnProgress(const BatchProgress& progress);
  void End(Status status);
  // Calls every listener; the first that throws ends the query.
  template <typename Call>
  void TellListeners(const Call& call);
  bool on_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }
  Status Outcome() const;  // REQUIRES: mutex_ is held.

  const std::shared_ptr<EngineState> engine_;
  const std::vector<std::shared_ptr<QueryListener>> listeners_;
  std::unique_ptr<Job> job_;
  std::unique_ptr<ControlServer> control_;  // With a checkpoint.
  QueryListener::Identity identity_;        // Set before started_.
  std::optional<Error> listener_error_;     // Of the query's thread alone.

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;  // Guarded by mutex_, as all below.
  bool ended_ = false;
  std::optional<Error> error_;
  std::deque<BatchProgress> recent_;

  std::thread thread_;
};

}  // namespace braid
