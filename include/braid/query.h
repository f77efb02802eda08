// A started query. The query runs on threads of its own until its inputs end, it fails, or it is
// stopped; this is the handle to it.
//
// Ownership: a handle that can be moved. Its destructor stops the query and waits for its end; on
// the query's own thread (in a listener or a ForEachBatch function) it does not wait, and the query
// ends after the call.
// Thread rule: any thread, any number of them at the same time; not the destructor and moves.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/export.h"
#include "braid/progress.h"

namespace braid {

class QueryRun;  // The query's own.

struct QueryStatus {
  bool is_active = false;          // It has not ended.
  bool is_trigger_active = false;  // A batch is being planned or run.
  bool is_data_available = false;  // The last trigger found new input.
  std::string message;             // "waiting for the next trigger", "joining batch 7" …
};

class BRAID_EXPORT Query {
 public:
  Query(Query&& other) noexcept;
  Query& operator=(Query&& other) noexcept;
  ~Query();

  const std::string& id() const;      // Survives restarts with the same checkpoint.
  const std::string& run_id() const;  // Of this run.
  const std::string& name() const;    // pipeline.name
  // Unwise or without effect, but accepted: for people to read.
  const std::vector<std::string>& warnings() const;
  const std::vector<std::string>& notes() const;

  // Ends the query after the running batch, and waits until it has; a source or sink that waits for
  // the world is interrupted, and its batch comes again at a restart. On the query's own thread
  // (from a listener or a ForEachBatch function) it does not wait. What the query ended with is
  // AwaitTermination's and Error's to say; the stop itself is no error.
  void Stop();

  // The same at once, without the running batch: nothing of it is committed, as after a kill; with
  // a checkpoint the next run runs it again, without one its rows are gone. A batch that is being
  // committed already is. Source, sink and functions of the program's are waited for.
  void Abandon();

  // Waits for the end. The error the query failed with, or none.
  braid::Status AwaitTermination();
  // The same for at most `timeout`. False: it runs on.
  Result<bool> AwaitTermination(std::chrono::milliseconds timeout);

  // Waits until all rows that were there at the call (pushed to a stream, lying in files) have been
  // joined and committed; the batches that takes run at once, whatever the trigger. For tests: with
  // rows that never stop coming it never returns. Fails with the query's error; kInvalidQuery on
  // the query's own thread.
  braid::Status ProcessAllAvailable();

  // Of the newest committed batch; absent before the first.
  std::optional<BatchProgress> LastProgress() const;
  // Of the newest batches, oldest first, at most 100.
  std::vector<BatchProgress> RecentProgress() const;

  QueryStatus Status() const;
  // Why it ended; absent while it runs and after a good end.
  std::optional<braid::Error> Error() const;

 private:
  friend class QueryBuilder;
  explicit Query(std::shared_ptr<QueryRun> run);

  std::shared_ptr<QueryRun> run_;
};

}  // namespace braid
