// The way of a slice of rows from its source to the join, for one table: computed columns, largest
// row time, late filter, views and subqueries, WHERE of a preserved side, NULL times,
// preJoinFilter, other NULLs; then keys and times. All of it runs over whole columns.
//
// Read() needs neither watermark nor trigger time and may run ahead of the batch (on the reader's
// thread); Arrive() is told the watermark that the batch calls rows late by.
//
// Thread rule: immutable; any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/expression/evaluator.h"
#include "engine/plan/stream_plan.h"
#include "state/rows/key_word.h"

namespace braid {

enum class OnRowError : uint8_t { kFail, kDrop };

// A slice after Read: the table's columns, and what they say about time.
struct ReadRows {
  // As the source gave it, if columns are still to be made of it or it says what rows change.
  RowBatch source;
  std::vector<Column> columns;  // One a table column; empty where not needed or not made yet.
  int64_t num_rows = 0;
  std::vector<RowError> errors;  // Of computed columns, rising by row.
  // Row times past it are not believed: the row goes on as others do, but moves no watermark.
  std::optional<EventTime> latest_believed;
  int64_t num_ahead = 0;  // Rows with such a time.
  // Of the watermarked column; absent without such rows.
  std::optional<EventTime> min_time;
  // The same of the row times that are believed.
  std::optional<EventTime> max_time;
  // About the middle one of them: single rows far off do not move it.
  std::optional<EventTime> typical_time;
  int64_t time_count = 0;
  double time_sum_micros = 0;  // For an average only.
};

// Rows of a slice that do not go on as others do.
struct ArrivalCounts {
  int64_t late = 0;
  int64_t null_time = 0;  // Cannot match for a NULL time.
  int64_t null_key = 0;   // Cannot match for a NULL key; those with a NULL time are not among them.
  int64_t dropped_for_errors = 0;

  void Add(const ArrivalCounts& other);
};

// A slice after Arrive: dense, every row goes on.
struct Arrivals {
  std::vector<Column> columns;  // The side's columns; empty where nobody needs them.
  int64_t num_rows = 0;
  std::vector<int32_t> rows;  // Which read row each one is, rising; empty when all go on.
  KeyWords keys;
  std::vector<Column> key_columns;  // For hashed keys.
  std::optional<Column> time;       // int64 microseconds, may be NULL.
  std::vector<Column> payload;      // What is stored.

  // Rows that cannot match, the side's columns of them: emitted null-padded at once (of sides that
  // pad), or reported (where the plan reports unmatched rows). Otherwise they are forgotten.
  std::vector<Column> unmatched_columns;
  int64_t num_unmatched = 0;

  // Late rows, the table's columns of them, if InputPlan::reports_late.
  std::vector<Column> late_columns;
  int64_t num_late = 0;

  ArrivalCounts counts;
};

class ArrivalStage {
 public:
  // For one side of a join.
  static Result<ArrivalStage> ForJoin(const JoinPlan& plan, Side side);
  // Without a join: all columns, no keys.
  static Result<ArrivalStage> ForSingle(const InputPlan& input);

  // What a clock that shows the watermarked column's times shows at `now`: of a column without
  // zone, one in the session zone.
  EventTime ClockTime(EventTime now, const EvaluationContext& context) const;

  // `rows` holds the columns of InputPlan::read_columns. Row times past `latest_believed` move no
  // watermark.
  ReadRows Read(const RowBatch& rows, const EvaluationContext& context,
                std::optional<EventTime> latest_believed = {}) const;

  // Rows at or below `late` are late. Fails on a row error under kFail.
  Result<Arrivals> Arrive(const ReadRows& rows, std::optional<Watermark> late, OnRowError on_error,
                          const EvaluationContext& context) const;

 private:
  struct Step {
    std::optional<Evaluator> filter;
    std::vector<Evaluator> projection;
  };
  class Pass;

  ArrivalStage() = default;
  static Result<ArrivalStage> ForInput(const InputPlan& input);
  // A column of the table; its errors go to *context.
  Column MakeTableColumn(size_t index, const RowBatch& rows, EvaluationContext* context) const;

  std::string alias_;
  std::vector<std::optional<Evaluator>> table_columns_;
  // Columns that ask for PROCTIME(): made by Arrive, when the batch's trigger time is known.
  std::vector<int> processing_time_columns_;
  // Made for a table beside the result alone: no error of theirs is one of the query.
  std::vector<int> report_only_columns_;
  int watermark_column_ = -1;
  bool has_local_times_ = false;  // The watermarked column is a TIMESTAMP without zone.
  std::vector<Step> steps_;

  std::optional<Evaluator> where_;
  std::vector<int> null_time_columns_;
  std::optional<Evaluator> pre_join_filter_;
  std::vector<int> null_key_columns_;  // Keys that are plain columns and match no NULL.
  std::vector<int> null_rejecting_columns_;
  bool pads_ = false;
  bool keeps_unmatched_ = false;  // Rows that cannot match are given on.
  bool reports_late_ = false;
  bool joins_ = false;
  std::vector<Evaluator> keys_;
  std::vector<uint8_t> null_safe_keys_;
  bool hashed_keys_ = false;
  std::vector<TimeTerm> time_;
  std::vector<Evaluator> payload_;
};

}  // namespace braid
