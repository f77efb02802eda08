#include "engine/sql/literal.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "state/rows/time_text.h"

namespace braid {

namespace {

tl::unexpected<Error> Refuse(std::string message, const Place& place) {
  return Fail(ErrorCode::kInvalidQuery, std::move(message), place);
}

// The digits as an integer, with its sign, if it fits into int64_t.
std::optional<int64_t> ToInteger(std::string_view digits, bool negative) {
  std::string text = negative ? "-" : "";
  text += digits;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool FitsInt(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

}  // namespace

Result<Value> IntegerLiteral(std::string_view digits, bool negative, const Place& place) {
  const std::optional<int64_t> value = ToInteger(digits, negative);
  if (!value) {
    return Refuse(fmt::format("{}{} does not fit into BIGINT", negative ? "-" : "", digits), place);
  }
  return Value{FitsInt(*value) ? DataType::Int() : DataType::BigInt(), *value};
}

Result<Value> DecimalLiteral(std::string_view text, bool negative, const Place& place) {
  constexpr size_t kMaxDigits = 18;
  const size_t dot = text.find('.');
  std::string digits(text.substr(0, dot));
  const std::string_view fraction = text.substr(dot + 1);
  digits += fraction;
  while (digits.size() > kMaxDigits && digits.front() == '0') digits.erase(0, 1);
  if (digits.size() > kMaxDigits || fraction.size() > kMaxDigits) {
    return Refuse(fmt::format("{} has more than the {} digits of a DECIMAL", text, kMaxDigits),
                  place);
  }
  const std::optional<int64_t> unscaled = ToInteger(digits, negative);
  if (!unscaled) return Refuse(fmt::format("{} is not a number", text), place);
  return Value{
      DataType::Decimal(static_cast<uint8_t>(digits.size()), static_cast<uint8_t>(fraction.size())),
      *unscaled};
}

Result<Value> DoubleLiteral(std::string_view text, bool negative, const Place& place) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    return Refuse(fmt::format("{} is beyond the range of DOUBLE", text), place);
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return Refuse(fmt::format("{} is not a number", text), place);
  }
  return Value{DataType::Double(), negative ? -value : value};
}

Result<Value> DateLiteral(std::string_view text, const Place& place) {
  int32_t days = 0;
  if (!ParseDate(text, &days)) {
    return Refuse(fmt::format("'{}' is not a date; it is written DATE '2024-01-31'", text), place);
  }
  return Value{DataType::Date(), int64_t{days}};
}

Result<Value> TimestampLiteral(std::string_view text, const Place& place) {
  int64_t micros = 0;
  std::optional<int32_t> zone;
  if (!ParseTimestamp(text, &micros, &zone)) {
    return Refuse(
        fmt::format("'{}' is not a time; it is written TIMESTAMP '2024-01-31 10:00:00.000'", text),
        place);
  }
  if (zone) {
    return Refuse(fmt::format("TIMESTAMP '{}' names a zone, but TIMESTAMP has none; "
                              "CAST('…' AS TIMESTAMP_LTZ(3)) takes one",
                              text),
                  place);
  }
  const size_t dot = text.find('.');
  const size_t digits = dot == std::string_view::npos ? 0 : text.size() - dot - 1;
  if (digits > 6) {
    return Refuse(fmt::format("TIMESTAMP '{}' has more than 6 digits of a second", text), place);
  }
  return Value{DataType::Timestamp(static_cast<uint8_t>(digits)), micros};
}

}  // namespace braid
