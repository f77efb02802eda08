#include "engine/expression/time_pattern.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "engine/expression/calendar.h"
#include "state/rows/time_text.h"

namespace braid {

namespace {

// Java gives these a meaning that is not known here.
bool IsReserved(char letter) {
  return std::string_view("[]{}#").find(letter) != std::string_view::npos;
}

bool IsLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace

Status TimePattern::AddLetters(char letter, size_t count) {
  struct Known {
    char letter;
    Field field;
    size_t most;
  };
  constexpr std::array<Known, 8> kKnown = {{{'y', Field::kYear, 4},
                                            {'u', Field::kYear, 4},
                                            {'M', Field::kMonth, 2},
                                            {'d', Field::kDay, 2},
                                            {'H', Field::kHour, 2},
                                            {'m', Field::kMinute, 2},
                                            {'s', Field::kSecond, 2},
                                            {'S', Field::kFraction, 9}}};
  for (const Known& known : kKnown) {
    if (known.letter != letter || count > known.most) continue;
    if (known.field == Field::kYear && count != 4) continue;
    const bool exact = count > 1 || known.field == Field::kFraction;
    parts_.push_back({known.field, "", count, exact ? count : known.most});
    return {};
  }
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("'{}' is no part of a time format; known are yyyy, MM, dd, HH, mm, ss, "
                          "S to SSSSSSSSS, and text in single quotes",
                          std::string(count, letter)));
}

Result<TimePattern> TimePattern::Compile(std::string_view format) {
  TimePattern pattern;
  const auto add_text = [&pattern](std::string_view text) {
    pattern.parts_.push_back({Field::kText, std::string(text)});
  };
  size_t at = 0;
  while (at < format.size()) {
    const char letter = format[at];
    if (letter == '\'') {
      const size_t end = format.find('\'', at + 1);
      if (end == std::string_view::npos) {
        return Fail(ErrorCode::kInvalidQuery,
                    fmt::format("a quote is not closed in the time format '{}'", format));
      }
      add_text(end == at + 1 ? "'" : format.substr(at + 1, end - at - 1));
      at = end + 1;
    } else if (IsLetter(letter)) {
      size_t end = at;
      while (end < format.size() && format[end] == letter) ++end;
      if (Status status = pattern.AddLetters(letter, end - at); !status) {
        return tl::unexpected(std::move(status.error()));
      }
      at = end;
    } else if (IsReserved(letter)) {
      return Fail(ErrorCode::kInvalidQuery,
                  fmt::format("'{}' has a meaning of its own in a time format that Braid does not "
                              "know; put it into single quotes",
                              letter));
    } else {
      add_text(format.substr(at, 1));
      ++at;
    }
  }
  return pattern;
}

bool TimePattern::Parse(std::string_view text, int64_t* micros) const {
  constexpr int64_t kMicrosPerSecond = 1'000'000;
  std::array<int64_t, 8> fields = {0, 1970, 1, 1, 0, 0, 0, 0};
  for (const Part& part : parts_) {
    if (part.field == Field::kText) {
      if (!text.starts_with(part.text)) return false;
      text.remove_prefix(part.text.size());
      continue;
    }
    size_t digits = 0;
    int64_t number = 0;
    while (digits < part.most_digits && digits < text.size() && IsDigit(text[digits])) {
      number = number * 10 + (text[digits] - '0');
      ++digits;
    }
    if (digits < part.least_digits) return false;
    text.remove_prefix(digits);
    if (part.field == Field::kFraction) {
      for (size_t digit = digits; digit < 6; ++digit) number *= 10;
      for (size_t digit = 6; digit < digits; ++digit) number /= 10;
    }
    fields[static_cast<size_t>(part.field)] = number;
  }
  const auto field = [&fields](Field wanted) { return fields[static_cast<size_t>(wanted)]; };
  if (!text.empty() || field(Field::kHour) > 23 || field(Field::kMinute) > 59 ||
      field(Field::kSecond) > 59) {
    return false;
  }
  const std::optional<int32_t> days =
      DaysFromDate(static_cast<int>(field(Field::kYear)), static_cast<int>(field(Field::kMonth)),
                   static_cast<int>(field(Field::kDay)));
  if (!days) return false;
  const int64_t seconds =
      field(Field::kHour) * 3600 + field(Field::kMinute) * 60 + field(Field::kSecond);
  *micros = *days * kMicrosPerDay + seconds * kMicrosPerSecond + field(Field::kFraction);
  return true;
}

}  // namespace braid
