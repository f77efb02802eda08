#include "engine/expression/time_format.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "engine/expression/calendar.h"
#include "engine/expression/time_field.h"

namespace braid {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

// Java gives these a meaning that is not known here.
bool IsReserved(char letter) {
  return std::string_view("[]{}#").find(letter) != std::string_view::npos;
}

bool IsLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

void AppendNumber(int64_t number, int digits, std::string* text) {
  fmt::format_to(std::back_inserter(*text), "{:0{}}", number, digits);
}

void AppendName(std::string_view name, bool whole, std::string* text) {
  text->append(whole ? name : name.substr(0, 3));
}

// What a letter of the format stands for, as a number.
int64_t NumberOf(char letter, int64_t micros) {
  const auto field = [micros](TimeField wanted) { return FieldOf(wanted, micros); };
  switch (letter) {
    case 'y':
    case 'u':
      return field(TimeField::kYear);
    case 'M':
      return field(TimeField::kMonth);
    case 'd':
      return field(TimeField::kDay);
    case 'D':
      return field(TimeField::kDayOfYear);
    case 'Q':
      return field(TimeField::kQuarter);
    case 'E':
      return field(TimeField::kIsoDayOfWeek);
    case 'H':
    case 'a':
      return field(TimeField::kHour);
    case 'h':
      return (field(TimeField::kHour) + 11) % 12 + 1;
    case 'm':
      return field(TimeField::kMinute);
    case 's':
      return field(TimeField::kSecond);
    default:
      return field(TimeField::kMicrosecond);
  }
}

}  // namespace

Status TimeFormat::AddLetters(char letter, int count) {
  struct Known {
    char letter;
    int most;
  };
  constexpr std::array<Known, 13> kKnown = {{{'y', 4},
                                             {'u', 4},
                                             {'M', 4},
                                             {'d', 2},
                                             {'D', 3},
                                             {'Q', 2},
                                             {'E', 4},
                                             {'H', 2},
                                             {'h', 2},
                                             {'a', 1},
                                             {'m', 2},
                                             {'s', 2},
                                             {'S', 9}}};
  for (const Known& known : kKnown) {
    if (known.letter != letter || count > known.most) continue;
    if (known.most == 4 && count == 3 && (letter == 'y' || letter == 'u')) continue;
    if (letter == 'D' && count == 2) continue;
    parts_.push_back({letter, count, ""});
    return {};
  }
  return Fail(ErrorCode::kInvalidQuery,
              fmt::format("'{}' is no part of a time format; known are yyyy, yy, MM, MMM, MMMM, "
                          "dd, DDD, QQ, E, EEEE, HH, hh, a, mm, ss, S to SSSSSSSSS, and text in "
                          "single quotes",
                          std::string(static_cast<size_t>(count), letter)));
}

Result<TimeFormat> TimeFormat::Compile(std::string_view format) {
  TimeFormat compiled;
  size_t at = 0;
  while (at < format.size()) {
    const char letter = format[at];
    size_t end = at + 1;
    if (letter == '\'') {
      end = format.find('\'', at + 1);
      if (end == std::string_view::npos) {
        return Fail(ErrorCode::kInvalidQuery,
                    fmt::format("a quote is not closed in the time format '{}'", format));
      }
      const bool is_quote = end == at + 1;
      compiled.parts_.push_back(
          {0, 0, is_quote ? "'" : std::string(format.substr(at + 1, end - at - 1))});
      ++end;
    } else if (IsLetter(letter)) {
      while (end < format.size() && format[end] == letter) ++end;
      if (Status status = compiled.AddLetters(letter, static_cast<int>(end - at)); !status) {
        return tl::unexpected(std::move(status.error()));
      }
    } else if (IsReserved(letter)) {
      return Fail(ErrorCode::kInvalidQuery,
                  fmt::format("'{}' has a meaning of its own in a time format that Braid does not "
                              "know; put it into single quotes",
                              letter));
    } else {
      compiled.parts_.push_back({0, 0, std::string(1, letter)});
    }
    at = end;
  }
  return compiled;
}

void TimeFormat::Write(int64_t micros, std::string* text) const {
  for (const Part& part : parts_) {
    if (part.letter == 0) {
      text->append(part.text);
      continue;
    }
    const int64_t number = NumberOf(part.letter, micros);
    const bool is_year = part.letter == 'y' || part.letter == 'u';
    if (is_year && part.count == 2) {
      AppendNumber((number % 100 + 100) % 100, 2, text);
    } else if (part.letter == 'M' && part.count > 2) {
      AppendName(kMonths[static_cast<size_t>(number - 1)], part.count == 4, text);
    } else if (part.letter == 'E') {
      AppendName(kWeekdays[static_cast<size_t>(number - 1)], part.count == 4, text);
    } else if (part.letter == 'a') {
      text->append(number < 12 ? "AM" : "PM");
    } else if (part.letter == 'S') {
      std::string digits;
      AppendNumber(number * 1'000, 9, &digits);
      text->append(digits, 0, static_cast<size_t>(part.count));
    } else {
      AppendNumber(number, part.count, text);
    }
  }
}

}  // namespace braid
