// The watermarks of a query: one a table, and the query's own, which a batch runs with.
//
// Rules (docs/semantics.md, "Watermark"): a table's watermark is max(row time) - delay, floored to
// a millisecond, and never goes back. The query's is the minimum (or maximum) over the tables that
// have one; under `min`, a table that has shown no row time holds it unset. It is computed after a
// batch and applies from the next one; rows are late against the one of the batch before.
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
  };

  WatermarkTracker(std::vector<Table> tables, WatermarkPolicy policy);

  // A row time that table `table` (index into the constructor's list) has shown.
  void Observe(size_t table, EventTime time);

  // The table has ended and, under execution.end-of-input = flush, no longer holds the query back.
  void Finish(size_t table);

  // The next batch runs with it; absent: unset.
  std::optional<Watermark> current() const { return current_; }
  // The one of the batch before: rows at or below it are late.
  std::optional<Watermark> late() const { return late_; }

  // Ends a batch: what was current becomes the mark for late rows, and the next current is
  // computed.
  void Advance();

  // True if the last Advance moved the watermark: a no-data batch is due.
  bool moved() const { return current_ != late_; }

  std::optional<EventTime> max_time(size_t table) const { return states_[table].max_time; }
  std::optional<Watermark> table_watermark(size_t table) const;
  // The table whose watermark is the query's next one; absent if there is none or several agree.
  std::optional<size_t> holding_back() const;

  // For the commit log, and back from it. Tables are found by name; unknown names are forgotten.
  std::vector<TableWatermark> Save() const;
  void Restore(const BatchCommit& commit);

 private:
  struct State {
    std::optional<EventTime> max_time;
    // From an earlier run; counts even if the delay was changed since: it never goes back.
    std::optional<Watermark> restored;
    bool finished = false;
  };

  std::optional<Watermark> Combine() const;

  std::vector<Table> tables_;
  WatermarkPolicy policy_;
  std::vector<State> states_;
  std::optional<Watermark> current_;
  std::optional<Watermark> late_;
};

}  // namespace braid
