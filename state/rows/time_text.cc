#include "state/rows/time_text.h"

#include <date/date.h>
#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace braid {

namespace {

static_assert(std::endian::native == std::endian::little, "the first character is the low byte");

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
constexpr int kFractionDigitsMax = 9;
constexpr int32_t kOffsetSecondsMax = 18 * 3600;

constexpr int32_t kDaysBefore1970 = 719'162;  // Since 0001-01-01.
// Of a year that has no 29th of February.
constexpr int kDaysBeforeMonth[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

// Reads what it is asked for from the front of a text; once something did not fit, `failed`.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  bool failed() const { return failed_; }
  bool at_end() const { return text_.empty(); }
  void Fail() { failed_ = true; }

  bool Skip(char wanted) {
    if (text_.empty() || text_[0] != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Skip(std::string_view wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }
  void Expect(char wanted) { failed_ |= !Skip(wanted); }

  // A number of `least` to `most` digits.
  int Number(size_t least, size_t most) {
    int number = 0;
    size_t digits = 0;
    while (digits < most && digits < text_.size() && IsDigit(text_[digits])) {
      number = number * 10 + (text_[digits] - '0');
      ++digits;
    }
    failed_ |= digits < least;
    text_.remove_prefix(digits);
    return number;
  }

  // The digits behind a '.', as microseconds.
  int64_t Fraction() {
    int64_t micros = 0;
    int digits = 0;
    int64_t unit = kMicrosPerSecond / 10;
    while (digits < kFractionDigitsMax && !text_.empty() && IsDigit(text_[0])) {
      micros += unit * (text_[0] - '0');
      unit /= 10;
      ++digits;
      text_.remove_prefix(1);
    }
    failed_ |= digits == 0;
    return micros;
  }

 private:
  std::string_view text_;
  bool failed_ = false;
};

// [' '] Z, UTC, +HH, +HHMM or +HH:MM at the end of a text.
std::optional<int32_t> ReadOffset(TextReader* reader) {
  reader->Skip(' ');
  if (reader->Skip('Z') || reader->Skip("UTC")) return 0;
  const bool negative = reader->Skip('-');
  if (!negative) reader->Expect('+');
  const int hours = reader->Number(2, 2);
  int minutes = 0;
  if (!reader->at_end()) {
    reader->Skip(':');
    minutes = reader->Number(2, 2);
  }
  const int32_t seconds = hours * 3600 + minutes * 60;
  if (reader->failed() || minutes > 59 || seconds > kOffsetSecondsMax) {
    reader->Fail();
    return std::nullopt;
  }
  return negative ? -seconds : seconds;
}

bool ReadDate(TextReader* reader, int32_t* days) {
  const int year = reader->Number(4, 4);
  reader->Expect('-');
  const int month = reader->Number(1, 2);
  reader->Expect('-');
  const int day = reader->Number(1, 2);
  if (reader->failed()) return false;
  const std::optional<int32_t> date = DaysFromDate(year, month, day);
  if (!date) return false;
  *days = *date;
  return true;
}

// Everything behind the seconds: a fraction and a zone.
bool ReadTail(TextReader* reader, int64_t* micros, std::optional<int32_t>* offset_seconds) {
  if (reader->Skip('.')) *micros += reader->Fraction();
  if (!reader->failed() && !reader->at_end()) *offset_seconds = ReadOffset(reader);
  return !reader->failed() && reader->at_end();
}

bool ParseTimestampSlowly(std::string_view text, int64_t* micros,
                          std::optional<int32_t>* offset_seconds) {
  TextReader reader(text);
  int32_t days = 0;
  if (!ReadDate(&reader, &days)) return false;
  int64_t time = days * kMicrosPerDay;
  std::optional<int32_t> offset;
  if (!reader.at_end()) {
    if (!reader.Skip(' ')) reader.Expect('T');
    const int hour = reader.Number(1, 2);
    reader.Expect(':');
    const int minute = reader.Number(2, 2);
    const bool has_seconds = reader.Skip(':');
    const int second = has_seconds ? reader.Number(2, 2) : 0;
    if (reader.failed() || hour > 23 || minute > 59 || second > 59) return false;
    time += (hour * 3600 + minute * 60 + second) * kMicrosPerSecond;
    if (has_seconds) {
      if (!ReadTail(&reader, &time, &offset)) return false;
    } else {
      if (!reader.at_end()) offset = ReadOffset(&reader);
      if (reader.failed() || !reader.at_end()) return false;
    }
  }
  *micros = time;
  *offset_seconds = offset;
  return true;
}

uint64_t LoadEight(const char* from) {
  uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// Eight characters as one word, the first in the low byte.
constexpr uint64_t Word(const char (&text)[9]) {
  uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | static_cast<uint8_t>(text[i]);
  return word;
}

// The digits of `word` as numbers, where `shape` has a '0' for each digit and the separators for
// themselves. Sets `*faults` to something other than 0 if a character is not as `shape` says.
constexpr uint64_t DigitsOf(uint64_t word, uint64_t shape, uint64_t separators, uint64_t* faults) {
  const uint64_t digits = word ^ shape;
  // A byte over 9 has a bit in its upper half, or gets one when 6 is added.
  *faults |= (digits | (digits + 0x0606060606060606U)) & 0xf0f0f0f0f0f0f0f0U;
  *faults |= digits & separators;
  return digits;
}

// For every byte the two-digit number that it begins.
constexpr uint64_t PairsOf(uint64_t digits) { return digits * 10 + (digits >> 8); }

constexpr int ByteOf(uint64_t word, int index) {
  return static_cast<int>(word >> (8 * index) & 0xff);
}

// "YYYY-MM-DD" at `text`.
bool ReadPlainDate(const char* text, int32_t* days) {
  uint64_t faults = 0;
  const uint64_t front =
      PairsOf(DigitsOf(LoadEight(text), Word("0000-00-"), 0xff0000ff00000000U, &faults));
  const unsigned tens = static_cast<unsigned>(text[8] - '0');
  const unsigned ones = static_cast<unsigned>(text[9] - '0');
  if (faults != 0 || tens > 9 || ones > 9) return false;
  const std::optional<int32_t> date =
      DaysFromDate(ByteOf(front, 0) * 100 + ByteOf(front, 2), ByteOf(front, 5),
                   static_cast<int>(tens * 10 + ones));
  if (!date) return false;
  *days = *date;
  return true;
}

// ".mmm" at `text`.
bool ReadMillis(const char* text, int64_t* micros) {
  const unsigned hundreds = static_cast<unsigned>(text[1] - '0');
  const unsigned tens = static_cast<unsigned>(text[2] - '0');
  const unsigned ones = static_cast<unsigned>(text[3] - '0');
  if (text[0] != '.' || hundreds > 9 || tens > 9 || ones > 9) return false;
  *micros += (hundreds * 100 + tens * 10 + ones) * 1000;
  return true;
}

char* WriteTwoDigits(int64_t number, char* to) {
  to[0] = static_cast<char>('0' + number / 10);
  to[1] = static_cast<char>('0' + number % 10);
  return to + 2;
}

}  // namespace

std::optional<int32_t> DaysFromDate(int year, int month, int day) {
  if (year < 1 || year > 9999 || month < 1 || month > 12) return std::nullopt;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int leap_day = leap && month == 2 ? 1 : 0;
  const int days_of_month = kDaysBeforeMonth[month] - kDaysBeforeMonth[month - 1] + leap_day;
  if (day < 1 || day > days_of_month) return std::nullopt;
  const int past_years = year - 1;
  const int days = past_years * 365 + past_years / 4 - past_years / 100 + past_years / 400 +
                   kDaysBeforeMonth[month - 1] + (leap && month > 2 ? 1 : 0) + day - 1;
  return days - kDaysBefore1970;
}

bool ParseDate(std::string_view text, int32_t* days) {
  if (text.size() == 10) return ReadPlainDate(text.data(), days);
  TextReader reader(text);
  int32_t date = 0;
  if (!ReadDate(&reader, &date) || !reader.at_end()) return false;
  *days = date;
  return true;
}

bool ParseTimestamp(std::string_view text, int64_t* micros,
                    std::optional<int32_t>* offset_seconds) {
  constexpr size_t kPlainLength = 19;   // YYYY-MM-DD HH:MM:SS
  constexpr size_t kMillisLength = 23;  // … and .mmm
  if (text.size() < kPlainLength || (text[10] != ' ' && text[10] != 'T')) {
    return ParseTimestampSlowly(text, micros, offset_seconds);
  }
  uint64_t faults = 0;
  const uint64_t clock = PairsOf(
      DigitsOf(LoadEight(text.data() + 11), Word("00:00:00"), 0x0000ff0000ff0000U, &faults));
  int32_t days = 0;
  if (faults != 0 || !ReadPlainDate(text.data(), &days)) {
    return ParseTimestampSlowly(text, micros, offset_seconds);
  }
  const int hour = ByteOf(clock, 0);
  const int minute = ByteOf(clock, 3);
  const int second = ByteOf(clock, 6);
  if (hour > 23 || minute > 59 || second > 59) return false;
  int64_t time = days * kMicrosPerDay + (hour * 3600 + minute * 60 + second) * kMicrosPerSecond;
  std::optional<int32_t> offset;
  if (text.size() == kMillisLength && ReadMillis(text.data() + kPlainLength, &time)) {
    // The commonest tail, read without a loop.
  } else if (text.size() > kPlainLength) {
    TextReader reader(text.substr(kPlainLength));
    if (!ReadTail(&reader, &time, &offset)) return false;
  }
  *micros = time;
  *offset_seconds = offset;
  return true;
}

char* WriteDate(int64_t days, char* to) {
  // The calendar repeats every 400 years, and date::year holds 16 bits.
  constexpr int64_t kDaysPerCycle = 146'097;
  constexpr int64_t kSafeDays = 10'000'000;
  int64_t cycles = 0;
  if (days < -kSafeDays || days > kSafeDays) cycles = days / kDaysPerCycle;
  const auto days_in_cycle = static_cast<int32_t>(days - cycles * kDaysPerCycle);
  const date::year_month_day ymd{date::sys_days{date::days{days_in_cycle}}};
  const int64_t year = static_cast<int>(ymd.year()) + cycles * 400;
  if (year >= 0 && year <= 9999) {
    to = WriteTwoDigits(year / 100, to);
    to = WriteTwoDigits(year % 100, to);
  } else {
    to = fmt::format_to(to, "{:04d}", year);
  }
  *to++ = '-';
  to = WriteTwoDigits(static_cast<unsigned>(ymd.month()), to);
  *to++ = '-';
  return WriteTwoDigits(static_cast<unsigned>(ymd.day()), to);
}

char* WriteTimestamp(int64_t micros, int precision, char* to) {
  int64_t days = micros / kMicrosPerDay;
  int64_t rest = micros % kMicrosPerDay;
  if (rest < 0) {
    rest += kMicrosPerDay;
    --days;
  }
  to = WriteDate(days, to);
  *to++ = ' ';
  const int64_t seconds = rest / kMicrosPerSecond;
  to = WriteTwoDigits(seconds / 3600, to);
  *to++ = ':';
  to = WriteTwoDigits(seconds / 60 % 60, to);
  *to++ = ':';
  to = WriteTwoDigits(seconds % 60, to);
  if (precision == 0) return to;
  *to++ = '.';
  int64_t fraction = rest % kMicrosPerSecond;
  int64_t unit = kMicrosPerSecond / 10;
  for (int digit = 0; digit < precision; ++digit) {
    *to++ = static_cast<char>('0' + fraction / unit);
    fraction %= unit;
    unit /= 10;
  }
  return to;
}

}  // namespace braid
