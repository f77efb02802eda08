#include "engine/expression/json_number.h"

#include <fmt/format.h>

#include <cstdint>

namespace braid {

namespace {

// The digits at the front of `text`, taken off it.
std::string_view TakeDigits(std::string_view* text) {
  size_t count = 0;
  while (count < text->size() && (*text)[count] >= '0' && (*text)[count] <= '9') ++count;
  const std::string_view digits = text->substr(0, count);
  text->remove_prefix(count);
  return digits;
}

bool Take(std::string_view* text, char letter) {
  if (!text->starts_with(letter)) return false;
  text->remove_prefix(1);
  return true;
}

struct JsonNumber {
  bool negative = false;
  bool is_integer = true;  // Written without point and exponent.
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;
};

std::optional<JsonNumber> Parse(std::string_view text) {
  JsonNumber number;
  number.negative = Take(&text, '-');
  number.whole = TakeDigits(&text);
  if (number.whole.empty() || (number.whole.size() > 1 && number.whole[0] == '0')) return {};
  if (Take(&text, '.')) {
    number.is_integer = false;
    number.fraction = TakeDigits(&text);
    if (number.fraction.empty()) return {};
  }
  if (Take(&text, 'e') || Take(&text, 'E')) {
    number.is_integer = false;
    const bool negative = Take(&text, '-');
    if (!negative) Take(&text, '+');
    const std::string_view digits = TakeDigits(&text);
    constexpr size_t kMostDigits = 9;
    if (digits.empty() || digits.size() > kMostDigits) return {};
    for (const char digit : digits) number.exponent = number.exponent * 10 + (digit - '0');
    if (negative) number.exponent = -number.exponent;
  }
  if (!text.empty()) return {};
  return number;
}

// As BigDecimal.toString: plain unless there are zeros to invent behind the digits, or more than
// six in front of them. REQUIRES: `digits` begins with no 0 unless it is "0".
std::string DecimalText(std::string digits, int64_t scale) {
  constexpr int64_t kLeastPlainExponent = -6;
  const int64_t exponent = static_cast<int64_t>(digits.size()) - 1 - scale;
  if (scale < 0 || exponent < kLeastPlainExponent) {
    if (digits.size() > 1) digits.insert(1, ".");
    return exponent == 0 ? digits : fmt::format("{}E{:+}", digits, exponent);
  }
  if (scale == 0) return digits;
  const auto behind = static_cast<size_t>(scale);
  if (digits.size() <= behind) digits.insert(0, behind - digits.size() + 1, '0');
  return digits.insert(digits.size() - behind, ".");
}

}  // namespace

std::optional<std::string> JsonNumberText(std::string_view token) {
  const std::optional<JsonNumber> number = Parse(token);
  if (!number) return {};
  std::string digits(number->whole);
  digits += number->fraction;
  const size_t first = digits.find_first_not_of('0');
  const bool is_zero = first == std::string::npos;
  digits.erase(0, is_zero ? digits.size() - 1 : first);
  const std::string text =
      number->is_integer
          ? digits
          : DecimalText(std::move(digits),
                        static_cast<int64_t>(number->fraction.size()) - number->exponent);
  return number->negative && !is_zero ? "-" + text : text;
}

}  // namespace braid
