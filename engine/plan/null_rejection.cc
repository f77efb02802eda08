#include "engine/plan/null_rejection.h"

#include <cstdint>

namespace braid {

namespace {

// The values that an expression may have, as a set. kFalse stands for every value but NULL and TRUE
// of a BOOLEAN, and for every value but NULL of other types, for which kTrue is never used.
using Outcomes = uint8_t;
constexpr Outcomes kNull = 1;
constexpr Outcomes kTrue = 2;
constexpr Outcomes kFalse = 4;

constexpr bool Has(Outcomes set, Outcomes value) { return (set & value) != 0; }

class Analysis {
 public:
  explicit Analysis(const std::function<bool(int)>& is_null) : is_null_(is_null) {}

  Outcomes Of(const Expression& expression) const {
    switch (expression.kind) {
      case ExpressionKind::kColumn:
        return is_null_(expression.column) ? kNull : static_cast<Outcomes>(kNull | Any(expression));
      case ExpressionKind::kLiteral:
        return OfLiteral(expression);
      case ExpressionKind::kCall:
        return OfCall(expression);
    }
    return kNull | kTrue | kFalse;
  }

 private:
  // All values but NULL.
  static Outcomes Any(const Expression& expression) {
    return expression.type.kind == TypeKind::kBoolean ? (kTrue | kFalse) : kFalse;
  }

  static Outcomes OfLiteral(const Expression& expression) {
    if (expression.literal.is_null()) return kNull;
    if (expression.type.kind != TypeKind::kBoolean) return kFalse;
    return expression.literal.integer() != 0 ? kTrue : kFalse;
  }

  Outcomes OfArgument(const Expression& call, size_t index) const {
    return Of(*call.arguments[index]);
  }

  // TRUE for the outcomes in `wanted`, FALSE for the others.
  Outcomes Test(const Expression& call, Outcomes wanted) const {
    const Outcomes argument = OfArgument(call, 0);
    Outcomes result = 0;
    if (Has(argument, wanted)) result |= kTrue;
    if ((argument & ~wanted) != 0) result |= kFalse;
    return result;
  }

  Outcomes OfNot(const Expression& call) const {
    const Outcomes argument = OfArgument(call, 0);
    Outcomes result = argument & kNull;
    if (Has(argument, kTrue)) result |= kFalse;
    if (Has(argument, kFalse)) result |= kTrue;
    return result;
  }

  // AND (dominant FALSE) or OR (dominant TRUE) of all arguments.
  Outcomes OfLogic(const Expression& call, Outcomes dominant) const {
    const Outcomes neutral = dominant == kFalse ? kTrue : kFalse;
    Outcomes result = neutral;
    for (size_t index = 0; index < call.arguments.size(); ++index) {
      const Outcomes argument = OfArgument(call, index);
      Outcomes next = (result | argument) & dominant;
      if (Has(result, neutral) && Has(argument, neutral)) next |= neutral;
      if ((Has(result, kNull) && (argument & ~dominant) != 0) ||
          (Has(argument, kNull) && (result & ~dominant) != 0)) {
        next |= kNull;
      }
      result = next;
    }
    return result;
  }

  // NULL as soon as an argument is, any value otherwise.
  Outcomes OfStrict(const Expression& call) const {
    Outcomes result = Any(call);
    for (size_t index = 0; index < call.arguments.size(); ++index) {
      const Outcomes argument = OfArgument(call, index);
      if (argument == kNull) return kNull;
      result |= argument & kNull;
    }
    return result;
  }

  Outcomes OfDistinct(const Expression& call, Outcomes when_equal) const {
    const Outcomes left = OfArgument(call, 0);
    const Outcomes right = OfArgument(call, 1);
    const Outcomes when_distinct = when_equal == kTrue ? kFalse : kTrue;
    if (left == kNull && right == kNull) return when_equal;
    const bool one_is_null =
        (left == kNull && !Has(right, kNull)) || (right == kNull && !Has(left, kNull));
    return one_is_null ? when_distinct : static_cast<Outcomes>(kTrue | kFalse);
  }

  Outcomes OfCoalesce(const Expression& call) const {
    Outcomes result = 0;
    for (size_t index = 0; index < call.arguments.size(); ++index) {
      const Outcomes argument = OfArgument(call, index);
      result |= argument & ~kNull;
      if (!Has(argument, kNull)) return result;
    }
    return result | kNull;
  }

  // (condition, value, condition, value, …, else): the values that can be reached.
  Outcomes OfCase(const Expression& call) const {
    Outcomes result = 0;
    for (size_t index = 0; index + 1 < call.arguments.size(); index += 2) {
      const Outcomes condition = OfArgument(call, index);
      if (Has(condition, kTrue)) result |= OfArgument(call, index + 1);
      if (condition == kTrue) return result;
    }
    return result | OfArgument(call, call.arguments.size() - 1);
  }

  // (needle, candidate, …): NULL if the needle is, or if it equals none and one of them is NULL.
  Outcomes OfIn(const Expression& call) const {
    const Outcomes needle = OfArgument(call, 0);
    if (needle == kNull) return kNull;
    Outcomes result = kFalse | (needle & kNull);
    for (size_t index = 1; index < call.arguments.size(); ++index) {
      const Outcomes candidate = OfArgument(call, index);
      result |= candidate & kNull;
      if (candidate == kNull) result &= ~kFalse;
      if ((candidate & ~kNull) != 0) result |= kTrue;
    }
    return result;
  }

  Outcomes OfCall(const Expression& call) const {
    switch (call.operation) {
      case Operation::kAnd:
        return OfLogic(call, kFalse);
      case Operation::kOr:
        return OfLogic(call, kTrue);
      case Operation::kNot:
        return OfNot(call);
      case Operation::kIsNull:
        return Test(call, kNull);
      case Operation::kIsNotNull:
        return Test(call, kTrue | kFalse);
      case Operation::kIsTrue:
        return Test(call, kTrue);
      case Operation::kIsFalse:
        return Test(call, kFalse);
      case Operation::kIsNotTrue:
        return Test(call, kNull | kFalse);
      case Operation::kIsNotFalse:
        return Test(call, kNull | kTrue);
      case Operation::kIsNotDistinctFrom:
        return OfDistinct(call, kTrue);
      case Operation::kIsDistinctFrom:
        return OfDistinct(call, kFalse);
      case Operation::kCoalesce:
        return OfCoalesce(call);
      case Operation::kCase:
        return OfCase(call);
      case Operation::kIn:
        return OfIn(call);
      case Operation::kEqual:
      case Operation::kNotEqual:
      case Operation::kLess:
      case Operation::kLessEqual:
      case Operation::kGreater:
      case Operation::kGreaterEqual:
      case Operation::kAdd:
      case Operation::kSubtract:
      case Operation::kMultiply:
      case Operation::kDivide:
      case Operation::kModulo:
      case Operation::kNegate:
      case Operation::kLike:
        return OfStrict(call);
      case Operation::kCast:
        return OfCast(call);
      case Operation::kTryCast:
      case Operation::kToTimestamp:
      case Operation::kToTimestampLtz:
        return OfStrict(call) | kNull;
      case Operation::kProcTime:
        return kFalse;
      case Operation::kFunction:
        return kNull | Any(call);
    }
    return kNull | kTrue | kFalse;
  }

  Outcomes OfCast(const Expression& call) const {
    // A BOOLEAN stays what it is; anything else cast to BOOLEAN may be either.
    if (call.arguments[0]->type == call.type) return OfArgument(call, 0);
    return OfStrict(call);
  }

  const std::function<bool(int)>& is_null_;
};

}  // namespace

bool RejectsNull(const Expression& condition, const std::function<bool(int)>& is_null) {
  return !Has(Analysis(is_null).Of(condition), kTrue);
}

}  // namespace braid
