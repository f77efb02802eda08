#include "engine/sql/expression_binder.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/expression/function_registry.h"
#include "engine/sql/interval_literal.h"
#include "engine/sql/literal.h"
#include "engine/sql/name_match.h"
#include "engine/sql/type_name.h"

namespace braid {

namespace {

// Functions that are called without parentheses.
constexpr auto kBareFunctions = std::to_array<std::string_view>(
    {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"});

bool IsBareFunction(const std::string& upper) {
  for (const std::string_view name : kBareFunctions) {
    if (name == upper) return true;
  }
  return false;
}

// Functions whose first argument is a unit of time, written as a bare word.
bool TakesUnit(const std::string& upper) {
  return upper == "TIMESTAMPADD" || upper == "TIMESTAMPDIFF";
}

bool IsNumberLiteral(SyntaxKind kind) {
  return kind == SyntaxKind::kInteger || kind == SyntaxKind::kDecimal ||
         kind == SyntaxKind::kDouble;
}

}  // namespace

Result<ExpressionPtr> ExpressionBinder::Bind(const ExpressionSyntax& syntax) const {
  switch (syntax.kind) {
    case SyntaxKind::kInteger:
    case SyntaxKind::kDecimal:
    case SyntaxKind::kDouble:
    case SyntaxKind::kString:
    case SyntaxKind::kBytes:
    case SyntaxKind::kDate:
    case SyntaxKind::kTimestamp:
    case SyntaxKind::kTrue:
    case SyntaxKind::kFalse:
    case SyntaxKind::kNull:
    case SyntaxKind::kInterval:
      return BindLiteral(syntax, false);
    case SyntaxKind::kName:
      return BindName(syntax);
    case SyntaxKind::kOperator:
      return BindOperator(syntax);
    case SyntaxKind::kIsUnknown:
      return BindIsUnknown(syntax);
    case SyntaxKind::kBetween:
      return BindBetween(syntax);
    case SyntaxKind::kIn:
      return BindSimple(Operation::kIn, syntax);
    case SyntaxKind::kLike:
      return BindSimple(Operation::kLike, syntax);
    case SyntaxKind::kCase:
      return BindCase(syntax);
    case SyntaxKind::kConcatenation:
    case SyntaxKind::kFunction:
      return BindFunction(syntax);
    case SyntaxKind::kFunctionAs:
      return BindCast(syntax);
    case SyntaxKind::kFunctionTo:
      return BindRoundedTime(syntax);
    case SyntaxKind::kFunctionOfStar:
    case SyntaxKind::kFunctionOfQuery:
    case SyntaxKind::kInQuery:
    case SyntaxKind::kRow:
    case SyntaxKind::kScalarQuery:
      break;
  }
  return RefuseKind(syntax);
}

Result<ExpressionPtr> ExpressionBinder::BindCondition(const ExpressionSyntax& syntax,
                                                      const char* clause) const {
  Result<ExpressionPtr> condition = Bind(syntax);
  if (!condition) return condition;
  const DataType& type = (*condition)->type;
  if (type.kind == TypeKind::kBoolean) return condition;
  if (type.kind == TypeKind::kNull) return MakeImplicitCast(*condition, DataType::Boolean());
  return Refuse(fmt::format("{} takes a condition (BOOLEAN), not {}", clause, type.ToString()),
                syntax);
}

tl::unexpected<Error> ExpressionBinder::RefuseKind(const ExpressionSyntax& syntax) const {
  switch (syntax.kind) {
    case SyntaxKind::kFunctionOfStar: {
      const std::string name = UpperCase(syntax.names[0].text);
      if (IsAggregateOrWindowFunction(name)) {
        return Refuse(fmt::format("{}(*) is not supported: Braid joins streams, it does not "
                                  "aggregate them",
                                  name),
                      syntax);
      }
      return Refuse(fmt::format("{} does not take *", name), syntax);
    }
    case SyntaxKind::kFunctionOfQuery:
      if (!EqualsIgnoringCase(syntax.names[0].text, "EXISTS")) {
        return Refuse(fmt::format("{} does not take a subquery", syntax.names[0].text), syntax);
      }
      return Refuse(
          "EXISTS is possible as a condition of WHERE, alone or joined by AND; it becomes "
          "a semi join, NOT EXISTS an anti join",
          syntax);
    case SyntaxKind::kInQuery:
      return Refuse(
          "IN (SELECT …) is possible as a condition of WHERE, alone or joined by AND; it "
          "becomes a semi join",
          syntax);
    case SyntaxKind::kRow:
      return Refuse("a row (a, b) is possible only left of IN (SELECT …)", syntax);
    default:
      return Refuse("a subquery as a value is not supported; join it in FROM", syntax);
  }
}

Result<std::vector<ExpressionPtr>> ExpressionBinder::BindArguments(
    const ExpressionSyntax& syntax) const {
  std::vector<ExpressionPtr> arguments;
  arguments.reserve(syntax.arguments.size());
  for (const ExpressionSyntaxPtr& argument : syntax.arguments) {
    Result<ExpressionPtr> bound = Bind(*argument);
    if (!bound) return tl::unexpected(std::move(bound.error()));
    arguments.push_back(std::move(*bound));
  }
  return arguments;
}

Result<ExpressionPtr> ExpressionBinder::BindLiteral(const ExpressionSyntax& syntax,
                                                    bool negative) const {
  const Place place = PlaceOf(syntax);
  Result<Value> value;
  switch (syntax.kind) {
    case SyntaxKind::kInteger:
      value = IntegerLiteral(syntax.text, negative, place);
      break;
    case SyntaxKind::kDecimal:
      value = DecimalLiteral(syntax.text, negative, place);
      break;
    case SyntaxKind::kDouble:
      value = DoubleLiteral(syntax.text, negative, place);
      break;
    case SyntaxKind::kString:
      value = Value::String(syntax.text);
      break;
    case SyntaxKind::kBytes:
      value = Value{DataType::Bytes(), syntax.text};
      break;
    case SyntaxKind::kDate:
      value = DateLiteral(syntax.text, place);
      break;
    case SyntaxKind::kTimestamp:
      value = TimestampLiteral(syntax.text, place);
      break;
    case SyntaxKind::kInterval:
      value = IntervalLiteral(*syntax.interval, *source_);
      break;
    case SyntaxKind::kTrue:
    case SyntaxKind::kFalse:
      value = Value::Boolean(syntax.kind == SyntaxKind::kTrue);
      break;
    default:
      value = Value::Null();
      break;
  }
  if (!value) return tl::unexpected(std::move(value.error()));
  return MakeLiteral(std::move(*value), place);
}

Result<ExpressionPtr> ExpressionBinder::BindName(const ExpressionSyntax& syntax) const {
  if (syntax.names.size() == 1 && !scope_->Knows(syntax.names[0])) {
    const std::string upper = UpperCase(syntax.names[0].text);
    if (IsBareFunction(upper)) return MakeFunction(upper, {}, PlaceOf(syntax));
  }
  Result<const ScopeColumn*> column = scope_->Find(syntax.names, *source_);
  if (!column) return tl::unexpected(std::move(column.error()));
  const ExpressionPtr& expression = (*column)->expression;
  if (expression->kind != ExpressionKind::kColumn) return expression;
  return MakeColumn(expression->column, expression->type, PlaceOf(syntax));
}

Result<ExpressionPtr> ExpressionBinder::BindOperator(const ExpressionSyntax& syntax) const {
  if (syntax.operation == Operation::kNegate) return BindNegate(syntax);
  Result<std::vector<ExpressionPtr>> arguments = BindArguments(syntax);
  if (!arguments) return tl::unexpected(std::move(arguments.error()));
  return MakeCall(syntax.operation, std::move(*arguments), PlaceOf(syntax));
}

// The sign belongs to the number: -9223372036854775808 is a BIGINT, its digits alone are none.
Result<ExpressionPtr> ExpressionBinder::BindNegate(const ExpressionSyntax& syntax) const {
  const ExpressionSyntax& operand = *syntax.arguments[0];
  if (IsNumberLiteral(operand.kind)) return BindLiteral(operand, true);
  Result<ExpressionPtr> bound = Bind(operand);
  if (!bound) return bound;
  const Expression& expression = **bound;
  const bool is_interval = expression.type.kind == TypeKind::kIntervalDay ||
                           expression.type.kind == TypeKind::kIntervalMonth;
  if (expression.kind == ExpressionKind::kLiteral && is_interval) {
    Value value = expression.literal;
    if (__builtin_sub_overflow(int64_t{0}, value.integer(), &std::get<int64_t>(value.data))) {
      return Refuse("the interval is too long", syntax);
    }
    return MakeLiteral(std::move(value), PlaceOf(syntax));
  }
  return MakeCall(Operation::kNegate, {std::move(*bound)}, PlaceOf(syntax));
}

Result<ExpressionPtr> ExpressionBinder::BindIsUnknown(const ExpressionSyntax& syntax) const {
  Result<ExpressionPtr> condition = BindCondition(*syntax.arguments[0], "IS UNKNOWN");
  if (!condition) return condition;
  return MakeCall(syntax.negated ? Operation::kIsNotNull : Operation::kIsNull,
                  {std::move(*condition)}, PlaceOf(syntax));
}

// x BETWEEN a AND b is x >= a AND x <= b; NOT BETWEEN is the NOT of it.
Result<ExpressionPtr> ExpressionBinder::BindBetween(const ExpressionSyntax& syntax) const {
  const Place place = PlaceOf(syntax);
  Result<std::vector<ExpressionPtr>> arguments = BindArguments(syntax);
  if (!arguments) return tl::unexpected(std::move(arguments.error()));
  const std::vector<ExpressionPtr>& parts = *arguments;
  Result<ExpressionPtr> lower = MakeCall(Operation::kGreaterEqual, {parts[0], parts[1]}, place);
  if (!lower) return lower;
  Result<ExpressionPtr> upper = MakeCall(Operation::kLessEqual, {parts[0], parts[2]}, place);
  if (!upper) return upper;
  Result<ExpressionPtr> both = MakeCall(Operation::kAnd, {*lower, *upper}, place);
  if (!both || !syntax.negated) return both;
  return MakeCall(Operation::kNot, {*both}, place);
}

Result<ExpressionPtr> ExpressionBinder::BindSimple(Operation operation,
                                                   const ExpressionSyntax& syntax) const {
  Result<std::vector<ExpressionPtr>> arguments = BindArguments(syntax);
  if (!arguments) return tl::unexpected(std::move(arguments.error()));
  Result<ExpressionPtr> call = MakeCall(operation, std::move(*arguments), PlaceOf(syntax));
  if (!call || !syntax.negated) return call;
  return MakeCall(Operation::kNot, {std::move(*call)}, PlaceOf(syntax));
}

Result<ExpressionPtr> ExpressionBinder::BindCase(const ExpressionSyntax& syntax) const {
  Result<std::vector<ExpressionPtr>> bound = BindArguments(syntax);
  if (!bound) return tl::unexpected(std::move(bound.error()));
  std::vector<ExpressionPtr> parts = std::move(*bound);
  if (syntax.has_operand) {
    const ExpressionPtr operand = parts.front();
    parts.erase(parts.begin());
    const size_t branches = parts.size() - (syntax.has_else ? 1 : 0);
    for (size_t index = 0; index < branches; index += 2) {
      Result<ExpressionPtr> equal =
          MakeCall(Operation::kEqual, {operand, parts[index]}, parts[index]->place);
      if (!equal) return equal;
      parts[index] = std::move(*equal);
    }
  }
  if (!syntax.has_else) parts.push_back(MakeLiteral(Value::Null(), PlaceOf(syntax)));
  return MakeCall(Operation::kCase, std::move(parts), PlaceOf(syntax));
}

Result<ExpressionPtr> ExpressionBinder::BindFunction(const ExpressionSyntax& syntax) const {
  const Place place = PlaceOf(syntax);
  const bool concatenation = syntax.kind == SyntaxKind::kConcatenation;
  const std::string name = concatenation ? "CONCAT" : UpperCase(syntax.names[0].text);
  if (name == "CAST" || name == "TRY_CAST") {
    return Refuse(fmt::format("{0} is written {0}(value AS type)", name), syntax);
  }
  std::vector<ExpressionPtr> arguments;
  for (const ExpressionSyntaxPtr& argument : syntax.arguments) {
    if (arguments.empty() && TakesUnit(name) && argument->kind == SyntaxKind::kName) {
      const std::string unit = argument->names.back().text;
      arguments.push_back(MakeLiteral(Value::String(unit), PlaceOf(*argument)));
      continue;
    }
    Result<ExpressionPtr> bound = Bind(*argument);
    if (!bound) return bound;
    arguments.push_back(std::move(*bound));
  }
  return MakeFunction(name, std::move(arguments), place);
}

Result<ExpressionPtr> ExpressionBinder::BindRoundedTime(const ExpressionSyntax& syntax) const {
  const std::string name = UpperCase(syntax.names[0].text);
  if (name != "CEIL" && name != "CEILING" && name != "FLOOR") {
    return Refuse(fmt::format("{} does not take TO; CEIL and FLOOR do", name), syntax);
  }
  Result<ExpressionPtr> argument = Bind(*syntax.arguments[0]);
  if (!argument) return argument;
  const NameSyntax& unit = syntax.names[1];
  return MakeFunction(name,
                      {std::move(*argument),
                       MakeLiteral(Value::String(unit.text), source_->PlaceAt(unit.range.begin))},
                      PlaceOf(syntax));
}

Result<ExpressionPtr> ExpressionBinder::BindCast(const ExpressionSyntax& syntax) const {
  const std::string name = UpperCase(syntax.names[0].text);
  if (name != "CAST" && name != "TRY_CAST") {
    return Refuse(fmt::format("{} does not take AS; CAST and TRY_CAST do", name), syntax);
  }
  Result<ExpressionPtr> argument = Bind(*syntax.arguments[0]);
  if (!argument) return argument;
  Result<DataType> type = ResolveType(*syntax.type, *source_);
  if (!type) return tl::unexpected(std::move(type.error()));
  const bool is_try = name == "TRY_CAST";
  Result<ExpressionPtr> cast = MakeCast(*argument, *type, PlaceOf(syntax), is_try);
  if (!cast || *cast != *argument || !type->is_timestamp()) return cast;
  // Even to the type that it has: what went through a CAST is no row time any more.
  auto kept = std::make_shared<Expression>();
  kept->kind = ExpressionKind::kCall;
  kept->type = *type;
  kept->operation = is_try ? Operation::kTryCast : Operation::kCast;
  kept->arguments = {std::move(*argument)};
  kept->place = PlaceOf(syntax);
  return kept;
}

}  // namespace braid
