// The types of columns. A DataType is a small value; the physical layout of a column follows from
// its kind alone:
//
//   kind                                  values array
//   kBoolean                              uint8_t, 0 or 1 (Arrow's bool8)
//   kTinyInt kSmallInt kInt kBigInt       int8_t int16_t int32_t int64_t
//   kFloat kDouble                        float double
//   kDecimal                              int64_t, the unscaled digits (precision <= 18)
//   kString kBytes                        int32_t offsets[length + 1] and bytes; strings are UTF-8
//   kDate                                 int32_t, days since 1970-01-01
//   kTimestamp kTimestampLtz              int64_t, microseconds since 1970-01-01 00:00 (UTC)
//   kIntervalDay                          int64_t, microseconds (expressions only)
//   kIntervalMonth                        int64_t, months (expressions only)
//   kNull                                 uint8_t, the type of an untyped NULL (expressions only)
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>

#include "braid/export.h"

namespace braid {

// Stored in checkpoints: do not change a number, do not use one twice.
enum class TypeKind : uint8_t {
  kNull = 0,
  kBoolean = 1,
  kTinyInt = 2,
  kSmallInt = 3,
  kInt = 4,
  kBigInt = 5,
  kFloat = 6,
  kDouble = 7,
  kDecimal = 8,
  kString = 9,
  kBytes = 10,
  kDate = 11,
  kTimestamp = 12,
  kTimestampLtz = 13,
  kIntervalDay = 14,
  kIntervalMonth = 15,
};

struct BRAID_EXPORT DataType {
  TypeKind kind = TypeKind::kNull;
  uint8_t precision = 0;  // kDecimal 1..18; kTimestamp, kTimestampLtz 0..6 (fraction digits).
  uint8_t scale = 0;      // kDecimal 0..precision.
  uint32_t length = 0;    // CHAR(n), VARCHAR(n), BINARY(n) …; 0 = no limit. Not part of equality.

  friend bool operator==(const DataType& left, const DataType& right) {
    return left.kind == right.kind && left.precision == right.precision &&
           left.scale == right.scale;
  }

  bool is_integer() const { return kind >= TypeKind::kTinyInt && kind <= TypeKind::kBigInt; }
  bool is_floating() const { return kind == TypeKind::kFloat || kind == TypeKind::kDouble; }
  bool is_numeric() const { return is_integer() || is_floating() || kind == TypeKind::kDecimal; }
  bool is_timestamp() const {
    return kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampLtz;
  }
  bool is_variable_width() const { return kind == TypeKind::kString || kind == TypeKind::kBytes; }

  // Bytes of one value in the values array; 0 for kString and kBytes.
  int byte_width() const;

  // As SQL writes it: "DECIMAL(10, 2)", "TIMESTAMP(3)", "STRING".
  std::string ToString() const;

  static DataType Null() { return {TypeKind::kNull}; }
  static DataType Boolean() { return {TypeKind::kBoolean}; }
  static DataType TinyInt() { return {TypeKind::kTinyInt}; }
  static DataType SmallInt() { return {TypeKind::kSmallInt}; }
  static DataType Int() { return {TypeKind::kInt}; }
  static DataType BigInt() { return {TypeKind::kBigInt}; }
  static DataType Float() { return {TypeKind::kFloat}; }
  static DataType Double() { return {TypeKind::kDouble}; }
  static DataType Decimal(uint8_t precision, uint8_t scale) {
    return {TypeKind::kDecimal, precision, scale};
  }
  static DataType String() { return {TypeKind::kString}; }
  static DataType Bytes() { return {TypeKind::kBytes}; }
  static DataType Date() { return {TypeKind::kDate}; }
  static DataType Timestamp(uint8_t precision = 3) { return {TypeKind::kTimestamp, precision}; }
  static DataType TimestampLtz(uint8_t precision = 3) {
    return {TypeKind::kTimestampLtz, precision};
  }
  static DataType IntervalDay() { return {TypeKind::kIntervalDay}; }
  static DataType IntervalMonth() { return {TypeKind::kIntervalMonth}; }
};

}  // namespace braid
