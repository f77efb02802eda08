#include "engine/expression/zone_dependence.h"

#include <algorithm>

#include "engine/expression/cast.h"

namespace braid {

namespace {

bool HasMoment(const Expression& call) {
  return std::any_of(
      call.arguments.begin(), call.arguments.end(),
      [](const ExpressionPtr& argument) { return argument->type.kind == TypeKind::kTimestampLtz; });
}

}  // namespace

bool CallDependsOnZone(const Expression& call) {
  switch (call.operation) {
    case Operation::kCast:
    case Operation::kTryCast:
      return CastNeedsZone(call);
    case Operation::kToTimestamp:
      // By a format a text is read as the clock time that it is.
      return call.arguments.size() == 1 && MayNameZone(*call.arguments[0]);
    case Operation::kAdd:
    case Operation::kSubtract:
      // Months are counted on the clock.
      return call.type.kind == TypeKind::kTimestampLtz &&
             call.arguments[1]->type.kind == TypeKind::kIntervalMonth;
    case Operation::kFunction:
      return HasMoment(call);
    default:
      return false;
  }
}

bool DependsOnZone(const ExpressionPtr& expression) {
  if (expression == nullptr || expression->kind != ExpressionKind::kCall) return false;
  return CallDependsOnZone(*expression) ||
         std::any_of(expression->arguments.begin(), expression->arguments.end(), DependsOnZone);
}

}  // namespace braid
