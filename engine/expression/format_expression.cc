#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "engine/expression/expression.h"
#include "engine/expression/operation_rules.h"
#include "engine/expression/quoted.h"
#include "engine/expression/time_functions.h"

namespace braid {

namespace {

using ColumnName = std::function<std::string(int)>;

// How tightly an expression binds; a looser one inside a tighter one needs parentheses.
enum class Binding : uint8_t {
  kOr,
  kAnd,
  kNot,
  kComparison,
  kSum,
  kProduct,
  kSign,
  kPrimary,
};

Binding Tighter(Binding binding) { return static_cast<Binding>(static_cast<uint8_t>(binding) + 1); }

std::string FormatBytes(const std::string& bytes) {
  std::string text = "X'";
  for (const char byte : bytes) text += fmt::format("{:02X}", static_cast<uint8_t>(byte));
  return text + "'";
}

// In the largest unit that gives a whole number, else in seconds with a fraction.
std::string FormatInterval(int64_t micros) {
  struct Unit {
    int64_t micros;
    const char* name;
  };
  constexpr Unit kUnits[] = {
      {86'400'000'000, "DAY"},
      {3'600'000'000, "HOUR"},
      {60'000'000, "MINUTE"},
      {1'000'000, "SECOND"},
  };
  for (const Unit& unit : kUnits) {
    if (micros != 0 && micros % unit.micros == 0) {
      return fmt::format("INTERVAL '{}' {}", micros / unit.micros, unit.name);
    }
  }
  const uint64_t distance =
      micros < 0 ? 0 - static_cast<uint64_t>(micros) : static_cast<uint64_t>(micros);
  std::string seconds = fmt::format("{}{}", micros < 0 ? "-" : "", distance / 1'000'000);
  if (distance % 1'000'000 != 0) {
    std::string fraction = fmt::format("{:06d}", distance % 1'000'000);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    seconds += "." + fraction;
  }
  return fmt::format("INTERVAL '{}' SECOND", seconds);
}

std::string FormatLiteral(const Value& value) {
  if (value.is_null()) return "NULL";
  switch (value.type.kind) {
    case TypeKind::kString:
      return Quoted(value.text(), '\'');
    case TypeKind::kBytes:
      return FormatBytes(value.text());
    case TypeKind::kBoolean:
      return value.integer() != 0 ? "TRUE" : "FALSE";
    case TypeKind::kDate:
      return "DATE " + Quoted(FormatValue(value), '\'');
    case TypeKind::kTimestamp:
      return "TIMESTAMP " + Quoted(FormatValue(value), '\'');
    case TypeKind::kTimestampLtz:
      return fmt::format("CAST({} AS {})", Quoted(FormatValue(value), '\''), value.type.ToString());
    case TypeKind::kIntervalDay:
      return FormatInterval(value.integer());
    case TypeKind::kIntervalMonth:
      return value.integer() % 12 == 0 && value.integer() != 0
                 ? fmt::format("INTERVAL '{}' YEAR", value.integer() / 12)
                 : fmt::format("INTERVAL '{}' MONTH", value.integer());
    default:
      return FormatValue(value);
  }
}

class Formatter {
 public:
  explicit Formatter(const ColumnName& column_name) : column_name_(column_name) {}

  // With parentheses if it binds less tightly than `least`.
  std::string Format(const Expression& expression, Binding least) const {
    if (expression.implicit) return Format(*expression.arguments[0], least);
    const std::string text = FormatBare(expression);
    return BindingOf(expression) < least ? "(" + text + ")" : text;
  }

 private:
  static Binding BindingOf(const Expression& expression) {
    if (expression.kind == ExpressionKind::kLiteral) {
      const bool negative_number = expression.type.is_numeric() && !expression.literal.is_null() &&
                                   FormatLiteral(expression.literal)[0] == '-';
      return negative_number ? Binding::kSign : Binding::kPrimary;
    }
    if (expression.kind == ExpressionKind::kColumn) return Binding::kPrimary;
    switch (expression.operation) {
      case Operation::kOr:
        return Binding::kOr;
      case Operation::kAnd:
        return Binding::kAnd;
      case Operation::kNot:
        return Binding::kNot;
      case Operation::kAdd:
      case Operation::kSubtract:
        return Binding::kSum;
      case Operation::kMultiply:
      case Operation::kDivide:
      case Operation::kModulo:
        return Binding::kProduct;
      case Operation::kNegate:
        return Binding::kSign;
      case Operation::kCase:
      case Operation::kCoalesce:
      case Operation::kCast:
      case Operation::kTryCast:
      case Operation::kProcTime:
      case Operation::kToTimestamp:
      case Operation::kToTimestampLtz:
      case Operation::kFunction:
        return Binding::kPrimary;
      default:
        return Binding::kComparison;
    }
  }

  std::string Argument(const Expression& expression, size_t index, Binding least) const {
    return Format(*expression.arguments[index], least);
  }

  // The arguments from `first` on, separated by `separator`.
  std::string Join(const Expression& expression, size_t first, const std::string& separator,
                   Binding least) const {
    std::string text;
    for (size_t index = first; index < expression.arguments.size(); ++index) {
      if (index > first) text += separator;
      text += Argument(expression, index, least);
    }
    return text;
  }

  std::string Call(std::string_view name, const Expression& expression) const {
    return fmt::format("{}({})", name, Join(expression, 0, ", ", Binding::kOr));
  }

  std::string FormatCase(const Expression& expression) const {
    std::string text = "CASE";
    const size_t last = expression.arguments.size() - 1;
    for (size_t index = 0; index < last; index += 2) {
      text += " WHEN " + Argument(expression, index, Binding::kOr) + " THEN " +
              Argument(expression, index + 1, Binding::kOr);
    }
    const Expression& otherwise = *expression.arguments[last];
    const bool null = otherwise.kind == ExpressionKind::kLiteral && otherwise.literal.is_null();
    if (!null) text += " ELSE " + Format(otherwise, Binding::kOr);
    return text + " END";
  }

  std::string FormatLike(const Expression& expression) const {
    std::string text =
        Argument(expression, 0, Binding::kSum) + " LIKE " + Argument(expression, 1, Binding::kSum);
    if (expression.arguments.size() == 3) {
      text += " ESCAPE " + Argument(expression, 2, Binding::kSum);
    }
    return text;
  }

  // Units and fields are words, not strings; some functions have a syntax of their own.
  std::string FormatFunction(const Expression& expression) const {
    const std::string& name = expression.function;
    const auto word = [&expression](size_t index) {
      return expression.arguments[index]->literal.text();
    };
    const auto argument = [&](size_t index) { return Argument(expression, index, Binding::kSum); };
    if (name == "TIMESTAMPDIFF") {
      return fmt::format("{}({}, {})", name, word(0), Join(expression, 1, ", ", Binding::kOr));
    }
    if (IsCurrentTime(expression)) return name;
    if (name == "EXTRACT") return fmt::format("{}({} FROM {})", name, word(0), argument(1));
    if (name == "POSITION") return fmt::format("{}({} IN {})", name, argument(0), argument(1));
    const bool to_unit = (name == "CEIL" || name == "FLOOR") && expression.arguments.size() == 2;
    if (to_unit) {
      // In parentheses, since an interval at the end would take the TO.
      return fmt::format("{}({} TO {})", name, Argument(expression, 0, Binding::kPrimary), word(1));
    }
    return Call(name, expression);
  }

  std::string FormatBinary(const Expression& expression) const {
    const Binding own = BindingOf(expression);
    // A chain associates to the left; comparisons do not chain at all.
    const Binding left = own == Binding::kComparison ? Tighter(own) : own;
    return fmt::format("{} {} {}", Argument(expression, 0, left),
                       OperationName(expression.operation), Argument(expression, 1, Tighter(own)));
  }

  std::string FormatBare(const Expression& expression) const {
    if (expression.kind == ExpressionKind::kColumn) return column_name_(expression.column);
    if (expression.kind == ExpressionKind::kLiteral) return FormatLiteral(expression.literal);
    const std::string_view name = OperationName(expression.operation);
    switch (expression.operation) {
      case Operation::kAnd:
      case Operation::kOr:
        return Join(expression, 0, fmt::format(" {} ", name), BindingOf(expression));
      case Operation::kNot:
        return "NOT " + Argument(expression, 0, Binding::kNot);
      case Operation::kIsNull:
      case Operation::kIsNotNull:
      case Operation::kIsTrue:
      case Operation::kIsFalse:
      case Operation::kIsNotTrue:
      case Operation::kIsNotFalse:
        return fmt::format("{} {}", Argument(expression, 0, Binding::kSum), name);
      case Operation::kNegate:
        return "-" + Argument(expression, 0, Binding::kPrimary);
      case Operation::kLike:
        return FormatLike(expression);
      case Operation::kCase:
        return FormatCase(expression);
      case Operation::kIn:
        return fmt::format("{} IN ({})", Argument(expression, 0, Binding::kSum),
                           Join(expression, 1, ", ", Binding::kOr));
      case Operation::kCast:
      case Operation::kTryCast:
        return fmt::format("{}({} AS {})", name, Argument(expression, 0, Binding::kOr),
                           expression.type.ToString());
      case Operation::kCoalesce:
      case Operation::kProcTime:
      case Operation::kToTimestamp:
      case Operation::kToTimestampLtz:
        return Call(name, expression);
      case Operation::kFunction:
        return FormatFunction(expression);
      default:
        return FormatBinary(expression);
    }
  }

  const ColumnName& column_name_;
};

}  // namespace

std::string FormatExpression(const Expression& expression,
                             const std::function<std::string(int)>& column_name) {
  return Formatter(column_name).Format(expression, Binding::kOr);
}

}  // namespace braid
