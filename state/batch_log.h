// The two records of a batch: its plan, written before it runs (the offset log), and its commit,
// written with the state (the commit log). Sources are named, not numbered, so that they survive a
// changed order of tables.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/time.h"

namespace braid {

struct OffsetRange {
  std::string table;
  std::string start;   // Exclusive; empty: from the beginning. What it says is the source's affair.
  std::string end;     // Inclusive.
  std::string replay;  // Raw input of a source that cannot be read again; empty otherwise.

  friend bool operator==(const OffsetRange&, const OffsetRange&) = default;
};

struct BatchPlan {
  int64_t batch_id = 0;
  bool no_data = false;                     // Follows a moved watermark; reads nothing.
  bool flush = false;                       // The last one: watermark at +infinity.
  std::optional<Watermark> watermark;       // The batch runs and evicts with it; absent: unset.
  std::optional<Watermark> late_watermark;  // Of the previous batch: rows at or below it are late.
  EventTime processing_time;                // What PROCTIME() gives.
  std::vector<OffsetRange> sources;

  friend bool operator==(const BatchPlan&, const BatchPlan&) = default;
};

struct TableWatermark {
  std::string table;
  std::optional<EventTime> max_time;   // Largest row time seen; absent: none yet.
  std::optional<Watermark> watermark;  // max_time - delay.

  friend bool operator==(const TableWatermark&, const TableWatermark&) = default;
};

struct BatchCommit {
  int64_t batch_id = 0;
  bool no_data = false;
  std::optional<Watermark> watermark;       // The batch ran with it.
  std::optional<Watermark> next_watermark;  // The next batch runs with it.
  std::vector<TableWatermark> tables;
  // Left, right: the eviction threshold that state was cleaned with; absent: never.
  std::optional<EventTime> thresholds[2];
  int64_t num_state_rows[2] = {0, 0};
  bool finished = false;                       // Flushed: there is nothing to go on with.
  std::vector<std::string> source_ends_table;  // Names and end offsets of all sources so far,
  std::vector<std::string> source_ends;        // also of those this batch did not read.
};

}  // namespace braid
