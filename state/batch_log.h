// The two records of a batch: its plan, written before it runs (the offset log), and its commit,
// written with the state (the commit log). Sources are named, not numbered, so that they survive a
// changed order of tables.
//
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  std::string extension;  // What the mode keeps beside, in a form of its own; empty in micro-batch.

  friend bool operator==(const BatchPlan&, const BatchPlan&) = default;
};

struct TableWatermark {
  std::string table;
  std::optional<EventTime> max_time;      // Largest row time seen; absent: none yet.
  std::optional<Watermark> watermark;     // max_time - delay.
  std::optional<EventTime> reached = {};  // Where reading stands in event time; absent: unknown.

  friend bool operator==(const TableWatermark&, const TableWatermark&) = default;
};

struct BatchCommit {
  int64_t batch_id = 0;
  bool no_data = false;
  std::optional<Watermark> watermark;       // The batch ran with it.
  std::optional<Watermark> next_watermark;  // The next batch runs with it.
  std::vector<TableWatermark> tables;
  // One a side of the store's identity, and at least two: left and right of each join, the joins
  // one after the other. The eviction threshold that state was cleaned with; absent: never.
  std::vector<std::optional<EventTime>> thresholds = std::vector<std::optional<EventTime>>(2);
  std::vector<int64_t> num_state_rows = std::vector<int64_t>(2);
  bool finished = false;  // Flushed: there is nothing to go on with.
  // Later batches were given up: what they published stands until a run removes it.
  bool rolled_back = false;
  std::vector<std::string> source_ends_table;  // Names and end offsets of all sources so far,
  std::vector<std::string> source_ends;        // also of those this batch did not read.
  std::string extension;  // What the mode keeps beside, in a form of its own; empty in micro-batch.

  // Where reading of a table ended; null if the commit says nothing about it.
  const std::string* source_end(std::string_view table) const {
    for (size_t i = 0; i < source_ends_table.size(); ++i) {
      if (source_ends_table[i] == table) return &source_ends[i];
    }
    return nullptr;
  }

  // Of a side that the commit says nothing about: none.
  std::optional<EventTime> threshold(size_t side) const {
    return side < thresholds.size() ? thresholds[side] : std::nullopt;
  }
};

}  // namespace braid
