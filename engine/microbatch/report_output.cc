#include "engine/microbatch/report_output.h"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <utility>

#include "braid/column_builder.h"
#include "braid/value.h"
#include "state/rows/check.h"

namespace braid {

namespace {

Column Constant(const Value& value, int64_t length) {
  ColumnBuilder builder(value.type);
  if (value.is_null()) {
    builder.AppendNulls(length);
  } else {
    for (int64_t row = 0; row < length; ++row) builder.AppendValue(value);
  }
  return builder.Finish();
}

Value WatermarkValue(const std::optional<Watermark>& watermark, const DataType& type) {
  if (!watermark || *watermark == Watermark::Infinity()) return Value::Null(type);
  return {type, AtMicros(*watermark).micros};
}

Column WatermarksOf(const ReportedRows& rows, const DataType& type) {
  if (rows.watermarks.empty()) {
    return Constant(WatermarkValue(rows.watermark, type), rows.num_rows);
  }
  ColumnBuilder builder(type);
  for (const std::optional<Watermark>& watermark : rows.watermarks) {
    builder.AppendValue(WatermarkValue(watermark, type));
  }
  return builder.Finish();
}

}  // namespace

Result<std::unique_ptr<ReportOutput>> ReportOutput::Create(const RowReport& plan, Sink* sink,
                                                           OnRowError on_error) {
  BRAID_CHECK(sink != nullptr, "a report has a sink");
  std::unique_ptr<ReportOutput> output(new ReportOutput(plan, sink, on_error));
  output->schema_ = std::make_shared<const Schema>(plan.schema);
  for (const RowReport::Input& input : plan.inputs) {
    std::vector<Evaluator>& evaluators = output->evaluators_.emplace_back();
    for (const ExpressionPtr& column : input.columns) {
      Result<Evaluator> evaluator = Evaluator::Create(column);
      if (!evaluator) return tl::unexpected(evaluator.error());
      evaluators.push_back(std::move(*evaluator));
    }
  }
  return output;
}

std::vector<Column> ReportOutput::WithFacts(const ReportedRows& rows) const {
  const RowReport::Input& input = plan_.inputs[rows.input];
  std::vector<Column> columns(rows.columns.begin(), rows.columns.end());
  BRAID_CHECK(columns.size() == static_cast<size_t>(input.num_columns), "all columns of a row");
  const DataType text = DataType::String();
  columns.push_back(Constant({text, input.table_name}, rows.num_rows));
  if (rows.row_times != nullptr) {
    columns.push_back(*rows.row_times);
  } else if (input.row_time_column >= 0) {
    const Column times = columns[static_cast<size_t>(input.row_time_column)];
    columns.push_back(times);
  } else {
    columns.push_back(Constant(Value::Null(input.row_time_type), rows.num_rows));
  }
  columns.push_back(WatermarksOf(rows, input.watermark_type));
  const DataType number = DataType::BigInt();
  const Value batch = rows.batch_id ? Value{number, *rows.batch_id} : Value::Null(number);
  columns.push_back(Constant(batch, rows.num_rows));
  return columns;
}

Status ReportOutput::Write(int partition, const ReportedRows& rows,
                           const EvaluationContext& context) {
  if (rows.num_rows == 0) return {};
  EvaluationContext own = context;
  own.row_errors.clear();
  const std::vector<Column> columns = WithFacts(rows);
  std::vector<int32_t> kept(static_cast<size_t>(rows.num_rows));
  std::iota(kept.begin(), kept.end(), 0);
  std::vector<Column> written;
  const auto evaluate = [&] {
    written.clear();
    for (const Evaluator& column : evaluators_[rows.input]) {
      written.push_back(column.EvaluateRows(columns, kept, &own));
    }
  };
  evaluate();
  if (!own.row_errors.empty()) {
    const RowError& first = own.row_errors[0];
    if (on_error_ == OnRowError::kFail) {
      return Fail(ErrorCode::kInvalidInput,
                  fmt::format("{} (in a row for the table {})", first.message, plan_.table->name),
                  first.place);
    }
    std::set<int32_t> failed;
    for (const RowError& error : own.row_errors) failed.insert(static_cast<int32_t>(error.row));
    num_row_errors_ += static_cast<int64_t>(failed.size());
    std::erase_if(kept, [&failed](int32_t row) { return failed.contains(row); });
    if (kept.empty()) return {};
    own.row_errors.clear();
    evaluate();
  }
  const int64_t num_rows = static_cast<int64_t>(kept.size());
  num_rows_ += num_rows;
  return sink_->Write(partition, RowBatch(schema_, std::move(written), num_rows));
}

}  // namespace braid
