#include "engine/expression/function_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/expression/evaluator.h"
#include "engine/expression/function_arguments.h"
#include "engine/expression/json_value.h"
#include "engine/expression/number_functions.h"
#include "engine/expression/regular_expression.h"
#include "engine/expression/text_functions.h"
#include "engine/expression/time_functions.h"
#include "engine/expression/time_unit.h"
#include "engine/expression/type_rules.h"
#include "state/rows/nearest_name.h"

namespace braid {

namespace {

constexpr size_t kAnyNumber = SIZE_MAX;

template <Operation operation>
Result<ExpressionPtr> MakeOperation(FunctionCall call) {
  return MakeCall(operation, std::move(call.arguments), std::move(call.place));
}

Result<ExpressionPtr> MakeAbs(FunctionCall call) {
  ExpressionPtr& argument = call.arguments[0];
  if (argument->type.kind == TypeKind::kNull) {
    Result<ExpressionPtr> cast = MakeImplicitCast(argument, DataType::Int());
    if (!cast) return cast;
    argument = *cast;
  }
  if (!argument->type.is_numeric()) return RefuseArgument(call, "a number", *argument);
  const DataType type = argument->type;
  return MakeKernelCall(std::move(call), type);
}

Result<ExpressionPtr> MakeCharLength(FunctionCall call) {
  call.name = "CHAR_LENGTH";
  return MakeTextMeasure(std::move(call));
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

bool IsTime(const DataType& type) { return type.is_timestamp() || type.kind == TypeKind::kDate; }

// TIMESTAMPADD(unit, n, t) = t + n * INTERVAL '1' unit; a constant n gives one interval literal, so
// that a bound stays linear.
Result<ExpressionPtr> MakeTimestampAdd(FunctionCall call) {
  if (Status status = TakeUnit(&call, 0); !status) return tl::unexpected(status.error());
  const TimeUnit* unit = FindTimeUnit(*LiteralText(*call.arguments[0]));
  const Expression& number = *call.arguments[1];
  if (!number.type.is_integer() && number.type.kind != TypeKind::kNull) {
    return RefuseArgument(call, "an integer as its second argument", number);
  }
  if (!IsTime(call.arguments[2]->type)) {
    return RefuseArgument(call, "a timestamp or a date as its third argument", *call.arguments[2]);
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

// TIMESTAMPDIFF(unit, from, to): whole units, cut towards zero. INT as in Flink, BIGINT for the
// units below a second. Between two moments the time counts that has passed; months are the session
// clock's, and so is a moment beside a clock time.
Result<ExpressionPtr> MakeTimestampDiff(FunctionCall call) {
  if (Status status = TakeUnit(&call, 0); !status) return tl::unexpected(status.error());
  const TimeUnit* unit = FindTimeUnit(*LiteralText(*call.arguments[0]));
  const auto is_moment = [&call](size_t index) {
    return call.arguments[index]->type.kind == TypeKind::kTimestampLtz;
  };
  const bool counts_passed = unit->months == 0 && is_moment(1) && is_moment(2);
  for (size_t index = 1; index <= 2; ++index) {
    ExpressionPtr& argument = call.arguments[index];
    const bool null = argument->type.kind == TypeKind::kNull;
    if (!IsTime(argument->type) && !null)
      return RefuseArgument(call, "timestamps or dates", *argument);
    const uint8_t precision = null ? 0 : argument->type.precision;
    if (counts_passed || argument->type.kind == TypeKind::kTimestamp) continue;
    Result<ExpressionPtr> cast = MakeImplicitCast(argument, DataType::Timestamp(precision));
    if (!cast) return cast;
    argument = *cast;
  }
  const bool small = unit->micros > 0 && unit->micros < 1'000'000;
  return MakeKernelCall(std::move(call), small ? DataType::BigInt() : DataType::Int());
}

// FLOOR(number), FLOOR(time TO unit).
Result<ExpressionPtr> MakeFloor(FunctionCall call) {
  if (call.arguments.size() == 2) return MakeRoundedTime(std::move(call));
  return MakeWholeNumber(std::move(call));
}

Result<ExpressionPtr> MakeCeiling(FunctionCall call) {
  call.name = "CEIL";
  return MakeFloor(std::move(call));
}

constexpr auto kFunctionRules = std::to_array<FunctionRule>({
    {"ABS", "ABS(number)", 1, 1, MakeAbs},
    {"CEIL", "CEIL(number)", 1, 2, MakeCeiling},
    {"CEILING", "CEILING(number)", 1, 2, MakeCeiling},
    {"CHARACTER_LENGTH", "CHARACTER_LENGTH(text)", 1, 1, MakeCharLength},
    {"CHAR_LENGTH", "CHAR_LENGTH(text)", 1, 1, MakeCharLength},
    {"COALESCE", "COALESCE(value, …)", 1, kAnyNumber, MakeOperation<Operation::kCoalesce>},
    {"CONCAT", "CONCAT(text, …)", 1, kAnyNumber, MakeTextCall},
    {"CURRENT_DATE", "CURRENT_DATE", 0, 0, MakeCurrentDate},
    {"CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP", 0, 0, MakeCurrentTimestamp},
    {"DATE_FORMAT", "DATE_FORMAT(time, format)", 2, 2, MakeDateFormat},
    {"DATE_TRUNC", "DATE_TRUNC(unit, time)", 2, 2, MakeDateTrunc},
    {"EXP", "EXP(number)", 1, 1, MakeDoubleFunction},
    {"EXTRACT", "EXTRACT(field FROM time)", 2, 2, MakeExtract},
    {"FLOOR", "FLOOR(number)", 1, 2, MakeFloor},
    {"GREATEST", "GREATEST(value, …)", 1, kAnyNumber, MakeExtreme},
    {"IF", "IF(condition, value, value)", 3, 3, MakeIf},
    {"IFNULL", "IFNULL(value, value)", 2, 2, MakeOperation<Operation::kCoalesce>},
    {"JSON_VALUE", "JSON_VALUE(text, path)", 2, 2, MakeJsonValue},
    {"LEAST", "LEAST(value, …)", 1, kAnyNumber, MakeExtreme},
    {"LN", "LN(number)", 1, 1, MakeDoubleFunction},
    {"LOCALTIMESTAMP", "LOCALTIMESTAMP", 0, 0, MakeLocalTimestamp},
    {"LOWER", "LOWER(text)", 1, 1, MakeTextCall},
    {"LPAD", "LPAD(text, length, text)", 3, 3, MakePad},
    {"LTRIM", "LTRIM(text[, characters])", 1, 2, MakeTextCall},
    {"MD5", "MD5(text)", 1, 1, MakeTextCall},
    {"MOD", "MOD(number, number)", 2, 2, MakeOperation<Operation::kModulo>},
    {"NOW", "NOW()", 0, 0, MakeCurrentTimestamp},
    {"NULLIF", "NULLIF(value, value)", 2, 2, MakeNullIf},
    {"POSITION", "POSITION(text IN text)", 2, 2, MakeTextMeasure},
    {"POWER", "POWER(number, number)", 2, 2, MakeDoubleFunction},
    {"PROCTIME", "PROCTIME()", 0, 0, MakeOperation<Operation::kProcTime>},
    {"REGEXP_EXTRACT", "REGEXP_EXTRACT(text, pattern[, group])", 2, 3, MakeRegexpExtract},
    {"REGEXP_LIKE", "REGEXP_LIKE(text, pattern)", 2, 2, MakeRegexpLike},
    {"REGEXP_REPLACE", "REGEXP_REPLACE(text, pattern, text)", 3, 3, MakeTextCall},
    {"REPLACE", "REPLACE(text, text, text)", 3, 3, MakeTextCall},
    {"ROUND", "ROUND(number[, digits])", 1, 2, MakeRound},
    {"RPAD", "RPAD(text, length, text)", 3, 3, MakePad},
    {"RTRIM", "RTRIM(text[, characters])", 1, 2, MakeTextCall},
    {"SHA256", "SHA256(text)", 1, 1, MakeTextCall},
    {"SIGN", "SIGN(number)", 1, 1, MakeSign},
    {"SPLIT_INDEX", "SPLIT_INDEX(text, separator, index)", 3, 3, MakeSplitIndex},
    {"SQRT", "SQRT(number)", 1, 1, MakeDoubleFunction},
    {"SUBSTR", "SUBSTR(text, start[, length])", 2, 3, MakeSubstring},
    {"SUBSTRING", "SUBSTRING(text, start[, length])", 2, 3, MakeSubstring},
    {"TIMESTAMPADD", "TIMESTAMPADD(unit, number, time)", 3, 3, MakeTimestampAdd},
    {"TIMESTAMPDIFF", "TIMESTAMPDIFF(unit, time, time)", 3, 3, MakeTimestampDiff},
    {"TO_TIMESTAMP", "TO_TIMESTAMP(text[, format])", 1, 2, MakeOperation<Operation::kToTimestamp>},
    {"TO_TIMESTAMP_LTZ", "TO_TIMESTAMP_LTZ(number[, 0 or 3])", 1, 2,
     MakeOperation<Operation::kToTimestampLtz>},
    {"TRIM", "TRIM(text[, characters])", 1, 2, MakeTextCall},
    {"UPPER", "UPPER(text)", 1, 1, MakeTextCall},
});

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
  const std::string upper = UpperCaseAscii(name);
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
  const std::string hint =
      nearest.empty() ? "; docs/sql.md lists the functions, and CAST(x AS type) changes types"
                      : fmt::format("; did you mean {}?", nearest);
  return Fail(ErrorCode::kInvalidQuery, fmt::format("unknown function {}{}", name, hint),
              std::move(place));
}

}  // namespace braid
