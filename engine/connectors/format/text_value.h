// From text to one value of a type: the exact and complete reading of a field. The fast loops of
// csv_column.h read what is common and come here for all else; what both read is the same.
//
//   integers     [+-]digits; a value that the type cannot hold is an error
//   FLOAT DOUBLE as strtod reads decimal numbers, NaN, [+-]Infinity, [+-]Inf in any case; a finite
//                number too large for the type is an error
//   DECIMAL      [+-]digits[.digits][e[+-]digits]; digits beyond the scale are rounded half up; a
//                value that the precision cannot hold is an error
//   BOOLEAN      true, false in any case
//   DATE         yyyy-MM-dd
//   TIMESTAMP    what ParseTimestamp (state/rows/time_text.h) reads, in the style that is asked
//                for; digits of a fraction beyond the precision are cut off; with a zone, the
//                moment in UTC
//   TIMESTAMP_LTZ the same; without a zone, the local time of the session's zone
//   BYTES        base64
//   STRING       the text itself; bytes that are no UTF-8 become U+FFFD
//
// Spaces around a value are ignored, except in STRING and BYTES.
// Thread rule: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "braid/column_builder.h"
#include "braid/data_type.h"
#include "engine/connectors/format/format_options.h"
#include "state/rows/time_zone.h"

namespace braid {

class TextReader {
 public:
  // `time_zone`: of the session; null is UTC.
  TextReader(DataType type, TimestampStyle style, TimeZonePtr time_zone);

  // Reads +I, -U, +U and -D as TINYINT: a ChangeKind.
  static TextReader OfChangeKinds();

  const DataType& type() const { return type_; }
  bool reads_change_kinds() const { return reads_change_kinds_; }
  TimestampStyle style() const { return style_; }
  bool zone_is_utc() const { return time_zone_ == nullptr; }

  // Writes the value, byte_width() bytes, or returns false and leaves it unspecified.
  // REQUIRES: the type has a fixed width.
  bool Read(std::string_view text, void* value) const;

  // Appends the value, or returns false and appends nothing. REQUIRES: the builder has the type.
  bool Append(std::string_view text, ColumnBuilder* builder) const;

 private:
  bool ReadTimestamp(std::string_view text, int64_t* micros) const;

  DataType type_;
  bool reads_change_kinds_ = false;
  TimestampStyle style_;
  TimeZonePtr time_zone_;  // Null for UTC.
};

// Appends the value of fixed width at `value`, byte_width() bytes of it.
void AppendFixed(const void* value, ColumnBuilder* builder);

// [+-]digits[.digits][e[+-]digits] as an integer of `scale` digits after the point, rounded half
// up. False on any other text, and if it has more than `precision` digits.
bool ReadDecimal(std::string_view text, int precision, int scale, int64_t* unscaled);

}  // namespace braid
