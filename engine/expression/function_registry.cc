#include "engine/expression/function_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/expression/evaluator.h"
#include "engine/expression/time_unit.h"
#include "engine/expression/type_rules.h"
#include "state/rows/nearest_name.h"

namespace braid {

namespace {

constexpr size_t kAnyNumber = SIZE_MAX;

Result<ExpressionPtr> MakeKernelCall(FunctionCall call, DataType type) {
  auto expression = std::make_shared<Expression>();
  expression->kind = ExpressionKind::kCall;
  expression->operation = Operation::kFunction;
  expression->function = std::move(call.name);
  expression->type = type;
  expression->arguments = std::move(call.arguments);
  expression->place = std::move(call.place);
  return expression;
}

template <Operation operation>
Result<ExpressionPtr> MakeOperation(FunctionCall call) {
  return MakeCall(operation, std::move(call.arguments), std::move(call.place));
}

tl::unexpected<Error> Refuse(const FunctionCall& call, std::string_view wanted,
                             const Expression& got) {
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("{} takes {}, got {}", call.name, wanted, Describe(got)), call.place);
}

Result<ExpressionPtr> MakeAbs(FunctionCall call) {
  ExpressionPtr& argument = call.arguments[0];
  if (argument->type.kind == TypeKind::kNull) {
    Result<ExpressionPtr> cast = MakeImplicitCast(argument, DataType::Int());
    if (!cast) return cast;
    argument = *cast;
  }
  if (!argument->type.is_numeric()) return Refuse(call, "a number", *argument);
  const DataType type = argument->type;
  return MakeKernelCall(std::move(call), type);
}

// STRING -> `type`.
Result<ExpressionPtr> MakeTextFunction(FunctionCall call, DataType type) {
  ExpressionPtr& argument = call.arguments[0];
  if (argument->type.kind != TypeKind::kString && argument->type.kind != TypeKind::kNull) {
    return Refuse(call, "STRING", *argument);
  }
  Result<ExpressionPtr> cast = MakeImplicitCast(argument, DataType::String());
  if (!cast) return cast;
  argument = *cast;
  return MakeKernelCall(std::move(call), type);
}

Result<ExpressionPtr> MakeTextToText(FunctionCall call) {
  return MakeTextFunction(std::move(call), DataType::String());
}

Result<ExpressionPtr> MakeCharLength(FunctionCall call) {
  call.name = "CHAR_LENGTH";
  return MakeTextFunction(std::move(call), DataType::Int());
}

// IF(condition, value, value).
Result<ExpressionPtr> MakeIf(FunctionCall call) {
  return MakeCall(Operation::kCase, std::move(call.arguments), std::move(call.place));
}

// NULLIF(a, b) = CASE WHEN a = b THEN NULL ELSE a END.
Result<ExpressionPtr> MakeNullIf(FunctionCall call) {
  const ExpressionPtr first = call.arguments[0];
  Result<ExpressionPtr> equal = MakeCall(Operation::kEqual, std::move(call.arguments), call.place);
  if (!equal) return equal;
  return MakeCall(Operation::kCase, {*equal, MakeLiteral(Value::Null(), call.place), first},
                  call.place);
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return upper;
}

Result<TimeUnit> UnitOf(const FunctionCall& call) {
  const Expression& argument = *call.arguments[0];
  const bool text = argument.kind == ExpressionKind::kLiteral &&
                    argument.type.kind == TypeKind::kString && !argument.literal.is_null();
  const TimeUnit* unit = text ? FindTimeUnit(UpperCase(argument.literal.text())) : nullptr;
  if (unit != nullptr) return *unit;
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("the first argument of {} is a unit: MICROSECOND, MILLISECOND, SECOND, "
                          "MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR",
                          call.name),
              argument.place.known() ? argument.place : call.place);
}

bool IsTime(const DataType& type) { return type.is_timestamp() || type.kind == TypeKind::kDate; }

// TIMESTAMPADD(unit, n, t) = t + n * INTERVAL '1' unit; a constant n gives one interval literal, so
// that a bound stays linear.
Result<ExpressionPtr> MakeTimestampAdd(FunctionCall call) {
  const Result<TimeUnit> unit = UnitOf(call);
  if (!unit) return tl::unexpected(unit.error());
  const Expression& number = *call.arguments[1];
  if (!number.type.is_integer() && number.type.kind != TypeKind::kNull) {
    return Refuse(call, "an integer as its second argument", number);
  }
  if (!IsTime(call.arguments[2]->type)) {
    return Refuse(call, "a timestamp or a date as its third argument", *call.arguments[2]);
  }
  Value one = unit->months > 0 ? Value{DataType::IntervalMonth(), unit->months}
                               : Value{DataType::IntervalDay(), unit->micros};
  Result<ExpressionPtr> interval =
      MakeCall(Operation::kMultiply, {MakeLiteral(std::move(one), number.place), call.arguments[1]},
               call.place);
  if (!interval) return interval;
  if (IsConstant(number)) {
    Result<Value> folded = EvaluateConstant(*interval);
    if (!folded) return tl::unexpected(std::move(folded.error()));
    interval = MakeLiteral(std::move(*folded), number.place);
  }
  return MakeCall(Operation::kAdd, {call.arguments[2], *interval}, call.place);
}

// TIMESTAMPDIFF(unit, from, to): whole units, cut towards zero. INT as in Flink; the units below a
// second, which Flink does not have, give BIGINT.
Result<ExpressionPtr> MakeTimestampDiff(FunctionCall call) {
  const Result<TimeUnit> unit = UnitOf(call);
  if (!unit) return tl::unexpected(unit.error());
  call.arguments[0] = MakeLiteral(Value::String(std::string(unit->name)), call.arguments[0]->place);
  for (size_t index = 1; index <= 2; ++index) {
    ExpressionPtr& argument = call.arguments[index];
    const bool null = argument->type.kind == TypeKind::kNull;
    if (!IsTime(argument->type) && !null) return Refuse(call, "timestamps or dates", *argument);
    const bool local = argument->type.kind == TypeKind::kTimestamp;
    const uint8_t precision = null ? 0 : argument->type.precision;
    if (local) continue;
    Result<ExpressionPtr> cast = MakeImplicitCast(argument, DataType::Timestamp(precision));
    if (!cast) return cast;
    argument = *cast;
  }
  const bool small = unit->micros > 0 && unit->micros < 1'000'000;
  return MakeKernelCall(std::move(call), small ? DataType::BigInt() : DataType::Int());
}

constexpr std::array<FunctionRule, 15> kFunctionRules = {{
    {"ABS", "ABS(number)", 1, 1, MakeAbs},
    {"CHARACTER_LENGTH", "CHARACTER_LENGTH(text)", 1, 1, MakeCharLength},
    {"CHAR_LENGTH", "CHAR_LENGTH(text)", 1, 1, MakeCharLength},
    {"COALESCE", "COALESCE(value, …)", 1, kAnyNumber, MakeOperation<Operation::kCoalesce>},
    {"IF", "IF(condition, value, value)", 3, 3, MakeIf},
    {"IFNULL", "IFNULL(value, value)", 2, 2, MakeOperation<Operation::kCoalesce>},
    {"LOWER", "LOWER(text)", 1, 1, MakeTextToText},
    {"MOD", "MOD(number, number)", 2, 2, MakeOperation<Operation::kModulo>},
    {"NULLIF", "NULLIF(value, value)", 2, 2, MakeNullIf},
    {"PROCTIME", "PROCTIME()", 0, 0, MakeOperation<Operation::kProcTime>},
    {"TIMESTAMPADD", "TIMESTAMPADD(unit, number, time)", 3, 3, MakeTimestampAdd},
    {"TIMESTAMPDIFF", "TIMESTAMPDIFF(unit, time, time)", 3, 3, MakeTimestampDiff},
    {"TO_TIMESTAMP", "TO_TIMESTAMP(text[, format])", 1, 2, MakeOperation<Operation::kToTimestamp>},
    {"TO_TIMESTAMP_LTZ", "TO_TIMESTAMP_LTZ(number[, 0 or 3])", 1, 2,
     MakeOperation<Operation::kToTimestampLtz>},
    {"UPPER", "UPPER(text)", 1, 1, MakeTextToText},
}};

constexpr std::array<std::string_view, 41> kAggregateNames = {
    "APPROX_COUNT_DISTINCT",
    "ARRAY_AGG",
    "AVG",
    "COLLECT",
    "COLLECT_LIST",
    "COLLECT_SET",
    "COUNT",
    "CUME_DIST",
    "CUMULATE",
    "DENSE_RANK",
    "FIRST_VALUE",
    "GROUPING",
    "GROUPING_ID",
    "HOP",
    "HOP_END",
    "HOP_START",
    "LAG",
    "LAST_VALUE",
    "LEAD",
    "LISTAGG",
    "MAX",
    "MEDIAN",
    "MIN",
    "NTH_VALUE",
    "NTILE",
    "PERCENTILE",
    "PERCENT_RANK",
    "RANK",
    "ROW_NUMBER",
    "SESSION",
    "SESSION_END",
    "SESSION_START",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "SUM",
    "TUMBLE",
    "TUMBLE_END",
    "TUMBLE_START",
    "VARIANCE",
    "WINDOW",
};

}  // namespace

std::span<const FunctionRule> FunctionRules() { return kFunctionRules; }

bool IsAggregateOrWindowFunction(std::string_view name) {
  return std::find(kAggregateNames.begin(), kAggregateNames.end(), name) != kAggregateNames.end();
}

Result<ExpressionPtr> MakeFunction(const std::string& name, std::vector<ExpressionPtr> arguments,
                                   Place place) {
  const std::string upper = UpperCase(name);
  const auto rule = std::find_if(kFunctionRules.begin(), kFunctionRules.end(),
                                 [&upper](const FunctionRule& r) { return r.name == upper; });
  if (rule != kFunctionRules.end()) {
    if (arguments.size() < rule->least_arguments || arguments.size() > rule->most_arguments) {
      return Fail(ErrorCode::kInvalidQuery,
                  fmt::format("{} is written {}, got {} argument{}", upper, rule->usage,
                              arguments.size(), arguments.size() == 1 ? "" : "s"),
                  std::move(place));
    }
    return rule->make({upper, std::move(arguments), std::move(place)});
  }
  if (IsAggregateOrWindowFunction(upper)) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("{} is an aggregate or window function, and Braid joins rows one by "
                            "one: it does not aggregate",
                            upper),
                std::move(place));
  }
  std::vector<std::string_view> names;
  for (const FunctionRule& known : kFunctionRules) names.push_back(known.name);
  const std::string nearest = NearestName(upper, names);
  const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
  return Fail(ErrorCode::kInvalidQuery, fmt::format("unknown function {}{}", name, hint),
              std::move(place));
}

}  // namespace braid
