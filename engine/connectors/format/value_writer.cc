#include "engine/connectors/format/value_writer.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <bit>
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

// The eight digits of a number below 10^8, as bytes from 0 to 9, the first in the low byte.
uint64_t EightDigits(uint64_t number) {
  // Halves of four digits, then pairs, then single digits; each division by a multiplication.
  const uint64_t fours = number / 10'000 | (number % 10'000) << 32;
  const uint64_t hundreds = ((fours * 10'486) >> 20) & 0x0000007f0000007fU;
  const uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
  const uint64_t tens = ((pairs * 103) >> 10) & 0x000f000f000f000fU;
  return tens | (pairs - 10 * tens) << 8;
}

constexpr uint64_t kEightDigits = 100'000'000;
constexpr uint64_t kZeros = 0x3030303030303030U;  // Eight times '0'.

char* WriteEight(uint64_t digits, char* to) {
  digits |= kZeros;
  std::memcpy(to, &digits, sizeof(digits));
  return to + sizeof(digits);
}

// Without leading zeros; below 10^8.
char* WriteHead(uint64_t number, char* to) {
  const uint64_t digits = EightDigits(number);
  const int zeros = digits == 0 ? 7 : std::countr_zero(digits) / 8;
  WriteEight(digits >> (8 * zeros), to);
  return to + 8 - zeros;
}

char* WriteUnsigned(uint64_t number, char* to) {
  if (number < kEightDigits) return WriteHead(number, to);
  const uint64_t head = number / kEightDigits;
  const uint64_t tail = number % kEightDigits;
  if (head < kEightDigits) {
    to = WriteHead(head, to);
  } else {
    to = WriteHead(head / kEightDigits, to);
    to = WriteEight(EightDigits(head % kEightDigits), to);
  }
  return WriteEight(EightDigits(tail), to);
}

char* WriteInteger(int64_t value, char* to) {
  if (value >= 0) return WriteUnsigned(static_cast<uint64_t>(value), to);
  *to = '-';
  return WriteUnsigned(0 - static_cast<uint64_t>(value), to + 1);
}

// Writes `digits` (not negative) with `scale` of them behind the point.
char* WriteScaled(uint64_t digits, int scale, char* to) {
  char* end = WriteUnsigned(digits, to);
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

// Writes numbers of few digits, such as prices; null if `value` is none. Two different decimal
// numbers of up to 15 digits are never the same double, so the one that is found is the shortest.
char* WriteShortDouble(double value, char* to) {
  constexpr double kDigitsMax = 1e15;
  constexpr double kLeast = 1e-3;  // Below it fmt prints exponents.
  const double magnitude = std::abs(value);
  if (!(magnitude >= kLeast && magnitude < kDigitsMax / 1e4)) return nullptr;
  static constexpr double kFactors[] = {1e0, 1e2, 1e4};
  for (int step = 0; step < 3; ++step) {
    const double scaled = std::floor(magnitude * kFactors[step] + 0.5);
    if (scaled / kFactors[step] != magnitude) continue;
    uint64_t digits = static_cast<uint64_t>(scaled);
    int scale = 2 * step;
    if (scale > 0 && digits % 10 == 0) {
      digits /= 10;
      --scale;
    }
    if (value < 0) *to++ = '-';
    if (scale > 0) return WriteScaled(digits, scale, to);
    return WriteText(".0", WriteUnsigned(digits, to));
  }
  return nullptr;
}

template <typename T>
char* WriteFloating(T value, char* to) {
  if constexpr (sizeof(T) == sizeof(double)) {
    if (char* end = WriteShortDouble(value, to); end != nullptr) return end;
  }
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
  if (digits >= 0) return WriteScaled(static_cast<uint64_t>(digits), scale, to);
  *to = '-';
  return WriteScaled(0 - static_cast<uint64_t>(digits), scale, to + 1);
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
      date_days_(std::numeric_limits<int64_t>::min()) {}

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
      return WriteInteger(column_.Values<int8_t>()[index], to);
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
