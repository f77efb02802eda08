// The last steps of a row: WHERE over joined and padded rows, the SELECT list, LIMIT, the sink.
//
// Thread rule: one RowOutput a partition, used by one thread at a time; the OutputPlan they share
// is immutable but for its atomic row budget.
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
#include "engine/expression/evaluator.h"
#include "engine/microbatch/activity_recorder.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/plan/stream_plan.h"

namespace braid {

// Columns of the rows that WHERE and the SELECT list see: of both sides, or of the left one alone,
// or of the one input.
int NumJoinedColumns(const StreamPlan& plan);

// What all partitions share.
class OutputPlan {
 public:
  // `appended`: a column that stands behind the joined ones and is written behind the SELECT list;
  // null for none.
  static Result<std::unique_ptr<OutputPlan>> Create(const StreamPlan& plan, OnRowError on_error,
                                                    const Field* appended = nullptr);

  // Columns of the joined row that WHERE or the SELECT list reads, rising; not the appended one.
  const std::vector<int>& needed_columns() const { return needed_columns_; }
  int num_columns() const { return num_columns_; }

  // True once LIMIT rows were written: the query may stop.
  bool limit_reached() const { return limited_ && remaining_.load() <= 0; }

 private:
  friend class RowOutput;
  OutputPlan() = default;

  std::shared_ptr<const Schema> schema_;
  std::optional<Evaluator> where_;
  std::vector<Evaluator> projections_;
  std::vector<int> needed_columns_;
  int num_columns_ = 0;
  OnRowError on_error_ = OnRowError::kFail;
  bool limited_ = false;
  std::atomic<int64_t> remaining_{0};
};

class RowOutput {
 public:
  // Borrows all; `activity` may be null.
  RowOutput(OutputPlan* plan, Sink* sink, int partition, ActivityRecorder* activity)
      : plan_(plan), sink_(sink), partition_(partition), activity_(activity) {}

  // Starts a batch: counts from zero, PROCTIME() from the context.
  void BeginBatch(const EvaluationContext& context);

  // `columns` has one column a joined column; those that are not needed may be empty. `kinds`: one
  // a row of a changelog, or none.
  Status Write(std::span<const Column> columns, int64_t num_rows,
               std::span<const ChangeKind> kinds = {});

  int64_t num_rows_written() const { return num_rows_written_; }
  int64_t num_row_errors() const { return num_row_errors_; }

 private:
  Status TakeErrors(std::vector<int32_t>* rows);
  // Hands the rows to the sink; `rows` names those of `kinds` that are left, empty: all.
  Status Give(std::vector<Column> projected, int64_t num_rows, std::span<const int32_t> rows,
              std::span<const ChangeKind> kinds);

  OutputPlan* plan_;
  Sink* sink_;
  int partition_;
  ActivityRecorder* activity_;
  EvaluationContext context_;
  int64_t num_rows_written_ = 0;
  int64_t num_row_errors_ = 0;
};

}  // namespace braid
