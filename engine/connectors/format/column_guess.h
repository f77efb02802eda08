// The type of one column, guessed from the values of a sample: the narrowest of
// BOOLEAN, BIGINT, DOUBLE, DATE, TIMESTAMP, TIMESTAMP_LTZ that holds all of them, else STRING.
//
//   BIGINT     digits that mean a number: 007 and +49 are texts; so is what exceeds a BIGINT, which
//              no type holds without rounding
//   DOUBLE     numbers with a point or an exponent, integers among them
//   TIMESTAMP  of 3 digits of the fraction, or of 6 if a value has more; dates among times
//   TIMESTAMP_LTZ  if every value says its zone
//   STRING     everything else, and a column without any value
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "braid/data_type.h"

namespace braid {

// What one value can be.
enum class ValueKind : uint8_t {
  kBoolean,
  kInteger,
  kFloating,
  kNotFinite,  // NaN, Infinity: a number only among numbers.
  kDate,
  kTimestamp,
  kZonedTimestamp,
  kText,
};

struct GuessedValue {
  ValueKind kind = ValueKind::kText;
  int fraction_digits = 0;  // Of a time.
};

// What the text of a csv field can be, blanks around it ignored as the decoder does.
GuessedValue GuessValue(std::string_view text);

class ColumnGuess {
 public:
  void Add(const GuessedValue& value);

  // STRING without values.
  DataType type() const;
  bool has_values() const { return kinds_ != 0; }

 private:
  uint32_t kinds_ = 0;  // A bit a ValueKind.
  int fraction_digits_ = 0;
};

}  // namespace braid
