#include "engine/expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/expression/cast.h"
#include "engine/expression/evaluator.h"
#include "engine/expression/operation_rules.h"
#include "engine/expression/type_rules.h"
#include "state/rows/check.h"

namespace braid {

namespace {

std::shared_ptr<Expression> NewCall(Operation operation, DataType type,
                                    std::vector<ExpressionPtr> arguments, Place place) {
  auto expression = std::make_shared<Expression>();
  expression->kind = ExpressionKind::kCall;
  expression->operation = operation;
  expression->type = type;
  expression->arguments = std::move(arguments);
  expression->place = std::move(place);
  return expression;
}

bool IsLiteral(const Expression& expression) { return expression.kind == ExpressionKind::kLiteral; }

// Equal types can still differ in the limit of a string's length.
bool FitsWithoutCast(const DataType& from, const DataType& to) {
  if (!(from == to)) return false;
  return to.length == 0 || (from.length != 0 && from.length <= to.length);
}

// Makes a copy of `expression` with other arguments, or hands it back if none changed.
template <typename Change>
ExpressionPtr WithArguments(const ExpressionPtr& expression, Change change) {
  std::vector<ExpressionPtr> arguments;
  arguments.reserve(expression->arguments.size());
  bool changed = false;
  for (const ExpressionPtr& argument : expression->arguments) {
    arguments.push_back(change(argument));
    changed |= arguments.back() != argument;
  }
  if (!changed) return expression;
  auto copy = std::make_shared<Expression>(*expression);
  copy->arguments = std::move(arguments);
  return copy;
}

void CollectConjuncts(const ExpressionPtr& expression, std::vector<ExpressionPtr>* conjuncts) {
  if (!expression->is_call(Operation::kAnd)) {
    conjuncts->push_back(expression);
    return;
  }
  for (const ExpressionPtr& argument : expression->arguments) CollectConjuncts(argument, conjuncts);
}

void CollectColumns(const Expression& expression, std::vector<int>* columns) {
  if (expression.kind == ExpressionKind::kColumn) columns->push_back(expression.column);
  for (const ExpressionPtr& argument : expression.arguments) CollectColumns(*argument, columns);
}

}  // namespace

ExpressionPtr MakeColumn(int column, DataType type, Place place) {
  auto expression = std::make_shared<Expression>();
  expression->kind = ExpressionKind::kColumn;
  expression->column = column;
  expression->type = type;
  expression->place = std::move(place);
  return expression;
}

ExpressionPtr MakeLiteral(Value value, Place place) {
  auto expression = std::make_shared<Expression>();
  expression->kind = ExpressionKind::kLiteral;
  expression->type = value.type;
  expression->literal = std::move(value);
  expression->place = std::move(place);
  return expression;
}

Result<ExpressionPtr> MakeCall(Operation operation, std::vector<ExpressionPtr> arguments,
                               Place place) {
  Result<BoundCall> call = BindOperation(operation, std::move(arguments), place);
  if (!call) return tl::unexpected(std::move(call.error()));
  return NewCall(operation, call->type, std::move(call->arguments), std::move(place));
}

Result<ExpressionPtr> MakeCast(ExpressionPtr argument, DataType type, Place place, bool try_cast) {
  if (FitsWithoutCast(argument->type, type)) return argument;
  if (!CanCast(argument->type, type)) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("cannot cast {} to {}", Describe(*argument), type.ToString()),
                std::move(place));
  }
  if (IsLiteral(*argument) && argument->literal.is_null()) {
    return MakeLiteral(Value::Null(type), argument->place);
  }
  const Operation operation = try_cast ? Operation::kTryCast : Operation::kCast;
  return NewCall(operation, type, {std::move(argument)}, std::move(place));
}

Result<ExpressionPtr> MakeImplicitCast(ExpressionPtr argument, DataType type) {
  Result<ExpressionPtr> cast = MakeCast(argument, type, argument->place);
  if (!cast || *cast == argument || IsLiteral(**cast)) return cast;
  auto implicit = std::make_shared<Expression>(**cast);
  implicit->implicit = true;
  // A value that depends on the session zone is not known yet.
  if (!IsLiteral(*argument) || CastNeedsZone(*implicit)) return implicit;
  Result<Value> value = EvaluateConstant(implicit);
  if (!value) return tl::unexpected(std::move(value.error()));
  return MakeLiteral(std::move(*value), argument->place);
}

std::vector<ExpressionPtr> SplitConjuncts(const ExpressionPtr& expression) {
  std::vector<ExpressionPtr> conjuncts;
  if (expression != nullptr) CollectConjuncts(expression, &conjuncts);
  return conjuncts;
}

ExpressionPtr JoinConjuncts(const std::vector<ExpressionPtr>& conjuncts) {
  if (conjuncts.empty()) return nullptr;
  if (conjuncts.size() == 1) return conjuncts[0];
  return NewCall(Operation::kAnd, DataType::Boolean(), conjuncts, conjuncts[0]->place);
}

std::vector<int> ReferencedColumns(const Expression& expression) {
  std::vector<int> columns;
  CollectColumns(expression, &columns);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

ExpressionPtr RemapColumns(const ExpressionPtr& expression, const std::function<int(int)>& map) {
  if (expression->kind == ExpressionKind::kColumn) {
    const int column = map(expression->column);
    if (column == expression->column) return expression;
    return MakeColumn(column, expression->type, expression->place);
  }
  return WithArguments(
      expression, [&map](const ExpressionPtr& argument) { return RemapColumns(argument, map); });
}

ExpressionPtr SubstituteColumns(const ExpressionPtr& expression,
                                const std::vector<ExpressionPtr>& replacements) {
  if (expression->kind == ExpressionKind::kColumn) {
    BRAID_CHECK(static_cast<size_t>(expression->column) < replacements.size(),
                "a replacement for every column");
    return replacements[static_cast<size_t>(expression->column)];
  }
  return WithArguments(expression, [&replacements](const ExpressionPtr& argument) {
    return SubstituteColumns(argument, replacements);
  });
}

bool IsConstant(const Expression& expression) {
  if (expression.kind == ExpressionKind::kColumn) return false;
  return std::all_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const ExpressionPtr& argument) { return IsConstant(*argument); });
}

bool UsesProcessingTime(const Expression& expression) {
  return expression.is_call(Operation::kProcTime) ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(),
                     [](const ExpressionPtr& argument) { return UsesProcessingTime(*argument); });
}

}  // namespace braid
