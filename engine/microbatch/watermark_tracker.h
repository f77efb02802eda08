// The watermarks of a query: one a table, and the query's own, which a batch runs with.
//
// Rules (docs/semantics.md, "Watermark"): a table's watermark is max(row time) - delay, floored to
// a millisecond, and never goes back. The query's is the minimum (or maximum) over the tables that
// have one; under `min`, a table that has shown no row time holds it unset. It is computed after a
// batch and applies from the next one; rows are late against the one of the batch before.
//
// Idle tables (docs/semantics.md, "Idle tables"): under `min`, a table with an idle time-out that
// gave no row for so long is left out. When no table is left that could hold the watermark back,
// it is the largest that any table has shown. A row brings its table back; the query's watermark
// stays where it is until the minimum is above it again.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/time.h"
#include "state/batch_log.h"

namespace braid {

enum class WatermarkPolicy : uint8_t { kMin, kMax };

class WatermarkTracker {
 public:
  struct Table {
    std::string name;
    Interval delay;
    std::optional<Interval> idle_timeout = {};  // Absent: never idle.
  };

  WatermarkTracker(std::vector<Table> tables, WatermarkPolicy policy);

  // A row time that table `table` (index into the constructor's list) has shown.
  void Observe(size_t table, EventTime time);
  // The table has been read up to about this row time (ReadRows::typical_time).
  void Reach(size_t table, EventTime time) { states_[table].reached = time; }

  // The table has ended and, under execution.end-of-input = flush, no longer holds the query back.
  void Finish(size_t table);

  // Idleness begins anew at `now`: at the start of a run, whatever the run before had found.
  void BeginIdleness(EventTime now);
  // The table gave rows at `now`, or nobody knows that it had none to give.
  void NoteActive(size_t table, EventTime now);
  // The table had nothing to give at `now`. It is idle if that has been so for its time-out.
  void NoteSilent(size_t table, EventTime now);
  bool idle(size_t table) const { return states_[table].idle; }

  // The next batch runs with it; absent: unset.
  std::optional<Watermark> current() const { return current_; }
  // The one of the batch before: rows at or below it are late.
  std::optional<Watermark> late() const { return late_; }

  // Ends a batch: what was current becomes the mark for late rows, and the next current is
  // computed.
  void Advance();
  // Between batches: computes the next current again, since tables have become idle.
  void Recompute();
  // A batch that an earlier run planned runs with this one, which the watermark may not fall below.
  void RaiseTo(Watermark watermark);

  // True if the watermark moved since the last batch began: a no-data batch is due.
  bool moved() const { return current_ != late_; }

  std::optional<EventTime> max_time(size_t table) const { return states_[table].max_time; }
  std::optional<EventTime> reached(size_t table) const { return states_[table].reached; }
  std::optional<Watermark> table_watermark(size_t table) const;
  // The table whose watermark is the query's next one; absent if there is none, as when all are
  // idle. The first of several that agree.
  std::optional<size_t> holding_back() const;

  // For the commit log, and back from it. Tables are found by name; unknown names are forgotten.
  std::vector<TableWatermark> Save() const;
  void Restore(const BatchCommit& commit);

 private:
  struct State {
    std::optional<EventTime> max_time;
    std::optional<EventTime> reached;
    // From an earlier run; counts even if the delay was changed since: it never goes back.
    std::optional<Watermark> restored;
    bool finished = false;
    bool idle = false;
    EventTime active;  // Clock time up to which it counts as active.
  };

  // Whether the minimum takes no notice of the table.
  bool left_out(size_t table) const { return states_[table].finished || states_[table].idle; }
  std::optional<Watermark> Smallest() const;
  std::optional<Watermark> Largest() const;
  std::optional<Watermark> Combine() const;

  std::vector<Table> tables_;
  WatermarkPolicy policy_;
  std::vector<State> states_;
  std::optional<Watermark> current_;
  std::optional<Watermark> late_;
};

}  // namespace braid
