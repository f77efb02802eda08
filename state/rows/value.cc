#include "braid/value.h"

#include <fmt/format.h>

#include <cmath>

#include "state/rows/time_text.h"

namespace braid {

namespace {

std::string FormatDate(int64_t days) {
  char text[kTimeTextBytesMax];
  return {text, WriteDate(days, text)};
}

std::string FormatTimestamp(int64_t micros, int precision) {
  char text[kTimeTextBytesMax];
  return {text, WriteTimestamp(micros, precision, text)};
}

std::string FormatDecimal(int64_t digits, int scale) {
  if (scale == 0) return fmt::format("{}", digits);
  std::string text = fmt::format(
      "{}", digits < 0 ? 0 - static_cast<uint64_t>(digits) : static_cast<uint64_t>(digits));
  const size_t width = static_cast<size_t>(scale) + 1;
  if (text.size() < width) text.insert(0, width - text.size(), '0');
  text.insert(text.size() - static_cast<size_t>(scale), ".");
  return digits < 0 ? "-" + text : text;
}

std::string FormatDouble(double value, bool single) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::string text =
      single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Value ValueAt(const Column& column, int64_t row) {
  const DataType& type = column.type();
  if (column.IsNull(row)) return Value::Null(type);
  const size_t index = static_cast<size_t>(row);
  switch (type.kind) {
    case TypeKind::kNull:
      return Value::Null(type);
    case TypeKind::kBoolean:
      return {type, int64_t{column.Values<uint8_t>()[index]}};
    case TypeKind::kTinyInt:
      return {type, int64_t{column.Values<int8_t>()[index]}};
    case TypeKind::kSmallInt:
      return {type, int64_t{column.Values<int16_t>()[index]}};
    case TypeKind::kInt:
    case TypeKind::kDate:
      return {type, int64_t{column.Values<int32_t>()[index]}};
    case TypeKind::kFloat:
      return {type, double{column.Values<float>()[index]}};
    case TypeKind::kDouble:
      return {type, column.Values<double>()[index]};
    case TypeKind::kString:
    case TypeKind::kBytes:
      return {type, std::string(column.String(row))};
    default:
      return {type, column.Values<int64_t>()[index]};
  }
}

std::string FormatValue(const Value& value) {
  if (value.is_null()) return "NULL";
  switch (value.type.kind) {
    case TypeKind::kNull:
      return "NULL";
    case TypeKind::kBoolean:
      return value.integer() != 0 ? "true" : "false";
    case TypeKind::kFloat:
      return FormatDouble(value.floating(), true);
    case TypeKind::kDouble:
      return FormatDouble(value.floating(), false);
    case TypeKind::kDecimal:
      return FormatDecimal(value.integer(), value.type.scale);
    case TypeKind::kString:
    case TypeKind::kBytes:
      return value.text();
    case TypeKind::kDate:
      return FormatDate(value.integer());
    case TypeKind::kTimestamp:
      return FormatTimestamp(value.integer(), value.type.precision);
    case TypeKind::kTimestampLtz:
      return FormatTimestamp(value.integer(), value.type.precision) + "Z";
    default:
      return fmt::format("{}", value.integer());
  }
}

}  // namespace braid
