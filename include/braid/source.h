// Where rows come from. A source is a sequence of rows with an offset after each slice of them.
// What an offset says is the source's own affair: a short text, good in another process too, that
// is not empty (empty stands for the beginning) and differs from slice to slice.
//
// Life: KeepIn if there is a checkpoint; Replay if a crash left a planned batch; Open once, with
// the end of what was committed or replayed; then Next as often as wanted. A batch is a range
// (start, end] of offsets, from the end of the batch before to that of its last slice; Replay gives
// exactly the rows of a planned range again. Commit says that rows up to an offset will never be
// asked for again. examples/custom_source is one in full.
//
// Thread rule: one thread at a time (not always the same), but Commit, latest_offset and Interrupt
// from any thread, also while another one reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/export.h"
#include "braid/row_batch.h"

namespace braid {

// Rows right after the ones given before, up to and including offset `end`.
struct SourceSlice {
  // The columns that the factory was asked for (read_columns), in that order and of the table's
  // types; their names do not matter. May have no rows (only bad ones).
  RowBatch rows;
  std::string end;  // Offset after them; not empty.
  // Raw input, of sources that cannot be read again; empty otherwise. Those of a batch's slices are
  // put together in order and kept with its plan, if there is a checkpoint.
  std::string replay;
  // Of input, decompressed: what the limits count; 0: that of the rows.
  int64_t num_bytes = 0;
  int64_t num_files = 0;  // Files that the slice ended; 0 for sources without files.
  int64_t num_bad_records = 0;
};

// What Next found.
struct SourceNext {
  enum class Kind : uint8_t {
    kSlice,    // `slice` is set.
    kNothing,  // Nothing new now; more may come.
    kEnd,      // A finite source has given everything.
  };
  Kind kind = Kind::kNothing;
  SourceSlice slice;
};

struct SliceLimits {
  int64_t bytes_max = 0;  // The slice may exceed it only if one record does. 0 = no limit.
  bool one_file = false;  // The slice ends where a file ends.
};

// How much one trigger takes from a source at most (source.max-bytes-per-trigger,
// source.max-files-per-trigger); 0 = no limit, but a program's source that names neither is taken 4
// MiB at a time. At least one slice is taken; a batch ends before its limits where Next says
// kNothing or kEnd.
struct TriggerLimits {
  int64_t bytes_max = 0;
  int64_t files_max = 0;
};

class BRAID_EXPORT Source {
 public:
  virtual ~Source() = default;

  virtual TriggerLimits trigger_limits() const { return {}; }

  // What is read, as an absolute normalised path or pattern (file_location.h); empty for sources
  // that read no files. A query that writes where it reads is refused.
  virtual std::string location() const { return {}; }

  // The file in which it keeps bad records, in the same form; empty if it keeps none.
  virtual std::string bad_records_location() const { return {}; }

  // A directory of the checkpoint, this source's own, in which it may keep files that its offsets
  // refer to; it need not exist yet. Called before all else when the query has a checkpoint: then
  // the same directory comes with every restart. Without it, offsets are good for one run only.
  virtual void KeepIn(const std::string& /*directory*/) {}

  // For status and progress: "FileSource[examples/flights/data]".
  virtual std::string description() const = 0;

  // True if it ends by itself; then Next gives kEnd at last.
  virtual bool is_finite() const = 0;

  // True if it may give kinds other than +I (RowBatch::change_kind); joins with a time bound and
  // micro-batch mode refuse such a table.
  virtual bool gives_changes() const { return false; }

  // False if what was given cannot be given again: a query with a checkpoint refuses the source.
  virtual bool can_replay() const { return true; }

  // Begins after `start` (empty: at the beginning). kNotFound if what follows it is gone.
  virtual Status Open(const std::string& start) = 0;

  // Called before Open. A source that learns of new rows by itself may call `listener`, from any
  // thread, once Next can give them: an idle query then asks it at once instead of within two
  // milliseconds. The listener returns soon and may be called as long as the source lives.
  virtual void SetRowsListener(std::function<void()> /*listener*/) {}

  // From now on rows that appear later are not given: Next ends with kEnd at what exists now. Comes
  // after Open, before Next, if the trigger was chosen to be available-now.
  virtual Status StopAtLatest() = 0;

  // The next slice. Waits at most until something is known; does not wait for rows to come: with
  // kNothing it is asked again at the next trigger, or after two milliseconds (SetRowsListener: or
  // sooner). Not called after kEnd or an error.
  virtual Result<SourceNext> Next(const SliceLimits& limits) = 0;

  // Gives the rows of (start, end] again, in any number of slices; the last one's end is `end`.
  // `replay` is what was logged for the range. Whatever `consumer` gives back goes back to the
  // caller.
  virtual Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                        const std::function<Status(SourceSlice)>& consumer) = 0;

  // Rows up to `end` are safe: their batch is committed.
  virtual Status Commit(const std::string& end) = 0;

  // The query is being stopped: a Next that waits returns soon, as do later ones, with kNothing or
  // with kCancelled, which is then no failure. From any thread, also more than once.
  virtual void Interrupt() {}

  // For progress: the newest offset that is known to exist; empty if unknown.
  virtual std::string latest_offset() const { return {}; }

  // For progress: bytes of input that are known to wait and that no slice has given yet; absent if
  // unknown.
  virtual std::optional<int64_t> backlog_bytes() const { return std::nullopt; }
};

}  // namespace braid
