#include "engine/plan/time_bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/expression/evaluator.h"

namespace braid {

namespace {

bool IsInterval(const Expression& expression) {
  return expression.type.kind == TypeKind::kIntervalDay ||
         expression.type.kind == TypeKind::kIntervalMonth;
}

void AddScaled(const LinearTime& other, int64_t factor, LinearTime* sum) {
  for (const auto& [column, coefficient] : other.columns) {
    const auto place = std::lower_bound(
        sum->columns.begin(), sum->columns.end(), column,
        [](const std::pair<int, int64_t>& entry, int wanted) { return entry.first < wanted; });
    if (place == sum->columns.end() || place->first != column) {
      sum->columns.insert(place, {column, SaturatingMultiply(coefficient, factor)});
      continue;
    }
    place->second = SaturatingAdd(place->second, SaturatingMultiply(coefficient, factor));
    if (place->second == 0) sum->columns.erase(place);
  }
  const Interval scaled{SaturatingMultiply(other.constant.micros, factor)};
  sum->constant = sum->constant + scaled;
  sum->has_months = sum->has_months || other.has_months;
  sum->has_processing_time = sum->has_processing_time || other.has_processing_time;
}

std::optional<LinearTime> LinearSum(const Expression& call, int64_t factor_of_second) {
  std::optional<LinearTime> sum = LinearTimeOf(*call.arguments[0]);
  const std::optional<LinearTime> second = LinearTimeOf(*call.arguments[1]);
  if (!sum || !second) return std::nullopt;
  AddScaled(*second, factor_of_second, &*sum);
  return sum;
}

std::optional<LinearTime> Negated(const Expression& argument) {
  const std::optional<LinearTime> linear = LinearTimeOf(argument);
  if (!linear) return std::nullopt;
  LinearTime negated;
  AddScaled(*linear, -1, &negated);
  return negated;
}

std::optional<int64_t> ConstantInteger(const ExpressionPtr& expression) {
  if (!expression->type.is_integer() || !IsConstant(*expression)) return std::nullopt;
  const Result<Value> value = EvaluateConstant(expression);
  if (!value || value->is_null()) return std::nullopt;
  return value->integer();
}

// interval * integer, either way round.
std::optional<LinearTime> LinearProduct(const Expression& call) {
  for (const size_t number : {size_t{0}, size_t{1}}) {
    const std::optional<int64_t> factor = ConstantInteger(call.arguments[number]);
    if (!factor) continue;
    const std::optional<LinearTime> interval = LinearTimeOf(*call.arguments[1 - number]);
    if (!interval || !interval->columns.empty()) return std::nullopt;
    LinearTime product;
    AddScaled(*interval, *factor, &product);
    return product;
  }
  return std::nullopt;
}

// Any other constant interval.
std::optional<LinearTime> LinearConstant(const Expression& expression) {
  if (!IsInterval(expression) || !IsConstant(expression)) return std::nullopt;
  if (UsesProcessingTime(expression)) return std::nullopt;
  LinearTime constant;
  if (expression.type.kind == TypeKind::kIntervalMonth) {
    constant.has_months = true;
    return constant;
  }
  const Result<Value> value = EvaluateConstant(std::make_shared<const Expression>(expression));
  if (!value || value->is_null()) return std::nullopt;
  constant.constant = Interval{value->integer()};
  return constant;
}

std::optional<LinearTime> LinearCall(const Expression& call) {
  const bool over_time = call.type.is_timestamp() || IsInterval(call);
  if (!over_time) return std::nullopt;
  std::optional<LinearTime> linear;
  if (call.operation == Operation::kAdd) linear = LinearSum(call, 1);
  if (call.operation == Operation::kSubtract) linear = LinearSum(call, -1);
  if (call.operation == Operation::kNegate) linear = Negated(*call.arguments[0]);
  if (call.operation == Operation::kMultiply) linear = LinearProduct(call);
  if (call.operation == Operation::kProcTime) {
    linear.emplace();
    linear->has_processing_time = true;
  }
  return linear ? linear : LinearConstant(call);
}

std::optional<BoundKind> KindOf(Operation operation) {
  switch (operation) {
    case Operation::kLess:
    case Operation::kLessEqual:
      return BoundKind::kUpper;
    case Operation::kGreater:
    case Operation::kGreaterEqual:
      return BoundKind::kLower;
    case Operation::kEqual:
      return BoundKind::kExact;
    default:
      return std::nullopt;
  }
}

BoundKind Mirrored(BoundKind kind) {
  if (kind == BoundKind::kExact) return kind;
  return kind == BoundKind::kLower ? BoundKind::kUpper : BoundKind::kLower;
}

Status CheckFixedAndEventTime(const Expression& conjunct, const LinearTime& difference,
                              const JoinedColumns& columns) {
  if (difference.has_months) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("a month or a year is not a fixed length, so it cannot bound a join: "
                            "{}. Write days, for instance INTERVAL '30' DAY",
                            columns.Format(conjunct)),
                conjunct.place);
  }
  bool processing_time = difference.has_processing_time;
  for (const auto& [column, coefficient] : difference.columns) {
    processing_time = processing_time || columns.at(column).is_processing_time;
  }
  if (processing_time && !columns.allows_processing_time()) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("a processing-time bound needs per-record mode, since all rows of a "
                            "micro-batch have the same PROCTIME(): {}. Bound the row times instead",
                            columns.Format(conjunct)),
                conjunct.place);
  }
  return {};
}

}  // namespace

std::optional<LinearTime> LinearTimeOf(const Expression& expression) {
  if (expression.kind == ExpressionKind::kCall) return LinearCall(expression);
  if (expression.kind == ExpressionKind::kLiteral) return LinearConstant(expression);
  if (!expression.type.is_timestamp()) return std::nullopt;
  LinearTime linear;
  linear.columns.emplace_back(expression.column, 1);
  return linear;
}

Result<std::optional<TimeBound>> TimeBoundOf(const Expression& conjunct,
                                             const JoinedColumns& columns) {
  if (conjunct.kind != ExpressionKind::kCall) return std::nullopt;
  const std::optional<BoundKind> kind = KindOf(conjunct.operation);
  const bool null_safe = conjunct.operation == Operation::kIsNotDistinctFrom;
  if (!kind && !null_safe) return std::nullopt;
  const std::optional<LinearTime> first = LinearTimeOf(*conjunct.arguments[0]);
  const std::optional<LinearTime> second = LinearTimeOf(*conjunct.arguments[1]);
  if (!first || !second) return std::nullopt;

  LinearTime difference = *first;
  AddScaled(*second, -1, &difference);
  if (difference.columns.size() != 2) return std::nullopt;
  // Left columns come first.
  const auto [left, left_coefficient] = difference.columns[0];
  const auto [right, right_coefficient] = difference.columns[1];
  if (columns.side_of(left) != Side::kLeft || columns.side_of(right) != Side::kRight) {
    return std::nullopt;
  }
  const bool right_minus_left = right_coefficient == 1 && left_coefficient == -1;
  const bool left_minus_right = right_coefficient == -1 && left_coefficient == 1;
  if (!right_minus_left && !left_minus_right) return std::nullopt;
  if (Status allowed = CheckFixedAndEventTime(conjunct, difference, columns); !allowed) {
    return tl::unexpected(allowed.error());
  }
  if (null_safe) return std::nullopt;

  TimeBound bound;
  bound.left = left;
  bound.right = right;
  bound.kind = right_minus_left ? *kind : Mirrored(*kind);
  bound.distance = right_minus_left ? -difference.constant : difference.constant;
  bound.strict =
      conjunct.operation == Operation::kLess || conjunct.operation == Operation::kGreater;
  return bound;
}

}  // namespace braid
