// A query that runs trigger by trigger, in either mode: what the trigger loop, the command and the
// library know of it. In micro-batch mode a trigger runs a batch; in per-record mode it runs
// records up to the next checkpoint, and a "batch" is what lies between two of them.
//
// Errors: after an error the query is over; what was committed stands, and a new query on the same
// store goes on from there.
// Thread rule: one thread at a time; Interrupt and activity from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "braid/error.h"
#include "braid/progress.h"
#include "braid/query_activity.h"
#include "braid/time.h"

namespace braid {

class VersionedStore;

enum class EndOfInput : uint8_t { kHold, kFlush };

// What is in the way of the last rows (execution.end-of-input = hold).
struct WaitingRows {
  int64_t rows[2] = {0, 0};            // Left, right: stored rows.
  std::optional<Watermark> needed[2];  // The oldest row of the side leaves at this watermark.
  std::optional<Watermark> watermark;  // The query's watermark now.
  std::string held_back_by;            // The table that it waits for; empty if there is none.
  bool holder_has_row_time = false;    // Whether that table has shown one yet.
  Interval holder_delay;               // Of that table's watermark.
};

class TriggeredQuery {
 public:
  enum class Ran : uint8_t {
    kBatches,  // Something was read and committed, or what an earlier run left.
    kNothing,  // No new input.
    kEnd,      // All sources have ended and everything is done.
  };

  virtual ~TriggeredQuery() = default;

  // Loads the last committed state, opens sources and sink, runs what a crash left planned.
  // kConflict if the store belongs to another query; the message says what differs.
  virtual Status Start() = 0;

  // One trigger, up to its commit.
  virtual Result<Ran> RunTrigger() = 0;

  // Commits what RunTrigger has left open, so that all that was read is visible.
  virtual Status Settle() = 0;

  // After the last trigger of a run that did not fail: settles, and closes the sink.
  virtual Status Finish() = 0;

  // Makes a source or a sink that waits return soon. From any thread.
  virtual void Interrupt() = 0;

  // The running batch fails with kCancelled soon, and with it the query. What it did is as after a
  // kill: not committed, so that the next run on the store runs it again. From any thread; with
  // Interrupt, for what waits.
  virtual void Abandon() = 0;

  // Called, from any thread and also after the query's end, when a source may have new rows. Before
  // Start. Not all sources tell.
  virtual void SetRowsListener(const std::function<void()>& listener) = 0;
  // Called once by Start, on its thread: state is loaded, and sources and sink are open or, after a
  // crash, the batch it left is about to run again.
  virtual void SetStartedListener(std::function<void()> listener) = 0;
  // Called after each commit, on the thread that runs.
  virtual void SetProgressListener(std::function<void(const BatchProgress&)> listener) = 0;

  virtual const std::string& query_id() const = 0;
  virtual const std::string& run_id() const = 0;
  virtual bool limit_reached() const = 0;
  virtual int num_partitions() const = 0;
  virtual WaitingRows waiting() const = 0;
  // What it is doing. From any thread.
  virtual QueryActivity activity() const = 0;
  // The newest committed batch; absent before the first.
  virtual std::optional<int64_t> last_batch() const = 0;
  // True once the flush is committed, also by an earlier run: the store takes no more rows.
  virtual bool is_flushed() const = 0;
};

// The error of a run whose checkpoint was finished with flush, when `table` has rows all the same.
// `checkpoint`: its directory. Names the newest version that `store` retains whose watermark no end
// of a table has moved.
tl::unexpected<Error> RefuseInputAfterFlush(const std::string& table, const std::string& checkpoint,
                                            VersionedStore* store);

}  // namespace braid
