#include "engine/sql/watermark_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/expression/evaluator.h"
#include "engine/sql/expression_binder.h"
#include "engine/sql/scope.h"

namespace braid {

namespace {

// A column and what is subtracted from it.
struct DelayedColumn {
  int column = -1;
  int64_t delay_micros = 0;
};

class DelayReader {
 public:
  explicit DelayReader(Place place) : place_(std::move(place)) {}

  // Takes column, column - interval, column + interval, and sums of those apart.
  Result<DelayedColumn> Read(const ExpressionPtr& expression) const;

 private:
  tl::unexpected<Error> Refuse(std::string message) const {
    return Fail(ErrorCode::kInvalidQuery, std::move(message), place_);
  }
  Result<int64_t> ConstantInterval(const ExpressionPtr& expression) const;

  Place place_;
};

Result<int64_t> DelayReader::ConstantInterval(const ExpressionPtr& expression) const {
  if (expression->type.kind == TypeKind::kIntervalMonth) {
    return Refuse(
        "months and years are no delay for a watermark: they have no fixed length; write "
        "days, as in INTERVAL '30' DAY");
  }
  Result<Value> value = EvaluateConstant(expression);
  if (!value) return tl::unexpected(std::move(value.error()));
  if (value->is_null()) return Refuse("the delay of a watermark is not NULL");
  return value->integer();
}

Result<DelayedColumn> DelayReader::Read(const ExpressionPtr& expression) const {
  if (expression->kind == ExpressionKind::kColumn) return DelayedColumn{expression->column, 0};
  const bool subtracts = expression->is_call(Operation::kSubtract);
  const bool adds = expression->is_call(Operation::kAdd);
  const bool shifts = (subtracts || adds) && expression->arguments[0]->type.is_timestamp() &&
                      !expression->arguments[1]->type.is_timestamp();
  if (!shifts || !IsConstant(*expression->arguments[1]) ||
      UsesProcessingTime(*expression->arguments[1])) {
    return Refuse(
        "a watermark is the column, or the column minus a constant interval: "
        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND");
  }
  Result<DelayedColumn> column = Read(expression->arguments[0]);
  if (!column) return column;
  Result<int64_t> interval = ConstantInterval(expression->arguments[1]);
  if (!interval) return tl::unexpected(std::move(interval.error()));
  const bool overflow =
      subtracts ? __builtin_add_overflow(column->delay_micros, *interval, &column->delay_micros)
                : __builtin_sub_overflow(column->delay_micros, *interval, &column->delay_micros);
  if (overflow) return Refuse("the delay of the watermark is too long");
  return column;
}

// The names of the table's columns.
Scope TableScope(const TableDefinition& table) {
  Scope scope;
  scope.AddTable(table.name);
  for (size_t index = 0; index < table.columns.size(); ++index) {
    const ColumnDefinition& column = table.columns[index];
    scope.AddColumn({table.name, column.name, MakeColumn(static_cast<int>(index), column.type),
                     /*hidden=*/false});
  }
  return scope;
}

}  // namespace

Result<WatermarkDefinition> BindWatermark(const WatermarkSyntax& syntax,
                                          const TableDefinition& table, const SourceText& source) {
  const Scope scope = TableScope(table);
  const Place column_place = source.PlaceAt(syntax.column[0].range.begin);
  Result<const ScopeColumn*> column = scope.Find(syntax.column, source);
  if (!column) return tl::unexpected(std::move(column.error()));
  const int index = (*column)->expression->column;
  const ColumnDefinition& definition = table.columns[static_cast<size_t>(index)];
  if (!definition.type.is_timestamp()) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("WATERMARK FOR takes a TIMESTAMP or TIMESTAMP_LTZ column; {} is {}",
                            definition.name, definition.type.ToString()),
                column_place);
  }
  if (definition.computed != nullptr && definition.computed->is_call(Operation::kProcTime)) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("{} is a processing time; it needs no watermark", definition.name),
                column_place);
  }
  if (definition.computed != nullptr && UsesProcessingTime(*definition.computed)) {
    return Fail(
        ErrorCode::kInvalidQuery,
        fmt::format("{} is made of PROCTIME(), which is the batch's; a watermark is made of "
                    "times that rows bring",
                    definition.name),
        column_place);
  }
  Result<ExpressionPtr> expression = ExpressionBinder(&scope, &source).Bind(*syntax.expression);
  if (!expression) return tl::unexpected(std::move(expression.error()));
  const Place place = source.PlaceAt(syntax.expression->range.begin);
  Result<DelayedColumn> delayed = DelayReader(place).Read(*expression);
  if (!delayed) return tl::unexpected(std::move(delayed.error()));
  if (delayed->column != index) {
    return Fail(
        ErrorCode::kInvalidQuery,
        fmt::format("the watermark for {} is made of {} itself, not of {}", definition.name,
                    definition.name, table.columns[static_cast<size_t>(delayed->column)].name),
        place);
  }
  if (delayed->delay_micros < 0) {
    return Fail(ErrorCode::kInvalidQuery, "a watermark cannot be ahead of its column", place);
  }
  return WatermarkDefinition{index, Interval{delayed->delay_micros},
                             source.PlaceAt(syntax.range.begin)};
}

}  // namespace braid
