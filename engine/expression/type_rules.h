// Which types go together: the common type of two values, what arithmetic gives, what a CAST takes.
// The rules are Flink SQL's; DECIMAL is capped at 18 digits.
//
// Thread rule: free functions over values.
#pragma once

#include <cstdint>

#include "braid/data_type.h"
#include "braid/error.h"
#include "engine/expression/expression.h"

namespace braid {

constexpr uint8_t kMaxDecimalPrecision = 18;
constexpr uint8_t kMaxTimePrecision = 6;

// The DECIMAL that holds every value of an integer type (BIGINT: as far as 18 digits go), or the
// type itself if it is a DECIMAL. REQUIRES: an integer type or DECIMAL.
DataType AsDecimal(const DataType& type);

// The type that both sides of a comparison are cast to. As CommonType, and a string goes with
// everything: it is read as what it is compared with.
Result<DataType> ComparisonType(const DataType& left, const DataType& right);

// What `left operation right` gives for numbers. REQUIRES: numbers; kAdd … kModulo.
DataType NumericResultType(Operation operation, const DataType& left, const DataType& right);

// True if some value of `from` can be converted to `to`.
bool CanCast(const DataType& from, const DataType& to);

// True if a value of `from` is stored in a column of `to` without a CAST, as in Flink.
bool StoresImplicitly(const DataType& from, const DataType& to);

// A number of microseconds that every value of the day interval `expression` is a multiple of, at
// least 1; 0 if the interval is 0 (or NULL). Decides the precision of timestamp + interval, and
// whether DATE + interval is a DATE.
int64_t IntervalGranularity(const Expression& expression);

// The digits of a fraction of a second that multiples of `micros` microseconds need: 0..6.
uint8_t FractionDigits(int64_t micros);

// "TIMESTAMP(3)", and for an untyped NULL "NULL".
std::string Describe(const Expression& expression);

}  // namespace braid
