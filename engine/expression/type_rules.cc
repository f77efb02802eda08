#include "engine/expression/type_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "state/rows/check.h"

namespace braid {

namespace {

constexpr int64_t kMicrosPerDay = 86'400'000'000;

int IntegerDigits(TypeKind kind) {
  switch (kind) {
    case TypeKind::kTinyInt:
      return 3;
    case TypeKind::kSmallInt:
      return 5;
    case TypeKind::kInt:
      return 10;
    default:
      return 19;
  }
}

struct DecimalShape {
  int precision;
  int scale;
};

// The shape of a number in the precision rules, where a BIGINT counts with its full 19 digits.
DecimalShape ShapeOf(const DataType& type) {
  if (type.kind == TypeKind::kDecimal) return {type.precision, type.scale};
  return {IntegerDigits(type.kind), 0};
}

// Flink's rule for a result that is too wide: digits before the point go first, but up to six
// behind it are kept.
DataType CappedDecimal(DecimalShape shape) {
  if (shape.precision > kMaxDecimalPrecision) {
    const int whole_digits = shape.precision - shape.scale;
    const int least_scale = std::min(shape.scale, 6);
    shape.scale = std::max(kMaxDecimalPrecision - whole_digits, least_scale);
    shape.precision = kMaxDecimalPrecision;
  }
  return DataType::Decimal(static_cast<uint8_t>(shape.precision),
                           static_cast<uint8_t>(shape.scale));
}

// The DECIMAL of both; it keeps the larger scale, so that nothing is rounded.
DataType CommonDecimal(const DataType& left, const DataType& right) {
  const DecimalShape a = ShapeOf(left);
  const DecimalShape b = ShapeOf(right);
  const int scale = std::max(a.scale, b.scale);
  const int whole_digits = std::max(a.precision - a.scale, b.precision - b.scale);
  const int precision = std::min<int>(whole_digits + scale, kMaxDecimalPrecision);
  return DataType::Decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale));
}

DataType CommonNumber(const DataType& left, const DataType& right) {
  if (left.is_floating() || right.is_floating()) {
    // FLOAT holds the small integers exactly, not INT and more.
    const auto fits_float = [](const DataType& type) {
      return type.kind == TypeKind::kFloat || type.kind == TypeKind::kTinyInt ||
             type.kind == TypeKind::kSmallInt;
    };
    return fits_float(left) && fits_float(right) ? DataType::Float() : DataType::Double();
  }
  if (left.kind == TypeKind::kDecimal || right.kind == TypeKind::kDecimal) {
    return CommonDecimal(left, right);
  }
  return left.kind > right.kind ? left : right;
}

bool IsTime(const DataType& type) { return type.is_timestamp() || type.kind == TypeKind::kDate; }

DataType CommonTime(const DataType& left, const DataType& right) {
  const uint8_t precision = std::max(left.precision, right.precision);
  if (left.kind == TypeKind::kTimestampLtz && right.kind == TypeKind::kTimestampLtz) {
    return DataType::TimestampLtz(precision);
  }
  return DataType::Timestamp(precision);
}

tl::unexpected<Error> NoCommonType(const DataType& left, const DataType& right) {
  return Fail(ErrorCode::kInvalidQuery, fmt::format("{} and {} do not go together; write a CAST",
                                                    left.ToString(), right.ToString()));
}

int64_t LiteralGranularity(const Value& literal) {
  if (literal.is_null()) return 0;
  const int64_t micros = literal.integer();
  if (micros == std::numeric_limits<int64_t>::min()) return 1;
  return micros < 0 ? -micros : micros;
}

}  // namespace

DataType AsDecimal(const DataType& type) {
  if (type.kind == TypeKind::kDecimal) return type;
  const int digits = std::min<int>(IntegerDigits(type.kind), kMaxDecimalPrecision);
  return DataType::Decimal(static_cast<uint8_t>(digits), 0);
}

Result<DataType> CommonType(const DataType& left, const DataType& right) {
  if (left.kind == TypeKind::kNull) return right;
  if (right.kind == TypeKind::kNull) return left;
  if (left.is_numeric() && right.is_numeric()) return CommonNumber(left, right);
  if (left == right) {
    DataType type = left;
    const bool unlimited = left.length == 0 || right.length == 0;
    type.length = unlimited ? 0 : std::max(left.length, right.length);
    return type;
  }
  if (IsTime(left) && IsTime(right)) return CommonTime(left, right);
  if (left.kind == TypeKind::kString && IsTime(right)) return right;
  if (right.kind == TypeKind::kString && IsTime(left)) return left;
  return NoCommonType(left, right);
}

Result<DataType> ComparisonType(const DataType& left, const DataType& right) {
  const auto reads_string = [](const DataType& string, const DataType& other) {
    return string.kind == TypeKind::kString &&
           (other.is_numeric() || other.is_timestamp() || other.kind == TypeKind::kBoolean);
  };
  DataType type;
  if (reads_string(left, right)) {
    type = right;
  } else if (reads_string(right, left)) {
    type = left;
  } else {
    return CommonType(left, right);
  }
  // All digits that the text has count: '… 00:00:00.0005' is not the same moment as '… 00:00:00'.
  if (type.is_timestamp()) type.precision = kMaxTimePrecision;
  return type;
}

DataType NumericResultType(Operation operation, const DataType& left, const DataType& right) {
  BRAID_CHECK(left.is_numeric() && right.is_numeric(), "arithmetic over numbers");
  if (left.is_floating() || right.is_floating()) {
    const auto stays_float = [](const DataType& type) {
      return type.kind == TypeKind::kFloat || type.is_integer();
    };
    return stays_float(left) && stays_float(right) ? DataType::Float() : DataType::Double();
  }
  if (left.is_integer() && right.is_integer()) return CommonNumber(left, right);
  const DecimalShape a = ShapeOf(left);
  const DecimalShape b = ShapeOf(right);
  DecimalShape shape{};
  switch (operation) {
    case Operation::kMultiply:
      shape = {a.precision + b.precision + 1, a.scale + b.scale};
      break;
    case Operation::kDivide:
      shape.scale = std::max(6, a.scale + b.precision + 1);
      shape.precision = a.precision - a.scale + b.scale + shape.scale;
      break;
    case Operation::kModulo:
      shape.scale = std::max(a.scale, b.scale);
      shape.precision = std::min(a.precision - a.scale, b.precision - b.scale) + shape.scale;
      shape.precision = std::max(shape.precision, 1);
      break;
    default:
      shape.scale = std::max(a.scale, b.scale);
      shape.precision = std::max(a.precision - a.scale, b.precision - b.scale) + shape.scale + 1;
      break;
  }
  return CappedDecimal(shape);
}

bool CanCast(const DataType& from, const DataType& to) {
  if (from.kind == TypeKind::kNull || from.kind == to.kind) return true;
  if (to.kind == TypeKind::kNull) return false;
  const auto is_count = [](const DataType& type) {
    return type.is_numeric() || type.kind == TypeKind::kBoolean;
  };
  if (is_count(from) && is_count(to)) return true;
  if (IsTime(from) && IsTime(to)) return true;
  if (to.kind == TypeKind::kString) return true;
  if (from.kind == TypeKind::kString) {
    return is_count(to) || IsTime(to) || to.kind == TypeKind::kBytes;
  }
  return false;
}

bool StoresImplicitly(const DataType& from, const DataType& to) {
  if (from.kind == TypeKind::kNull || from.kind == to.kind) return true;
  switch (to.kind) {
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt:
      return from.is_integer() && from.kind < to.kind;
    case TypeKind::kFloat:
      return from.is_integer() || from.kind == TypeKind::kDecimal;
    case TypeKind::kDecimal:
    case TypeKind::kDouble:
      return from.is_numeric();
    case TypeKind::kDate:
      return from.kind == TypeKind::kTimestamp;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return from.is_timestamp();
    default:
      return false;
  }
}

int64_t IntervalGranularity(const Expression& expression) {
  if (expression.kind == ExpressionKind::kLiteral) return LiteralGranularity(expression.literal);
  if (expression.kind == ExpressionKind::kColumn) return 1;
  const auto of = [&expression](size_t index) {
    return IntervalGranularity(*expression.arguments[index]);
  };
  switch (expression.operation) {
    case Operation::kNegate:
      return of(0);
    case Operation::kMultiply:
      return expression.arguments[1]->type.is_integer() ? of(0) : 1;
    case Operation::kAdd:
      return std::gcd(of(0), of(1));
    case Operation::kSubtract: {
      if (expression.arguments[0]->type.kind == TypeKind::kIntervalDay) {
        return std::gcd(of(0), of(1));
      }
      int64_t micros = kMicrosPerDay;
      for (const ExpressionPtr& argument : expression.arguments) {
        if (argument->type.kind == TypeKind::kDate) continue;
        int64_t unit = 1'000'000;
        for (int digit = 0; digit < argument->type.precision; ++digit) unit /= 10;
        micros = std::min(micros, unit);
      }
      return micros;
    }
    default:
      return 1;
  }
}

uint8_t FractionDigits(int64_t micros) {
  uint8_t digits = 0;
  for (int64_t unit = 1'000'000; micros % unit != 0; unit /= 10) ++digits;
  return digits;
}

std::string Describe(const Expression& expression) { return expression.type.ToString(); }

}  // namespace braid
