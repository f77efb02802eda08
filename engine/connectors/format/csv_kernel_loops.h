// The loops behind csv_kernels.h, for the files that compile them for one kind of processor each.
// All is in an unnamed namespace on purpose: each of these files needs its own copy, compiled with
// its own instructions, and nothing of it may be shared. For the same reason only plain pointers
// and numbers are used here.
//
// A file that includes this defines two types before it fills a CsvKernels:
//
//   Masks    64 bytes: Masks(bytes).Equal(letter) has bit i set if byte i is `letter`;
//            Masks::Inside(quotes) has bit i set if an odd number of quotes is at or before i;
//            Masks::Write(mask, base, out) writes base + i for each set bit i and returns the end.
//   Digits   Digits::ReadDigits(begin, end, &number): 1 to 16 digits;
//            Digits::ReadNumber(begin, end, &number, &fraction): 1 to 16 bytes of digits and at
//            most one point, as number / 10^fraction;
//            perhaps Digits::ReadFour(fields, row, values): such texts in four rows of a column,
//            each behind at most one '-', as int64_t or double.
//            All return false on other texts, and may read kBytesBeforeEnd bytes before the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/connectors/format/csv_kernels.h"
#include "engine/connectors/format/digit_words.h"

namespace braid {

// Microseconds since 1970-01-01 of the day 'YYYY-MM-DD' at `text`; false if there is none.
// Defined in csv_kernels.cc.
bool ReadCsvDay(const char* text, int64_t* micros);

namespace {  // NOLINT(google-build-namespaces): see above.

// NOLINTBEGIN(misc-definitions-in-headers): see above.
constexpr size_t kWordBytes = 64;
constexpr size_t kFour = 4;                              // Rows that are read at once.
constexpr uint64_t kDoubleExactMax = uint64_t{1} << 53;  // A double holds each integer up to it.
// NOLINTEND(misc-definitions-in-headers)

// What a step of 64 bytes leaves to the next one.
struct QuoteState {
  uint64_t inside = 0;         // All bits: the step begins inside quotes.
  uint64_t may_open = 1;       // Bit 0: a quote may stand at the first byte.
  uint64_t after_closing = 0;  // Bit 0: the byte before was a closing quote
  uint64_t after_return = 0;   // or a '\r' behind one.
};

// Finds the bytes inside quotes of one step. False if a quote is where csv_record.h must look.
template <typename Masks>
inline bool FollowQuotes(const Masks& masks, uint64_t quotes, uint64_t line_ends,
                         uint64_t* separators, QuoteState* state) {
  const uint64_t inside = Masks::Inside(quotes) ^ state->inside;
  const uint64_t opening = quotes & inside;
  const uint64_t closing = quotes & ~inside;
  const uint64_t outer = *separators & ~inside;
  const uint64_t may_open = ((outer | closing) << 1) | state->may_open;
  const uint64_t after_closing = (closing << 1) | state->after_closing;
  const uint64_t returns = masks.Equal('\r') & after_closing;
  const uint64_t after_return = (returns << 1) | state->after_return;
  if ((opening & ~may_open) != 0) return false;
  if ((after_closing & ~(outer | opening | returns)) != 0) return false;
  if ((after_return & ~(line_ends & outer)) != 0) return false;
  state->inside = (inside >> 63) != 0 ? ~uint64_t{0} : 0;
  state->may_open = (outer | closing) >> 63;
  state->after_closing = closing >> 63;
  state->after_return = returns >> 63;
  *separators = outer;
  return true;
}

template <typename Masks>
SeparatorIndex IndexSeparators(const char* bytes, size_t num_bytes, char delimiter, char quote,
                               uint32_t* separators) {
  SeparatorIndex index;
  QuoteState state;
  const uint64_t quotes_count = quote == '\0' ? 0 : ~uint64_t{0};
  uint32_t* out = separators;
  char last[kWordBytes];
  for (size_t position = 0; position < num_bytes; position += kWordBytes) {
    const char* from = bytes + position;
    if (num_bytes - position < kWordBytes) {
      std::memset(last, 0, sizeof(last));
      std::memcpy(last, from, num_bytes - position);
      from = last;
    }
    const Masks masks(from);
    const uint64_t line_ends = masks.Equal('\n');
    const uint64_t quotes = masks.Equal(quote) & quotes_count;
    uint64_t found = masks.Equal(delimiter) | line_ends;
    if ((quotes | state.inside | state.after_closing | state.after_return) != 0) {
      // What is not there is taken for line ends: no text behind a closing quote.
      const size_t num_left = num_bytes - position;
      const uint64_t beyond = num_left < kWordBytes ? ~uint64_t{0} << num_left : 0;
      found |= beyond;
      if (!FollowQuotes(masks, quotes, line_ends | beyond, &found, &state)) {
        index.num_bytes = position;
        return index;
      }
      found &= ~beyond;
    } else {
      state.may_open = found >> 63;
    }
    index.num_lines += static_cast<size_t>(__builtin_popcountll(line_ends));
    index.num_line_ends += static_cast<size_t>(__builtin_popcountll(line_ends & found));
    out = Masks::Write(found, static_cast<uint32_t>(position), out);
    index.num_separators = static_cast<size_t>(out - separators);
  }
  index.num_bytes = num_bytes;
  return index;
}

template <typename Masks>
size_t CountLines(const char* bytes, size_t num_bytes) {
  size_t count = 0;
  size_t position = 0;
  for (; position + kWordBytes <= num_bytes; position += kWordBytes) {
    count += static_cast<size_t>(__builtin_popcountll(Masks(bytes + position).Equal('\n')));
  }
  for (; position < num_bytes; ++position) count += bytes[position] == '\n' ? 1 : 0;
  return count;
}

// Reads the values of rows [row, end) of a column with `read(begin, end, &value)`; returns the end
// of what it wrote to `unread`.
template <typename T, typename Read>
inline uint32_t* ReadRows(const CsvFields& fields, size_t row, size_t end, T* values,
                          uint32_t* unread, Read read) {
  const uint32_t* separators = fields.separators + row * fields.stride;
  const char* const bytes = fields.bytes;
  for (; row < end; ++row) {
    const char* field_begin = bytes + (separators[0] + uint32_t{1});
    const char* field_end = bytes + separators[1];
    separators += fields.stride;
    if (!read(field_begin, field_end, &values[row])) [[unlikely]] {
      *unread++ = static_cast<uint32_t>(row);
    }
  }
  return unread;
}

template <typename T, typename Read>
inline size_t ReadColumn(const CsvFields& fields, T* values, uint32_t* unread, Read read) {
  return static_cast<size_t>(ReadRows(fields, 0, fields.num_rows, values, unread, read) - unread);
}

// The same, four rows at a time if Digits can do that. Where it cannot, it is likely to be so in
// the next rows, too.
template <typename Digits, typename T, typename Read>
inline size_t ReadNumbers(const CsvFields& fields, T* values, uint32_t* unread, Read read) {
  if constexpr (requires { Digits::ReadFour(fields, size_t{0}, values); }) {
    constexpr size_t kRowsBetweenTries = 64;
    uint32_t* unread_end = unread;
    size_t row = 0;
    while (row < fields.num_rows) {
      if (row + kFour <= fields.num_rows && Digits::ReadFour(fields, row, values + row))
          [[likely]] {
        row += kFour;
        continue;
      }
      const size_t rows_left = fields.num_rows - row;
      const size_t end = row + (rows_left < kRowsBetweenTries ? rows_left : kRowsBetweenTries);
      unread_end = ReadRows(fields, row, end, values, unread_end, read);
      row = end;
    }
    return static_cast<size_t>(unread_end - unread);
  } else {
    return ReadColumn(fields, values, unread, read);
  }
}

// 17 to 19 digits.
template <typename Digits>
inline bool ReadLongDigits(const char* begin, const char* end, uint64_t* number) {
  const char* last_sixteen = end - 16;
  uint64_t head = 0;
  for (; begin != last_sixteen; ++begin) {
    const uint64_t digit = static_cast<uint64_t>(*begin) - '0';
    if (digit > 9) return false;
    head = head * 10 + digit;
  }
  uint64_t tail = 0;
  if (!Digits::ReadDigits(last_sixteen, end, &tail)) return false;
  *number = head * 10'000'000'000'000'000 + tail;
  return (*number >> 63) == 0;
}

template <typename Digits>
size_t ReadBigInt(const CsvFields& fields, int64_t* values, uint32_t* unread) {
  const auto read = [](const char* begin, const char* end, int64_t* value) {
    const bool negative = *begin == '-';
    begin += negative;
    uint64_t number = 0;
    if (end - begin > 16) {
      if (end - begin > 19 || !ReadLongDigits<Digits>(begin, end, &number)) {
        return false;
      }
    } else if (!Digits::ReadDigits(begin, end, &number)) {
      return false;
    }
    const int64_t magnitude = static_cast<int64_t>(number);
    *value = negative ? -magnitude : magnitude;
    return true;
  };
  return ReadNumbers<Digits>(fields, values, unread, read);
}

// A quotient of two numbers that T holds exactly is rounded once, and so is exact (Clinger).
template <typename Digits, typename T>
size_t ReadFloating(const CsvFields& fields, T* values, uint32_t* unread) {
  constexpr uint64_t kExactMax = sizeof(T) == 8 ? kDoubleExactMax : uint64_t{1} << 24;
  constexpr int kFractionMax = sizeof(T) == 8 ? 15 : 10;
  const auto read = [](const char* begin, const char* end, T* value) {
    const bool negative = *begin == '-';
    uint64_t number = 0;
    int fraction = 0;
    if (!Digits::ReadNumber(begin + negative, end, &number, &fraction)) return false;
    if (number > kExactMax || fraction > kFractionMax) return false;
    const T magnitude =
        static_cast<T>(static_cast<int64_t>(number)) / static_cast<T>(kPowersOfTen[fraction]);
    *value = negative ? -magnitude : magnitude;
    return true;
  };
  return ReadNumbers<Digits>(fields, values, unread, read);
}

template <typename Digits>
size_t ReadDecimals(const CsvFields& fields, int scale, int64_t limit, int64_t* values,
                    uint32_t* unread) {
  return ReadColumn(fields, values, unread,
                    [scale, limit](const char* begin, const char* end, int64_t* value) {
                      const bool negative = *begin == '-';
                      uint64_t number = 0;
                      int fraction = 0;
                      if (!Digits::ReadNumber(begin + negative, end, &number, &fraction))
                        return false;
                      if (fraction > scale) return false;
                      int64_t unscaled = 0;
                      if (__builtin_mul_overflow(static_cast<int64_t>(number),
                                                 kWholePowersOfTen[scale - fraction], &unscaled)) {
                        return false;
                      }
                      *value = negative ? -unscaled : unscaled;
                      return unscaled < limit;
                    });
}

// YYYY-MM-DD, separator, hh:mm:ss, then perhaps a fraction of one to six digits, then perhaps Z.
class TimestampLoop {
 public:
  explicit TimestampLoop(const CsvTimestampShape& shape)
      : shape_(shape), fraction_unit_(kWholePowersOfTen[6 - shape.precision]) {}

  bool operator()(const char* begin, const char* end, int64_t* value) {
    const bool is_utc = end[-1] == 'Z';
    if (!is_utc && !shape_.accepts_local) return false;
    end -= is_utc;
    const size_t length = static_cast<size_t>(end - begin);
    // 19 without a fraction, 21 to 26 with one.
    if (length - 19 > 7 || length == 20) return false;
    const uint64_t day_head = LoadEight(begin);
    uint16_t day_tail;
    std::memcpy(&day_tail, begin + 8, sizeof(day_tail));
    if (day_head != day_head_ || day_tail != day_tail_) [[unlikely]] {
      if (!ReadCsvDay(begin, &day_micros_)) {
        day_head_ = 0;
        return false;
      }
      day_head_ = day_head;
      day_tail_ = day_tail;
    }
    if (begin[10] != shape_.separator && begin[10] != shape_.other_separator) return false;
    const uint64_t clock = LoadEight(begin + 11) ^ 0x30303a30303a3030U;  // "00:00:00"
    if (!AreDigits(clock) || (clock & 0x0000ff0000ff0000U) != 0) return false;
    const uint64_t pairs = clock * 10 + (clock >> 8);
    const int64_t hour = static_cast<int64_t>(pairs & 0xff);
    const int64_t minute = static_cast<int64_t>((pairs >> 24) & 0xff);
    const int64_t second = static_cast<int64_t>((pairs >> 48) & 0xff);
    if (hour > 23 || minute > 59 || second > 59) return false;
    int64_t micros = (hour * 3600 + minute * 60 + second) * 1'000'000;
    if (length > 19) {
      const size_t count = length - 20;
      const uint64_t digits = (LoadEight(end - 8) ^ kZeros) & (~uint64_t{0} << (64 - 8 * count));
      if (begin[19] != '.' || !AreDigits(digits)) return false;
      const int64_t fraction =
          static_cast<int64_t>(EightDigits(digits)) * kWholePowersOfTen[6 - count];
      micros += fraction - fraction % fraction_unit_;
    }
    *value = day_micros_ + micros;
    return true;
  }

 private:
  CsvTimestampShape shape_;
  int64_t fraction_unit_;
  // The last day, as text and as a number: most rows have the day of the row before.
  uint64_t day_head_ = 0;
  uint16_t day_tail_ = 0;
  int64_t day_micros_ = 0;
};

size_t ReadTimestamps(const CsvFields& fields, const CsvTimestampShape& shape, int64_t* values,
                      uint32_t* unread) {
  return ReadColumn(fields, values, unread, TimestampLoop(shape));
}

template <typename Masks, typename Digits>
constexpr CsvKernels KernelsOf(const char* name) {
  return {name,
          IndexSeparators<Masks>,
          CountLines<Masks>,
          ReadBigInt<Digits>,
          ReadFloating<Digits, float>,
          ReadFloating<Digits, double>,
          ReadDecimals<Digits>,
          ReadTimestamps};
}

// Digits of plain C++: eight bytes in a 64-bit number.
struct WordDigits {
  static inline bool ReadDigits(const char* begin, const char* end, uint64_t* number) {
    const size_t length = static_cast<size_t>(end - begin);
    if (length - 1 > 15) return false;
    if (length <= 8) {
      const uint64_t digits = (LoadEight(end - 8) ^ kZeros) & (~uint64_t{0} << (64 - 8 * length));
      if (!AreDigits(digits)) return false;
      *number = EightDigits(digits);
      return true;
    }
    const uint64_t low = LoadEight(end - 8) ^ kZeros;
    const uint64_t high =
        (LoadEight(end - 16) ^ kZeros) & (~uint64_t{0} << (64 - 8 * (length - 8)));
    if (!AreDigits(low) || !AreDigits(high)) return false;
    *number = EightDigits(high) * 100'000'000 + EightDigits(low);
    return true;
  }

  static inline bool ReadNumber(const char* begin, const char* end, uint64_t* number,
                                int* fraction) {
    const size_t length = static_cast<size_t>(end - begin);
    if (length - 1 > 15) return false;
    const Wide text = (static_cast<Wide>(LoadEight(end - 8)) << 64) | LoadEight(end - 16);
    Wide digits =
        (text ^ ((static_cast<Wide>(kZeros) << 64) | kZeros)) & (~Wide{0} << (128 - 8 * length));
    // A point is '.' ^ '0'.
    const int point = FindPoint(static_cast<uint64_t>(digits), static_cast<uint64_t>(digits >> 64));
    *fraction = 0;
    if (point >= 0) {
      if (length == 1) return false;
      *fraction = 15 - point;
      // What stands before the point moves up by one byte, over the point.
      const Wide before = (Wide{1} << (8 * point)) - 1;
      const Wide behind = point == 15 ? Wide{0} : ~Wide{0} << (8 * (point + 1));
      digits = ((digits & before) << 8) | (digits & behind);
    }
    const uint64_t high = static_cast<uint64_t>(digits);
    const uint64_t low = static_cast<uint64_t>(digits >> 64);
    if (!AreDigits(low) || !AreDigits(high)) return false;
    *number = EightDigits(high) * 100'000'000 + EightDigits(low);
    return true;
  }

 private:
  __extension__ typedef unsigned __int128 Wide;

  // Index of the first byte of the sixteen that is a point; -1 if there is none.
  static inline int FindPoint(uint64_t low, uint64_t high) {
    constexpr uint64_t kPoints = 0x1e1e1e1e1e1e1e1eU;
    constexpr uint64_t kOnes = 0x0101010101010101U;
    constexpr uint64_t kTops = 0x8080808080808080U;
    const uint64_t in_low = ((low ^ kPoints) - kOnes) & ~(low ^ kPoints) & kTops;
    if (in_low != 0) return __builtin_ctzll(in_low) / 8;
    const uint64_t in_high = ((high ^ kPoints) - kOnes) & ~(high ^ kPoints) & kTops;
    return in_high == 0 ? -1 : 8 + __builtin_ctzll(in_high) / 8;
  }
};

}  // namespace
}  // namespace braid
