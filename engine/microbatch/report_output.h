// Writes the rows of late-rows.table or of unmatched-rows.table: makes the columns that the plan
// says and gives them to the table's sink. Both modes use it; whoever calls decides which rows.
//
// Ownership: plan and sink are borrowed.
// Thread rule: Write from any number of threads, each with a partition of its own; all else by one
// thread while nobody writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/error.h"
#include "braid/row_batch.h"
#include "braid/sink.h"
#include "braid/time.h"
#include "engine/expression/evaluator.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/plan/row_report.h"

namespace braid {

struct ReportedRows {
  size_t input = 0;  // RowReport::inputs: 0 for left or the only one, 1 for right.
  // As RowReport::Input says; those that are not needed may be empty.
  std::span<const Column> columns;
  int64_t num_rows = 0;
  // The rows' times, where the plan has no column of them (processing time): of row_time_type.
  const Column* row_times = nullptr;
  // The one that made the rows late or let them leave; unset and infinity become NULL.
  std::optional<Watermark> watermark;
  // Instead: one a row, where they came under different ones. One entry a row, or none.
  std::span<const std::optional<Watermark>> watermarks = {};
  std::optional<int64_t> batch_id;
};

class ReportOutput {
 public:
  static Result<std::unique_ptr<ReportOutput>> Create(const RowReport& plan, Sink* sink,
                                                      OnRowError on_error);

  // Columns that the report reads of a row of an input, rising.
  const std::vector<int>& needed_columns(size_t input) const { return plan_.inputs[input].needed; }

  // Counts from zero.
  void BeginBatch() {
    num_rows_ = 0;
    num_row_errors_ = 0;
  }

  // Writes the rows to `partition` of the sink; `context` gives the session zone. Under kDrop a row
  // with a value that does not fit its column is dropped and counted; else it fails.
  Status Write(int partition, const ReportedRows& rows, const EvaluationContext& context);

  int64_t num_rows() const { return num_rows_.load(); }
  int64_t num_row_errors() const { return num_row_errors_.load(); }

 private:
  ReportOutput(const RowReport& plan, Sink* sink, OnRowError on_error)
      : plan_(plan), sink_(sink), on_error_(on_error) {}

  // The columns of the rows and, behind them, what is known of them (ReportFact).
  std::vector<Column> WithFacts(const ReportedRows& rows) const;

  const RowReport& plan_;
  std::shared_ptr<const Schema> schema_;
  Sink* sink_;
  OnRowError on_error_;
  std::vector<std::vector<Evaluator>> evaluators_;  // One an input and column.
  std::atomic<int64_t> num_rows_{0};
  std::atomic<int64_t> num_row_errors_{0};
};

}  // namespace braid
