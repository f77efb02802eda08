#include "state/rows/widened_column.h"

#include <memory>

#include "braid/column_builder.h"

namespace braid {

namespace {

bool IsLongerText(const DataType& from, const DataType& to) {
  if (!from.is_variable_width()) return true;
  return to.length == 0 || (from.length != 0 && from.length <= to.length);
}

template <typename To, typename From>
Column Convert(const Column& column, const DataType& type) {
  ColumnBuilder builder(type);
  const auto values = column.Values<From>();
  To* converted = builder.AppendUninitialized<To>(column.length());
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): a TINYINT is a number.
  for (const From value : values) *converted++ = static_cast<To>(value);
  for (int64_t row = 0; column.null_count() > 0 && row < column.length(); ++row) {
    if (column.IsNull(row)) builder.SetNull(row);
  }
  return builder.Finish();
}

template <typename From>
Column ConvertInteger(const Column& column, const DataType& type) {
  switch (type.kind) {
    case TypeKind::kTinyInt:
      return Convert<int8_t, From>(column, type);
    case TypeKind::kSmallInt:
      return Convert<int16_t, From>(column, type);
    case TypeKind::kInt:
      return Convert<int32_t, From>(column, type);
    default:
      return Convert<int64_t, From>(column, type);
  }
}

}  // namespace

bool IsWidening(const DataType& from, const DataType& to) {
  if (from == to) return IsLongerText(from, to);
  if (from.is_integer() && to.is_integer()) return from.kind < to.kind;
  if (from.kind == TypeKind::kFloat) return to.kind == TypeKind::kDouble;
  if (from.kind != to.kind) return false;
  if (from.kind == TypeKind::kDecimal) {
    return from.scale == to.scale && from.precision <= to.precision;
  }
  return from.is_timestamp() && from.precision <= to.precision;
}

bool IsNarrowing(const DataType& from, const DataType& to) {
  const bool can = from.is_integer() || from.is_timestamp() || from.kind == TypeKind::kDecimal;
  return can && !(from == to) && IsWidening(to, from);
}

Column ChangeWidth(const Column& column, const DataType& type) {
  const DataType& from = column.type();
  if (from == type) return column;
  if (from.kind == TypeKind::kTinyInt) return ConvertInteger<int8_t>(column, type);
  if (from.kind == TypeKind::kSmallInt) return ConvertInteger<int16_t>(column, type);
  if (from.kind == TypeKind::kInt) return ConvertInteger<int32_t>(column, type);
  if (from.kind == TypeKind::kBigInt) return ConvertInteger<int64_t>(column, type);
  if (from.kind == TypeKind::kFloat) return Convert<double, float>(column, type);
  // The same arrays.
  return {type,
          column.length(),
          column.null_count(),
          column.validity(),
          column.raw_values(),
          column.offsets(),
          std::make_shared<const Column>(column)};
}

}  // namespace braid
