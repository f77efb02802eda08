#include "engine/expression/number_text.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "engine/expression/decimal_digits.h"

namespace braid {

namespace {

constexpr int kPowerMax = 36;

// As Java's Double.toString lays digits out: plain from 10^-3 up to 10^7, else with an exponent;
// one digit behind the point at least.
template <typename T>
std::string FloatingText(T number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  const std::string sign = std::signbit(number) ? "-" : "";
  if (number == 0) return sign + "0.0";
  // d.ddde±xx with the fewest digits that give the number again.
  char written[40];
  const auto end = std::to_chars(written, written + sizeof(written), std::abs(number),
                                 std::chars_format::scientific);
  const std::string_view text(written, static_cast<size_t>(end.ptr - written));
  const size_t exponent_at = text.find('e');
  int exponent = 0;
  const size_t skipped = text[exponent_at + 1] == '+' ? 2 : 1;
  std::from_chars(text.data() + exponent_at + skipped, end.ptr, exponent);
  std::string digits(1, text[0]);
  if (exponent_at > 2) digits += text.substr(2, exponent_at - 2);
  constexpr int kLeastPlain = -3;
  constexpr int kMostPlain = 6;
  if (exponent < kLeastPlain || exponent > kMostPlain) {
    const std::string fraction = digits.size() > 1 ? digits.substr(1) : "0";
    return sign + digits[0] + "." + fraction + "E" + std::to_string(exponent);
  }
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() < whole + 1) digits.append(whole + 1 - digits.size(), '0');
  return sign + digits.insert(whole, ".");
}

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

template <typename T>
bool ParseFloating(std::string_view text, T* number) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  T parsed = 0;
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  // A number that is too large comes back infinite; only the word itself may.
  const bool has_digit = std::any_of(text.begin(), text.end(), IsDigit);
  if (std::isinf(parsed) && has_digit) return false;
  *number = parsed;
  return true;
}

// The exponent behind an 'e'; false if there is none.
bool ParseExponent(std::string_view text, int* exponent) {
  int64_t number = 0;
  if (!ParseInteger(text, &number)) return false;
  *exponent = static_cast<int>(std::clamp<int64_t>(number, -1000, 1000));
  return true;
}

// A number as its text has it: digits * 10^-scale.
struct DecimalText {
  WideDigits digits = 0;
  int scale = 0;
  bool negative = false;
};

bool ReadDecimalText(std::string_view text, DecimalText* out) {
  constexpr WideDigits kRoom = static_cast<WideDigits>(1'000'000'000'000'000'000) * 1'000'000'000;
  if (text.starts_with('+') || text.starts_with('-')) {
    out->negative = text[0] == '-';
    text.remove_prefix(1);
  }
  bool any_digit = false;
  bool behind_point = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (!IsDigit(text[at])) break;
    any_digit = true;
    // A result has 18 digits at most, so digits beyond the 28th decide nothing: one half is one
    // half whatever follows.
    if (out->digits < kRoom) {
      out->digits = out->digits * 10 + (text[at] - '0');
      if (behind_point) ++out->scale;
    } else if (!behind_point) {
      --out->scale;
    }
  }
  if (!any_digit) return false;
  if (at == text.size()) return true;
  int exponent = 0;
  if (text[at] != 'e' && text[at] != 'E') return false;
  if (!ParseExponent(text.substr(at + 1), &exponent)) return false;
  out->scale -= exponent;
  return true;
}

}  // namespace

std::string_view TrimBlanks(std::string_view text) {
  const auto is_blank = [](char letter) { return letter == ' ' || (letter >= 9 && letter <= 13); };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool ParseInteger(std::string_view text, int64_t* number) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  int64_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  *number = parsed;
  return true;
}

bool ParseDouble(std::string_view text, double* number) { return ParseFloating(text, number); }

bool ParseFloat(std::string_view text, float* number) { return ParseFloating(text, number); }

bool ParseDecimal(std::string_view text, int precision, int scale, int64_t* digits) {
  DecimalText number;
  if (!ReadDecimalText(text, &number)) return false;
  if (number.digits == 0) {
    *digits = 0;
    return true;
  }
  WideDigits scaled = 0;
  const int drop = number.scale - scale;
  if (drop > kPowerMax) {
    scaled = 0;
  } else if (drop < -kPowerMax) {
    return false;
  } else if (drop <= 0) {
    if (!Rescale(number.digits, number.scale, scale, &scaled)) return false;
  } else {
    scaled = DivideRounded(number.digits, PowerOfTen(drop));
  }
  return NarrowDigits(number.negative ? -scaled : scaled, precision, digits);
}

bool ParseBoolean(std::string_view text, bool* value) {
  std::string lower(text.substr(0, 6));
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  for (const char* word : {"true", "t", "yes", "y", "1"}) {
    if (lower == word) {
      *value = true;
      return true;
    }
  }
  for (const char* word : {"false", "f", "no", "n", "0"}) {
    if (lower == word) {
      *value = false;
      return true;
    }
  }
  return false;
}

std::string DoubleText(double number) { return FloatingText(number); }

std::string FloatText(float number) { return FloatingText(number); }

}  // namespace braid
