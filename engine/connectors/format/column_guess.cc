#include "engine/connectors/format/column_guess.h"

#include <algorithm>
#include <optional>

#include "engine/connectors/format/text_value.h"
#include "state/rows/time_text.h"

namespace braid {

namespace {

constexpr uint32_t Bit(ValueKind kind) { return uint32_t{1} << static_cast<uint32_t>(kind); }

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

std::string_view WithoutSign(std::string_view text) {
  return text.starts_with('-') ? text.substr(1) : text;
}

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

template <typename T>
bool ReadsAs(const DataType& type, std::string_view text) {
  T value;
  return TextReader(type, TimestampStyle::kAny, nullptr).Read(text, &value);
}

GuessedValue GuessNumber(std::string_view text) {
  const std::string_view digits = WithoutSign(text);
  // A zero in front is part of a code (a post code, a telephone number), not of a number.
  const bool is_code = digits.size() > 1 && digits[0] == '0' && IsDigit(digits[1]);
  if (is_code || text.starts_with('+')) return {};
  if (IsDigits(digits)) {
    return {ReadsAs<int64_t>(DataType::BigInt(), text) ? ValueKind::kInteger : ValueKind::kText, 0};
  }
  if (!ReadsAs<double>(DataType::Double(), text)) return {};
  const bool has_digits = std::any_of(text.begin(), text.end(), IsDigit);
  return {has_digits ? ValueKind::kFloating : ValueKind::kNotFinite, 0};
}

int FractionDigits(std::string_view time) {
  const size_t point = time.find('.');
  if (point == std::string_view::npos) return 0;
  const size_t end = std::min(time.find_first_not_of("0123456789", point + 1), time.size());
  return static_cast<int>(end - point - 1);
}

}  // namespace

GuessedValue GuessValue(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.empty()) return {};
  if (ReadsAs<uint8_t>(DataType::Boolean(), text)) return {ValueKind::kBoolean, 0};
  int32_t days = 0;
  if (ParseDate(text, &days)) return {ValueKind::kDate, 0};
  int64_t micros = 0;
  std::optional<int32_t> offset_seconds;
  if (ParseTimestamp(text, &micros, &offset_seconds)) {
    return {offset_seconds ? ValueKind::kZonedTimestamp : ValueKind::kTimestamp,
            FractionDigits(text)};
  }
  return GuessNumber(text);
}

void ColumnGuess::Add(const GuessedValue& value) {
  kinds_ |= Bit(value.kind);
  fraction_digits_ = std::max(fraction_digits_, value.fraction_digits);
}

DataType ColumnGuess::type() const {
  const auto only = [this](uint32_t kinds) { return (kinds_ & ~kinds) == 0; };
  const uint32_t numbers = Bit(ValueKind::kInteger) | Bit(ValueKind::kFloating);
  const uint32_t times = Bit(ValueKind::kDate) | Bit(ValueKind::kTimestamp);
  const uint8_t precision = fraction_digits_ > 3 ? 6 : 3;
  if (kinds_ == 0) return DataType::String();
  if (only(Bit(ValueKind::kBoolean))) return DataType::Boolean();
  if (only(Bit(ValueKind::kInteger))) return DataType::BigInt();
  if (only(numbers | Bit(ValueKind::kNotFinite)) && (kinds_ & numbers) != 0) {
    return DataType::Double();
  }
  if (only(Bit(ValueKind::kDate))) return DataType::Date();
  if (only(times)) return DataType::Timestamp(precision);
  if (only(Bit(ValueKind::kZonedTimestamp))) return DataType::TimestampLtz(precision);
  return DataType::String();
}

}  // namespace braid
