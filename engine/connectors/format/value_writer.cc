#include "engine/connectors/format/value_writer.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "state/rows/check.h"
#include "state/rows/time_text.h"

namespace braid {

namespace {

constexpr int64_t kMicrosASecond = 1'000'000;
constexpr int64_t kMicrosADay = 86'400 * kMicrosASecond;

char* WriteText(std::string_view text, char* to) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

template <typename T>
char* WriteInteger(T value, char* to) {
  return std::to_chars(to, to + ValueWriter::kBytesMax, value).ptr;
}

template <typename T>
char* WriteFloating(T value, char* to) {
  if (std::isnan(value)) return WriteText("NaN", to);
  if (std::isinf(value)) return WriteText(value > 0 ? "Infinity" : "-Infinity", to);
  char* end = fmt::format_to(to, FMT_COMPILE("{}"), value);
  // A whole number still shows that it is no integer.
  for (const char* letter = to; letter != end; ++letter) {
    if (*letter == '.' || *letter == 'e') return end;
  }
  return WriteText(".0", end);
}

char* WriteDecimal(int64_t digits, int scale, char* to) {
  if (digits < 0) *to++ = '-';
  const uint64_t magnitude =
      digits < 0 ? 0 - static_cast<uint64_t>(digits) : static_cast<uint64_t>(digits);
  char* end = WriteInteger(magnitude, to);
  if (scale == 0) return end;
  // Zeros up to one digit before the point.
  const ptrdiff_t width = scale + 1;
  if (end - to < width) {
    const ptrdiff_t missing = width - (end - to);
    std::memmove(to + missing, to, static_cast<size_t>(end - to));
    std::memset(to, '0', static_cast<size_t>(missing));
    end += missing;
  }
  std::memmove(end - scale + 1, end - scale, static_cast<size_t>(scale));
  end[-scale] = '.';
  return end + 1;
}

char* WriteTwoDigits(int64_t number, char* to) {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
  return to + 2;
}

char* WriteFraction(int64_t micros, int precision, char* to) {
  if (precision == 0) return to;
  *to++ = '.';
  for (int digit = 5; digit >= 0; --digit) {
    to[digit] = static_cast<char>('0' + micros % 10);
    micros /= 10;
  }
  return to + precision;
}

}  // namespace

ValueWriter::ValueWriter(const Column& column, TimestampStyle style)
    : column_(column),
      separator_(style == TimestampStyle::kIso8601 ? 'T' : ' '),
      date_days_(std::numeric_limits<int64_t>::min()) {
  BRAID_CHECK(!column.type().is_variable_width(), "strings are not written by value");
}

char* ValueWriter::WriteMoment(int64_t micros, char* to) {
  int64_t days = micros / kMicrosADay;
  int64_t rest = micros % kMicrosADay;
  if (rest < 0) {
    rest += kMicrosADay;
    --days;
  }
  if (days != date_days_) {
    char text[kTimeTextBytesMax];
    const size_t bytes = static_cast<size_t>(WriteDate(days, text) - text);
    if (bytes > sizeof(date_text_)) {
      to = WriteText({text, bytes}, to);
    } else {
      std::memcpy(date_text_, text, bytes);
      date_bytes_ = bytes;
      date_days_ = days;
    }
  }
  if (days == date_days_) {
    std::memcpy(to, date_text_, sizeof(date_text_));
    to += date_bytes_;
  }
  *to++ = separator_;
  const int64_t seconds = rest / kMicrosASecond;
  to = WriteTwoDigits(seconds / 3600, to);
  *to++ = ':';
  to = WriteTwoDigits(seconds / 60 % 60, to);
  *to++ = ':';
  to = WriteTwoDigits(seconds % 60, to);
  return WriteFraction(rest % kMicrosASecond, column_.type().precision, to);
}

char* ValueWriter::Write(int64_t row, char* to) {
  const size_t index = static_cast<size_t>(row);
  const DataType& type = column_.type();
  switch (type.kind) {
    case TypeKind::kBoolean:
      return WriteText(column_.Values<uint8_t>()[index] != 0 ? "true" : "false", to);
    case TypeKind::kTinyInt:
      return WriteInteger(int{column_.Values<int8_t>()[index]}, to);
    case TypeKind::kSmallInt:
      return WriteInteger(column_.Values<int16_t>()[index], to);
    case TypeKind::kInt:
      return WriteInteger(column_.Values<int32_t>()[index], to);
    case TypeKind::kBigInt:
      return WriteInteger(column_.Values<int64_t>()[index], to);
    case TypeKind::kFloat:
      return WriteFloating(column_.Values<float>()[index], to);
    case TypeKind::kDouble:
      return WriteFloating(column_.Values<double>()[index], to);
    case TypeKind::kDecimal:
      return WriteDecimal(column_.Values<int64_t>()[index], type.scale, to);
    case TypeKind::kDate:
      return WriteDate(column_.Values<int32_t>()[index], to);
    case TypeKind::kTimestamp:
      return WriteMoment(column_.Values<int64_t>()[index], to);
    case TypeKind::kTimestampLtz:
      to = WriteMoment(column_.Values<int64_t>()[index], to);
      *to++ = 'Z';
      return to;
    default:
      BRAID_CHECK(false, "no column of a table has this type");
  }
}

}  // namespace braid
