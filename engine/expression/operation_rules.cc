#include "engine/expression/operation_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/expression/type_rules.h"

namespace braid {

namespace {

using Arguments = std::vector<ExpressionPtr>;

constexpr int64_t kMicrosPerDay = 86'400'000'000;
constexpr size_t kAnyNumber = SIZE_MAX;

bool IsTime(const DataType& type) { return type.is_timestamp() || type.kind == TypeKind::kDate; }

bool IsInterval(const DataType& type) {
  return type.kind == TypeKind::kIntervalDay || type.kind == TypeKind::kIntervalMonth;
}

tl::unexpected<Error> Refuse(std::string message, const Place& place) {
  return Fail(ErrorCode::kInvalidQuery, std::move(message), place);
}

// Casts the argument in place.
Status CastArgument(ExpressionPtr* argument, const DataType& type) {
  Result<ExpressionPtr> cast = MakeImplicitCast(*argument, type);
  if (!cast) return tl::unexpected(std::move(cast.error()));
  *argument = std::move(*cast);
  return {};
}

Status CastAll(Arguments* arguments, const DataType& type) {
  for (ExpressionPtr& argument : *arguments) {
    if (Status status = CastArgument(&argument, type); !status) return status;
  }
  return {};
}

Result<BoundCall> Bound(DataType type, Arguments arguments) {
  return BoundCall{type, std::move(arguments)};
}

Status CheckCount(Operation operation, const Arguments& arguments, size_t least, size_t most,
                  const Place& place) {
  if (arguments.size() >= least && arguments.size() <= most) return {};
  std::string wanted = fmt::format("{}", least);
  if (most == kAnyNumber) {
    wanted = "at least " + wanted;
  } else if (most != least) {
    wanted += fmt::format(" to {}", most);
  }
  return Refuse(fmt::format("{} takes {} argument{}, got {}", OperationName(operation), wanted,
                            most == 1 ? "" : "s", arguments.size()),
                place);
}

Result<BoundCall> BindLogic(Operation operation, Arguments arguments, const Place& place) {
  for (ExpressionPtr& argument : arguments) {
    const TypeKind kind = argument->type.kind;
    if (kind != TypeKind::kBoolean && kind != TypeKind::kNull) {
      return Refuse(
          fmt::format("{} takes BOOLEAN, got {}", OperationName(operation), Describe(*argument)),
          argument->place.known() ? argument->place : place);
    }
    if (Status status = CastArgument(&argument, DataType::Boolean()); !status) {
      return tl::unexpected(std::move(status.error()));
    }
  }
  return Bound(DataType::Boolean(), std::move(arguments));
}

// A TIMESTAMP literal that was read from text gets the least precision that keeps its digits.
ExpressionPtr WithoutTrailingZeros(const ExpressionPtr& literal) {
  if (literal->kind != ExpressionKind::kLiteral || literal->literal.is_null()) return literal;
  Value value = literal->literal;
  value.type.precision = std::min(value.type.precision, FractionDigits(value.integer()));
  return MakeLiteral(std::move(value), literal->place);
}

// Casts all arguments to one type for comparing. Timestamps of one kind are stored alike, whatever
// their precision: they stay as they are, so that a column stays a plain column.
Status CastForComparison(Operation operation, Arguments* arguments, const Place& place) {
  DataType common;
  for (const ExpressionPtr& argument : *arguments) {
    Result<DataType> wider = ComparisonType(common, argument->type);
    if (!wider) {
      return Refuse(fmt::format("{} cannot compare {} with {}; write a CAST",
                                OperationName(operation), common.ToString(), Describe(*argument)),
                    place);
    }
    common = *wider;
  }
  if (common.kind == TypeKind::kNull) common = DataType::Boolean();
  common.length = 0;
  for (ExpressionPtr& argument : *arguments) {
    if (argument->type.kind == common.kind && common.kind != TypeKind::kDecimal) continue;
    const bool from_text = argument->type.kind == TypeKind::kString;
    if (Status status = CastArgument(&argument, common); !status) return status;
    if (from_text && common.is_timestamp()) argument = WithoutTrailingZeros(argument);
  }
  return {};
}

Result<BoundCall> BindComparison(Operation operation, Arguments arguments, const Place& place) {
  if (Status status = CastForComparison(operation, &arguments, place); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  return Bound(DataType::Boolean(), std::move(arguments));
}

Result<BoundCall> BindNumeric(Operation operation, Arguments arguments) {
  const DataType type = NumericResultType(operation, arguments[0]->type, arguments[1]->type);
  for (ExpressionPtr& argument : arguments) {
    const DataType wanted = type.kind == TypeKind::kDecimal ? AsDecimal(argument->type) : type;
    if (Status status = CastArgument(&argument, wanted); !status) {
      return tl::unexpected(std::move(status.error()));
    }
  }
  return Bound(type, std::move(arguments));
}

// The type of `time` plus or minus `interval`.
DataType ShiftedType(const Expression& time, const Expression& interval) {
  if (interval.type.kind == TypeKind::kIntervalMonth) return time.type;
  const int64_t granularity = IntervalGranularity(interval);
  const uint8_t digits = FractionDigits(granularity);
  if (time.type.kind == TypeKind::kDate) {
    return granularity % kMicrosPerDay == 0 ? DataType::Date() : DataType::Timestamp(digits);
  }
  DataType type = time.type;
  type.precision = std::max(type.precision, digits);
  return type;
}

tl::unexpected<Error> NoArithmetic(Operation operation, const Arguments& arguments,
                                   const Place& place) {
  return Refuse(
      fmt::format("{} {} {} is not defined; what fits: numbers; a time and an interval; "
                  "two intervals; an interval and a number",
                  Describe(*arguments[0]), OperationName(operation), Describe(*arguments[1])),
      place);
}

// time - time.
Result<BoundCall> BindTimeDifference(Arguments arguments) {
  Result<DataType> common = CommonType(arguments[0]->type, arguments[1]->type);
  if (!common) return tl::unexpected(std::move(common.error()));
  for (ExpressionPtr& argument : arguments) {
    if (argument->type.kind == common->kind) continue;
    if (Status status = CastArgument(&argument, *common); !status) {
      return tl::unexpected(std::move(status.error()));
    }
  }
  return Bound(DataType::IntervalDay(), std::move(arguments));
}

// interval * number and interval / number.
Result<BoundCall> BindIntervalScaling(Operation operation, Arguments arguments,
                                      const Place& place) {
  const DataType factor = arguments[1]->type;
  if (factor.is_floating()) {
    return Refuse(
        fmt::format("{} {} {} would not be exact; cast the number to BIGINT or DECIMAL",
                    Describe(*arguments[0]), OperationName(operation), Describe(*arguments[1])),
        place);
  }
  const DataType wanted = factor.kind == TypeKind::kDecimal ? factor : DataType::BigInt();
  if (Status status = CastArgument(&arguments[1], wanted); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  const DataType type = arguments[0]->type;
  return Bound(type, std::move(arguments));
}

Result<BoundCall> BindTimeArithmetic(Operation operation, Arguments arguments, const Place& place) {
  const bool sum = operation == Operation::kAdd || operation == Operation::kSubtract;
  const bool commutes = operation == Operation::kAdd || operation == Operation::kMultiply;
  const bool right_leads = !IsTime(arguments[0]->type) &&
                           (IsTime(arguments[1]->type) ||
                            (IsInterval(arguments[1]->type) && !IsInterval(arguments[0]->type)));
  if (commutes && right_leads) {
    std::swap(arguments[0], arguments[1]);
  }
  const DataType& left = arguments[0]->type;
  const DataType& right = arguments[1]->type;
  if (IsTime(left)) {
    if (sum && IsInterval(right)) {
      const DataType type = ShiftedType(*arguments[0], *arguments[1]);
      const bool widens = left.kind == TypeKind::kDate && type.kind != TypeKind::kDate;
      if (widens) {
        if (Status status = CastArgument(&arguments[0], type); !status) {
          return tl::unexpected(std::move(status.error()));
        }
      }
      return Bound(type, std::move(arguments));
    }
    if (operation == Operation::kSubtract && IsTime(right)) {
      return BindTimeDifference(std::move(arguments));
    }
    return NoArithmetic(operation, arguments, place);
  }
  if (IsInterval(left) && left == right && sum) {
    const DataType type = left;
    return Bound(type, std::move(arguments));
  }
  if (IsInterval(left) && right.is_numeric() &&
      (operation == Operation::kMultiply || operation == Operation::kDivide)) {
    return BindIntervalScaling(operation, std::move(arguments), place);
  }
  return NoArithmetic(operation, arguments, place);
}

// Gives an untyped NULL the type that fits the other argument.
Status TypeNullArgument(Operation operation, ExpressionPtr* argument, const DataType& other) {
  if ((*argument)->type.kind != TypeKind::kNull) return {};
  DataType type = other;
  if (other.kind == TypeKind::kNull) {
    type = DataType::Int();
  } else if (IsTime(other)) {
    type = DataType::IntervalDay();
  } else if (IsInterval(other) && operation != Operation::kAdd &&
             operation != Operation::kSubtract) {
    type = DataType::Int();
  }
  return CastArgument(argument, type);
}

Result<BoundCall> BindArithmetic(Operation operation, Arguments arguments, const Place& place) {
  const DataType left = arguments[0]->type;
  const DataType right = arguments[1]->type;
  if (Status status = TypeNullArgument(operation, &arguments[0], right); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  if (Status status = TypeNullArgument(operation, &arguments[1], left); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  if (arguments[0]->type.is_numeric() && arguments[1]->type.is_numeric()) {
    return BindNumeric(operation, std::move(arguments));
  }
  return BindTimeArithmetic(operation, std::move(arguments), place);
}

Result<BoundCall> BindNegate(Arguments arguments, const Place& place) {
  if (Status status = TypeNullArgument(Operation::kNegate, &arguments[0], DataType::Int());
      !status) {
    return tl::unexpected(std::move(status.error()));
  }
  const DataType type = arguments[0]->type;
  if (!type.is_numeric() && !IsInterval(type)) {
    return Refuse(fmt::format("- takes a number or an interval, got {}", type.ToString()), place);
  }
  return Bound(type, std::move(arguments));
}

Result<BoundCall> BindLike(Arguments arguments, const Place& place) {
  for (const ExpressionPtr& argument : arguments) {
    if (argument->type.kind == TypeKind::kString || argument->type.kind == TypeKind::kNull) {
      continue;
    }
    return Refuse(fmt::format("LIKE takes STRING, got {}", Describe(*argument)), place);
  }
  if (Status status = CastAll(&arguments, DataType::String()); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  return Bound(DataType::Boolean(), std::move(arguments));
}

// The common type of the arguments that `is_value(index)` names; they are cast to it.
template <typename IsValue>
Result<DataType> CastToCommon(Operation operation, Arguments* arguments, const Place& place,
                              IsValue is_value) {
  DataType common;
  for (size_t index = 0; index < arguments->size(); ++index) {
    if (!is_value(index)) continue;
    Result<DataType> wider = CommonType(common, (*arguments)[index]->type);
    if (!wider) {
      return Refuse(
          fmt::format("{} has values of {} and {}; write a CAST", OperationName(operation),
                      common.ToString(), Describe(*(*arguments)[index])),
          place);
    }
    common = *wider;
  }
  for (size_t index = 0; index < arguments->size(); ++index) {
    if (!is_value(index)) continue;
    if (Status status = CastArgument(&(*arguments)[index], common); !status) {
      return tl::unexpected(std::move(status.error()));
    }
  }
  return common;
}

Result<BoundCall> BindCase(Arguments arguments, const Place& place) {
  if (arguments.size() % 2 == 0) {
    return Refuse("CASE needs a value behind each condition, and one for ELSE", place);
  }
  const size_t last = arguments.size() - 1;
  for (size_t index = 0; index < last; index += 2) {
    const TypeKind kind = arguments[index]->type.kind;
    if (kind != TypeKind::kBoolean && kind != TypeKind::kNull) {
      return Refuse(fmt::format("WHEN takes BOOLEAN, got {}", Describe(*arguments[index])), place);
    }
    if (Status status = CastArgument(&arguments[index], DataType::Boolean()); !status) {
      return tl::unexpected(std::move(status.error()));
    }
  }
  Result<DataType> type = CastToCommon(Operation::kCase, &arguments, place, [last](size_t index) {
    return index % 2 == 1 || index == last;
  });
  if (!type) return tl::unexpected(std::move(type.error()));
  return Bound(*type, std::move(arguments));
}

Result<BoundCall> BindCoalesce(Arguments arguments, const Place& place) {
  Result<DataType> type =
      CastToCommon(Operation::kCoalesce, &arguments, place, [](size_t) { return true; });
  if (!type) return tl::unexpected(std::move(type.error()));
  return Bound(*type, std::move(arguments));
}

Result<BoundCall> BindToTimestamp(Arguments arguments, const Place& place) {
  for (ExpressionPtr& argument : arguments) {
    if (argument->type.kind != TypeKind::kString && argument->type.kind != TypeKind::kNull) {
      return Refuse(fmt::format("TO_TIMESTAMP takes STRING, got {}", Describe(*argument)), place);
    }
    if (Status status = CastArgument(&argument, DataType::String()); !status) {
      return tl::unexpected(std::move(status.error()));
    }
  }
  return Bound(DataType::Timestamp(3), std::move(arguments));
}

Result<BoundCall> BindToTimestampLtz(Arguments arguments, const Place& place) {
  if (arguments.size() == 1) {
    arguments.push_back(MakeLiteral({DataType::Int(), int64_t{3}}, place));
  }
  const Expression& precision = *arguments[1];
  const bool known = precision.kind == ExpressionKind::kLiteral && precision.type.is_integer() &&
                     !precision.literal.is_null();
  if (!known || (precision.literal.integer() != 0 && precision.literal.integer() != 3)) {
    return Refuse("the precision of TO_TIMESTAMP_LTZ is 0 (seconds) or 3 (milliseconds)", place);
  }
  const DataType& number = arguments[0]->type;
  if (!number.is_integer() && number.kind != TypeKind::kNull) {
    return Refuse(fmt::format("TO_TIMESTAMP_LTZ takes an integer, got {}", number.ToString()),
                  place);
  }
  if (Status status = CastArgument(&arguments[0], DataType::BigInt()); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  return Bound(DataType::TimestampLtz(3), std::move(arguments));
}

struct ArgumentCount {
  size_t least;
  size_t most;
};

ArgumentCount CountOf(Operation operation) {
  switch (operation) {
    case Operation::kAnd:
    case Operation::kOr:
    case Operation::kCoalesce:
      return {1, kAnyNumber};
    case Operation::kIn:
      return {2, kAnyNumber};
    case Operation::kCase:
      return {3, kAnyNumber};
    case Operation::kLike:
      return {2, 3};
    case Operation::kToTimestamp:
    case Operation::kToTimestampLtz:
      return {1, 2};
    case Operation::kProcTime:
      return {0, 0};
    case Operation::kNot:
    case Operation::kIsNull:
    case Operation::kIsNotNull:
    case Operation::kIsTrue:
    case Operation::kIsFalse:
    case Operation::kIsNotTrue:
    case Operation::kIsNotFalse:
    case Operation::kNegate:
      return {1, 1};
    default:
      return {2, 2};
  }
}

struct NamedOperation {
  Operation operation;
  std::string_view name;
};

constexpr NamedOperation kOperationNames[] = {
    {Operation::kAnd, "AND"},
    {Operation::kOr, "OR"},
    {Operation::kNot, "NOT"},
    {Operation::kIsNull, "IS NULL"},
    {Operation::kIsNotNull, "IS NOT NULL"},
    {Operation::kIsTrue, "IS TRUE"},
    {Operation::kIsFalse, "IS FALSE"},
    {Operation::kIsNotTrue, "IS NOT TRUE"},
    {Operation::kIsNotFalse, "IS NOT FALSE"},
    {Operation::kEqual, "="},
    {Operation::kNotEqual, "<>"},
    {Operation::kLess, "<"},
    {Operation::kLessEqual, "<="},
    {Operation::kGreater, ">"},
    {Operation::kGreaterEqual, ">="},
    {Operation::kIsDistinctFrom, "IS DISTINCT FROM"},
    {Operation::kIsNotDistinctFrom, "IS NOT DISTINCT FROM"},
    {Operation::kAdd, "+"},
    {Operation::kSubtract, "-"},
    {Operation::kMultiply, "*"},
    {Operation::kDivide, "/"},
    {Operation::kModulo, "%"},
    {Operation::kNegate, "-"},
    {Operation::kLike, "LIKE"},
    {Operation::kCase, "CASE"},
    {Operation::kCoalesce, "COALESCE"},
    {Operation::kIn, "IN"},
    {Operation::kCast, "CAST"},
    {Operation::kTryCast, "TRY_CAST"},
    {Operation::kProcTime, "PROCTIME"},
    {Operation::kToTimestamp, "TO_TIMESTAMP"},
    {Operation::kToTimestampLtz, "TO_TIMESTAMP_LTZ"},
    {Operation::kFunction, "function"},
};

}  // namespace

Result<BoundCall> BindOperation(Operation operation, Arguments arguments, const Place& place) {
  const ArgumentCount count = CountOf(operation);
  if (Status status = CheckCount(operation, arguments, count.least, count.most, place); !status) {
    return tl::unexpected(std::move(status.error()));
  }
  switch (operation) {
    case Operation::kAnd:
    case Operation::kOr:
    case Operation::kNot:
    case Operation::kIsTrue:
    case Operation::kIsFalse:
    case Operation::kIsNotTrue:
    case Operation::kIsNotFalse:
      return BindLogic(operation, std::move(arguments), place);
    case Operation::kIsNull:
    case Operation::kIsNotNull:
      return Bound(DataType::Boolean(), std::move(arguments));
    case Operation::kEqual:
    case Operation::kNotEqual:
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kGreater:
    case Operation::kGreaterEqual:
    case Operation::kIsDistinctFrom:
    case Operation::kIsNotDistinctFrom:
    case Operation::kIn:
      return BindComparison(operation, std::move(arguments), place);
    case Operation::kAdd:
    case Operation::kSubtract:
    case Operation::kMultiply:
    case Operation::kDivide:
    case Operation::kModulo:
      return BindArithmetic(operation, std::move(arguments), place);
    case Operation::kNegate:
      return BindNegate(std::move(arguments), place);
    case Operation::kLike:
      return BindLike(std::move(arguments), place);
    case Operation::kCase:
      return BindCase(std::move(arguments), place);
    case Operation::kCoalesce:
      return BindCoalesce(std::move(arguments), place);
    case Operation::kProcTime:
      return Bound(DataType::TimestampLtz(3), std::move(arguments));
    case Operation::kToTimestamp:
      return BindToTimestamp(std::move(arguments), place);
    case Operation::kToTimestampLtz:
      return BindToTimestampLtz(std::move(arguments), place);
    case Operation::kCast:
    case Operation::kTryCast:
    case Operation::kFunction:
      break;
  }
  return Fail(ErrorCode::kInternal, "this call is made by MakeCast or MakeFunction", place);
}

std::string_view OperationName(Operation operation) {
  for (const NamedOperation& named : kOperationNames) {
    if (named.operation == operation) return named.name;
  }
  return "?";
}

}  // namespace braid
