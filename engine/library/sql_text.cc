#include "engine/library/sql_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/expression/quoted.h"

namespace braid {

namespace {

// The part of a long line around `column`, from 1, cut between characters.
std::string Around(const std::string& line, int64_t column) {
  constexpr size_t kBefore = 60;
  constexpr size_t kLength = 160;
  if (line.size() <= kLength) return line;
  const auto is_inside = [&](size_t at) {
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
  };
  const size_t place = std::min(static_cast<size_t>(std::max<int64_t>(column, 0)), line.size());
  size_t begin = place > kBefore ? place - kBefore : 0;
  while (is_inside(begin)) ++begin;
  size_t end = std::min(begin + kLength, line.size());
  while (is_inside(end)) ++end;
  return fmt::format("{}{}{}", begin > 0 ? "… " : "", line.substr(begin, end - begin),
                     end < line.size() ? " …" : "");
}

}  // namespace

std::string QuoteName(std::string_view name) { return Quoted(name, '`'); }

std::string QuoteText(std::string_view text) { return Quoted(text, '\''); }

std::string IntervalSql(Interval interval) {
  constexpr uint64_t kMicrosPerSecond = 1'000'000;
  constexpr uint64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
  const bool negative = interval.micros < 0;
  // The smallest value has no positive counterpart of its own type.
  const uint64_t micros = negative ? 0 - static_cast<uint64_t>(interval.micros)
                                   : static_cast<uint64_t>(interval.micros);
  const uint64_t seconds = micros % kMicrosPerDay / kMicrosPerSecond;
  return fmt::format("INTERVAL '{}{} {:02}:{:02}:{:02}.{:06}' DAY TO SECOND", negative ? "-" : "",
                     micros / kMicrosPerDay, seconds / 3'600, seconds / 60 % 60, seconds % 60,
                     micros % kMicrosPerSecond);
}

Error WithLineOf(const std::string& text, Error error) {
  if (error.place.line <= 0 || !error.place.file.empty()) return error;
  size_t begin = 0;
  for (int64_t line = 1; line < error.place.line && begin < text.size(); ++line) {
    begin = text.find('\n', begin) + 1;
  }
  const std::string line = text.substr(begin, text.find('\n', begin) - begin);
  error.message += fmt::format("; in: {}", Around(line, error.place.column));
  error.place.line = 0;
  error.place.column = 0;
  return error;
}

}  // namespace braid
