#include "engine/microbatch/row_output.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "braid/column_builder.h"

namespace braid {

int NumJoinedColumns(const StreamPlan& plan) {
  if (!plan.join) return plan.single->schema.num_columns();
  const bool left_only =
      plan.join->type == JoinType::kLeftSemi || plan.join->type == JoinType::kLeftAnti;
  const int left = plan.join->side(Side::kLeft).input.schema.num_columns();
  return left_only ? left : left + plan.join->side(Side::kRight).input.schema.num_columns();
}

Result<std::unique_ptr<OutputPlan>> OutputPlan::Create(const StreamPlan& plan, OnRowError on_error,
                                                       const Field* appended) {
  auto output = std::unique_ptr<OutputPlan>(new OutputPlan());
  output->on_error_ = on_error;
  output->num_columns_ = NumJoinedColumns(plan);
  output->limited_ = plan.limit.has_value();
  output->remaining_ = plan.limit.value_or(0);

  std::set<int> needed;
  if (plan.where != nullptr) {
    Result<Evaluator> where = Evaluator::Create(plan.where);
    if (!where) return tl::unexpected(where.error());
    output->where_ = std::move(*where);
    for (const int column : ReferencedColumns(*plan.where)) needed.insert(column);
  }
  for (const ExpressionPtr& expression : plan.projections) {
    Result<Evaluator> projection = Evaluator::Create(expression);
    if (!projection) return tl::unexpected(projection.error());
    output->projections_.push_back(std::move(*projection));
    for (const int column : ReferencedColumns(*expression)) needed.insert(column);
  }
  Schema schema = plan.output;
  if (appended != nullptr) {
    Result<Evaluator> column =
        Evaluator::Create(MakeColumn(NumJoinedColumns(plan), appended->type));
    if (!column) return tl::unexpected(column.error());
    output->projections_.push_back(std::move(*column));
    schema.fields.push_back(*appended);
  }
  output->schema_ = std::make_shared<const Schema>(std::move(schema));
  output->needed_columns_.assign(needed.begin(), needed.end());
  return output;
}

void RowOutput::BeginBatch(const EvaluationContext& context) {
  context_ = context;
  context_.row_errors.clear();
  num_rows_written_ = 0;
  num_row_errors_ = 0;
}

Status RowOutput::TakeErrors(std::vector<int32_t>* rows) {
  if (context_.row_errors.empty()) return {};
  const std::vector<RowError> errors = std::exchange(context_.row_errors, {});
  if (plan_->on_error_ == OnRowError::kFail) {
    return Fail(ErrorCode::kInvalidInput, errors[0].message + " (in a row of the result)",
                errors[0].place);
  }
  std::set<int32_t> failed;
  for (const RowError& error : errors) failed.insert(static_cast<int32_t>(error.row));
  // A filter has rejected some of them already; all count.
  std::erase_if(*rows, [&](int32_t row) { return failed.contains(row); });
  num_row_errors_ += static_cast<int64_t>(failed.size());
  return {};
}

Status RowOutput::Write(std::span<const Column> columns, int64_t num_rows,
                        std::span<const ChangeKind> kinds) {
  std::vector<int32_t> rows;
  bool all_rows = true;
  if (plan_->where_) {
    rows.resize(static_cast<size_t>(num_rows));
    std::iota(rows.begin(), rows.end(), 0);
    plan_->where_->Filter(columns, &context_, &rows);
    if (Status status = TakeErrors(&rows); !status) return status;
    all_rows = static_cast<int64_t>(rows.size()) == num_rows;
    num_rows = static_cast<int64_t>(rows.size());
  }
  if (num_rows == 0) return {};

  std::vector<Column> projected;
  projected.reserve(plan_->projections_.size());
  for (const Evaluator& projection : plan_->projections_) {
    projected.push_back(all_rows ? projection.Evaluate(columns, num_rows, &context_)
                                 : projection.EvaluateRows(columns, rows, &context_));
  }
  if (!context_.row_errors.empty()) {
    // Row numbers are those of `columns`: drop the failing ones and project the rest again.
    if (all_rows) {
      rows.resize(static_cast<size_t>(num_rows));
      std::iota(rows.begin(), rows.end(), 0);
    }
    if (Status status = TakeErrors(&rows); !status) return status;
    num_rows = static_cast<int64_t>(rows.size());
    projected.clear();
    for (const Evaluator& projection : plan_->projections_) {
      projected.push_back(projection.EvaluateRows(columns, rows, &context_));
    }
    if (num_rows == 0) return {};
  }
  if (plan_->limited_) {
    const int64_t before = plan_->remaining_.fetch_sub(num_rows);
    const int64_t allowed = std::clamp<int64_t>(before, 0, num_rows);
    if (allowed == 0) return {};
    if (allowed < num_rows) {
      std::vector<int32_t> first(static_cast<size_t>(allowed));
      std::iota(first.begin(), first.end(), 0);
      for (Column& column : projected) column = Gather(column, first);
      num_rows = allowed;
    }
  }
  return Give(std::move(projected), num_rows, rows, kinds);
}

Status RowOutput::Give(std::vector<Column> projected, int64_t num_rows,
                       std::span<const int32_t> rows, std::span<const ChangeKind> kinds) {
  num_rows_written_ += num_rows;
  if (activity_ != nullptr) activity_->AddOutputRows(num_rows);
  const bool only_inserts = std::all_of(
      kinds.begin(), kinds.end(), [](ChangeKind kind) { return kind == ChangeKind::kInsert; });
  if (only_inserts) {
    return sink_->Write(partition_, RowBatch(plan_->schema_, std::move(projected), num_rows));
  }
  std::vector<ChangeKind> left;
  for (int64_t row = 0; row < num_rows; ++row) {
    const size_t index = static_cast<size_t>(row);
    left.push_back(kinds[rows.empty() ? index : static_cast<size_t>(rows[index])]);
  }
  return sink_->Write(partition_, RowBatch(plan_->schema_, std::move(projected), std::move(left)));
}

}  // namespace braid
