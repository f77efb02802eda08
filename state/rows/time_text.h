// Times as text, read and written: SQL ('2024-01-31 10:00:00.5') and ISO-8601
// ('2024-01-31T10:00:00.5+02:00'). For casts, formats and literals alike.
//
// Accepted: a date YYYY-MM-DD, alone (midnight) or followed by ' ' or 'T' and HH:MM[:SS[.fraction]]
// and then, optionally, a zone: Z, UTC, +HH, +HHMM or +HH:MM (one blank may stand before it). Years
// are 0001 to 9999, with four digits; month, day and hour may have one digit. A fraction has one to
// nine digits, those beyond the sixth are dropped. Blanks around the text are not skipped.
//
// Thread rule: free functions. Nothing is allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace braid {

// Days since 1970-01-01. False, with `days` unchanged, if `text` is not exactly a date that exists.
bool ParseDate(std::string_view text, int32_t* days);

// Microseconds since 1970-01-01 00:00 of the clock time as it is written, and how far that clock is
// ahead of UTC if the text says so (no value otherwise): the moment in UTC is
// *micros - **offset_seconds * 1'000'000. False, with both unchanged, if `text` is not a time.
bool ParseTimestamp(std::string_view text, int64_t* micros, std::optional<int32_t>* offset_seconds);

// Days since 1970-01-01; nothing if there is no such day or the year is not 1 to 9999.
std::optional<int32_t> DaysFromDate(int year, int month, int day);

// Enough for any date or time that the two functions below write.
constexpr int kTimeTextBytesMax = 40;

// Writes 'YYYY-MM-DD' and returns the end. REQUIRES: room for kTimeTextBytesMax bytes.
char* WriteDate(int64_t days, char* to);

// Writes 'YYYY-MM-DD HH:MM:SS' and `precision` (0..6) digits of the fraction, the rest cut off;
// returns the end. REQUIRES: room for kTimeTextBytesMax bytes.
char* WriteTimestamp(int64_t micros, int precision, char* to);

}  // namespace braid
