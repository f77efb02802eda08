#include "engine/expression/function_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/expression/time_unit.h"
#include "engine/expression/type_rules.h"

namespace braid {

namespace {

Status CastArgument(ExpressionPtr* argument, const DataType& type) {
  Result<ExpressionPtr> cast = MakeImplicitCast(*argument, type);
  if (!cast) return tl::unexpected(std::move(cast.error()));
  *argument = std::move(*cast);
  return {};
}

}  // namespace

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

tl::unexpected<Error> RefuseArgument(const FunctionCall& call, std::string_view wanted,
                                     const Expression& got) {
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("{} takes {}, got {}", call.name, wanted, Describe(got)), call.place);
}

Status TakeTexts(FunctionCall* call, size_t first, size_t end) {
  const size_t last = std::min(end, call->arguments.size());
  for (size_t index = first; index < last; ++index) {
    ExpressionPtr& argument = call->arguments[index];
    if (argument->type.kind != TypeKind::kString && argument->type.kind != TypeKind::kNull) {
      return RefuseArgument(*call, "STRING", *argument);
    }
    if (Status status = CastArgument(&argument, DataType::String()); !status) return status;
  }
  return {};
}

Status TakeInt(FunctionCall* call, size_t index) {
  if (index >= call->arguments.size()) return {};
  ExpressionPtr& argument = call->arguments[index];
  const TypeKind kind = argument->type.kind;
  const bool fits =
      kind == TypeKind::kNull || (argument->type.is_integer() && kind != TypeKind::kBigInt);
  if (!fits) return RefuseArgument(*call, "INT", *argument);
  return CastArgument(&argument, DataType::Int());
}

std::string UpperCaseAscii(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return upper;
}

Status TakeUnit(FunctionCall* call, size_t index) {
  ExpressionPtr& argument = call->arguments[index];
  const std::string* text = LiteralText(*argument);
  const TimeUnit* unit = text != nullptr ? FindTimeUnit(UpperCaseAscii(*text)) : nullptr;
  const Place place = argument->place.known() ? argument->place : call->place;
  if (unit != nullptr) {
    argument = MakeLiteral(Value::String(std::string(unit->name)), argument->place);
    return {};
  }
  if (index == 0) {
    return Fail(ErrorCode::kInvalidQuery,
                fmt::format("the first argument of {} is a unit: MICROSECOND, MILLISECOND, SECOND, "
                            "MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR",
                            call->name),
                place);
  }
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("{} goes TO MICROSECOND, MILLISECOND, SECOND, MINUTE, HOUR, DAY, WEEK, "
                          "MONTH, QUARTER or YEAR",
                          call->name),
              place);
}

const std::string* LiteralText(const Expression& expression) {
  if (expression.kind != ExpressionKind::kLiteral || expression.literal.is_null()) return nullptr;
  if (expression.type.kind != TypeKind::kString) return nullptr;
  return &expression.literal.text();
}

}  // namespace braid
