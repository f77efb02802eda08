// Reads one table of the join to its end, a slice at a time: how late its rows are, when they lie,
// which of them cannot match, and what a stored one costs; the rows that can match go to a sorter.
//
// Lateness of a row: the largest row time read before it minus its own; of a table with a watermark
// that of every row read, whatever filter follows, as in a run.
//
// Ownership: owns the source; sorter and filter are borrowed.
// Thread rule: one thread; the source is read ahead by a thread of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "braid/error.h"
#include "braid/source.h"
#include "engine/advise/pair_filter.h"
#include "engine/advise/row_cost.h"
#include "engine/advise/row_sorter.h"
#include "engine/advise/time_distribution.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/microbatch/slice_reader.h"
#include "engine/plan/stream_plan.h"

namespace braid {

struct TableReading {
  int64_t num_rows = 0;  // Read.
  int64_t num_joined_rows =
      0;  // Of them, those that can match: filters passed, key and time known.
  int64_t num_bad_records = 0;
  int64_t num_bytes = 0;
  ArrivalCounts counts;
  std::optional<EventTime> first_time;  // Of the rows that can match.
  std::optional<EventTime> last_time;
  // Of all rows with a time; -1 us stands for every row that is newer than all before it.
  TimeDistribution lateness;
};

class TableReader {
 public:
  struct Options {
    const TimeZone* zone = nullptr;
    OnRowError on_error = OnRowError::kFail;
    size_t exact_max = TimeDistribution::kExactMax;
    SliceReader::Belief belief;  // Times that are not believed make no later row late.
    bool until_latest = false;   // Of a source that does not end: what exists now.
    RowSorter* sorter = nullptr;
    PairFilter* filter = nullptr;  // Null for none.
  };

  static Result<std::unique_ptr<TableReader>> Create(const JoinPlan& plan, Side side,
                                                     std::unique_ptr<Source> source,
                                                     const Options& options);

  Status Start();

  // Reads a slice, if there is one: kSlice, kNothing or kEnd.
  Result<SliceReader::Found> ReadNext();

  const TableReading& reading() const { return reading_; }
  double bytes_per_row() const { return cost_.bytes_per_row(); }

  // Rows that can match in a second of event time, on average; 0 if they span no time. With many
  // rows the first and the last 0.5 % of a sample are left out: a row of a wrong clock would
  // stretch the span.
  double rows_per_second() const;

 private:
  TableReader(const JoinPlan& plan, Side side, ArrivalStage stage, const Options& options);

  void MeasureLateness(const Column& times, std::optional<EventTime> latest_believed);
  Status TakeRows(const Arrivals& arrivals);

  Side side_;
  Options options_;
  ArrivalStage stage_;
  int watermark_column_ = -1;
  EvaluationContext context_;
  std::unique_ptr<SliceReader> reader_;
  TableReading reading_;
  RowCost cost_;
  std::optional<int64_t> newest_;   // Row time so far.
  std::optional<int64_t> origin_;   // Time of the first row that can match.
  TimeDistribution sampled_times_;  // From origin_.
  std::vector<int64_t> records_;
};

}  // namespace braid
