#include "engine/connectors/format/text_value.h"

#include <fast_float/fast_float.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "braid/change_kind.h"
#include "engine/connectors/format/base64.h"
#include "state/rows/check.h"
#include "state/rows/time_text.h"
#include "state/rows/utf8.h"

namespace braid {

namespace {

constexpr int64_t kMicrosASecond = 1'000'000;

bool IsSpace(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }
bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }
char Lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

bool EqualsWord(std::string_view text, std::string_view lower_word) {
  if (text.size() != lower_word.size()) return false;
  for (size_t index = 0; index < text.size(); ++index) {
    if (Lower(text[index]) != lower_word[index]) return false;
  }
  return true;
}

template <typename T>
void Store(T value, void* to) {
  std::memcpy(to, &value, sizeof(T));
}

bool ReadChangeKind(std::string_view text, void* to) {
  const std::optional<ChangeKind> kind = ParseChangeKind(text);
  if (kind) Store(static_cast<int8_t>(*kind), to);
  return kind.has_value();
}

template <typename T>
bool ReadInteger(std::string_view text, void* to) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || rest != end) return false;
  Store(value, to);
  return true;
}

template <typename T>
bool ReadFloating(std::string_view text, void* to) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  if (text.empty()) return false;
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = fast_float::from_chars(text.data(), end, value);
  if (failure != std::errc() || rest != end) return false;
  const bool is_word = !IsDigit(text.back()) && text.back() != '.';
  if (std::isinf(value) && !is_word) return false;
  Store(value, to);
  return true;
}

bool ReadBoolean(std::string_view text, void* to) {
  const bool is_true = EqualsWord(text, "true");
  if (!is_true && !EqualsWord(text, "false")) return false;
  Store(static_cast<uint8_t>(is_true), to);
  return true;
}

// Cuts microseconds off to `precision` digits of the second's fraction.
int64_t CutToPrecision(int64_t micros, int precision) {
  static constexpr int64_t kUnits[] = {1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};
  const int64_t unit = kUnits[precision];
  const int64_t beyond = micros % unit;
  return micros - (beyond < 0 ? beyond + unit : beyond);
}

}  // namespace

TextReader::TextReader(DataType type, TimestampStyle style, TimeZonePtr time_zone)
    : type_(type), style_(style) {
  if (time_zone != nullptr && !time_zone->is_utc()) time_zone_ = std::move(time_zone);
}

TextReader TextReader::OfChangeKinds() {
  TextReader reader(DataType::TinyInt(), TimestampStyle::kAny, nullptr);
  reader.reads_change_kinds_ = true;
  return reader;
}

bool TextReader::ReadTimestamp(std::string_view text, int64_t* micros) const {
  // The separator of date and time tells the styles apart.
  const size_t separator = text.find_first_of(" T");
  if (separator != std::string_view::npos && style_ != TimestampStyle::kAny) {
    if ((text[separator] == 'T') != (style_ == TimestampStyle::kIso8601)) return false;
  }
  std::optional<int32_t> offset_seconds;
  if (!ParseTimestamp(text, micros, &offset_seconds)) return false;
  *micros = CutToPrecision(*micros, type_.precision);
  if (offset_seconds) {
    *micros -= *offset_seconds * kMicrosASecond;
  } else if (type_.kind == TypeKind::kTimestampLtz && time_zone_ != nullptr) {
    time_zone_->ToUtc(micros, 1);
  }
  return true;
}

bool TextReader::Read(std::string_view text, void* value) const {
  text = Trim(text);
  switch (type_.kind) {
    case TypeKind::kBoolean:
      return ReadBoolean(text, value);
    case TypeKind::kTinyInt:
      return reads_change_kinds_ ? ReadChangeKind(text, value) : ReadInteger<int8_t>(text, value);
    case TypeKind::kSmallInt:
      return ReadInteger<int16_t>(text, value);
    case TypeKind::kInt:
      return ReadInteger<int32_t>(text, value);
    case TypeKind::kBigInt:
      return ReadInteger<int64_t>(text, value);
    case TypeKind::kFloat:
      return ReadFloating<float>(text, value);
    case TypeKind::kDouble:
      return ReadFloating<double>(text, value);
    case TypeKind::kDecimal: {
      int64_t unscaled = 0;
      if (!ReadDecimal(text, type_.precision, type_.scale, &unscaled)) return false;
      Store(unscaled, value);
      return true;
    }
    case TypeKind::kDate: {
      int32_t days = 0;
      if (!ParseDate(text, &days)) return false;
      Store(days, value);
      return true;
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: {
      int64_t micros = 0;
      if (!ReadTimestamp(text, &micros)) return false;
      Store(micros, value);
      return true;
    }
    default:
      BRAID_CHECK(false, "a type without a text of fixed width");
  }
}

bool TextReader::Append(std::string_view text, ColumnBuilder* builder) const {
  if (type_.kind == TypeKind::kString) {
    builder->AppendString(IsUtf8(text) ? text : WithoutInvalidBytes(text));
    return true;
  }
  if (type_.kind == TypeKind::kBytes) {
    std::string bytes;
    if (!ReadBase64(text, &bytes)) return false;
    builder->AppendString(bytes);
    return true;
  }
  alignas(int64_t) char value[sizeof(int64_t)];
  if (!Read(text, value)) return false;
  AppendFixed(value, builder);
  return true;
}

namespace {

template <typename T>
void AppendAs(const void* value, ColumnBuilder* builder) {
  T loaded;
  std::memcpy(&loaded, value, sizeof(loaded));
  builder->Append<T>(loaded);
}

}  // namespace

void AppendFixed(const void* value, ColumnBuilder* builder) {
  switch (builder->type().kind) {
    case TypeKind::kBoolean:
      return AppendAs<uint8_t>(value, builder);
    case TypeKind::kTinyInt:
      return AppendAs<int8_t>(value, builder);
    case TypeKind::kSmallInt:
      return AppendAs<int16_t>(value, builder);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return AppendAs<int32_t>(value, builder);
    case TypeKind::kFloat:
      return AppendAs<float>(value, builder);
    case TypeKind::kDouble:
      return AppendAs<double>(value, builder);
    default:
      return AppendAs<int64_t>(value, builder);
  }
}

bool ReadDecimal(std::string_view text, int precision, int scale, int64_t* unscaled) {
  text = Trim(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  // The value is 0.DIGITS times ten to the power of `point`; zeros at the front do not count.
  std::string_view whole = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(whole.size());
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = text.substr(0, text.find_first_not_of("0123456789"));
    text.remove_prefix(fraction.size());
  }
  if (whole.empty() && fraction.empty()) return false;
  int64_t exponent = 0;
  if (!text.empty()) {
    if (text[0] != 'e' && text[0] != 'E') return false;
    text.remove_prefix(1);
    int32_t given = 0;
    if (!ReadInteger<int32_t>(text, &given)) return false;
    exponent = given;
  }
  const int64_t point = static_cast<int64_t>(whole.size()) + exponent;
  const size_t num_digits = whole.size() + fraction.size();
  const int64_t num_kept = point + scale;
  int64_t value = 0;
  bool round_up = false;
  for (size_t index = 0; index < num_digits; ++index) {
    const char letter = index < whole.size() ? whole[index] : fraction[index - whole.size()];
    if (static_cast<int64_t>(index) >= num_kept) {
      // The first digit that is cut off decides; a number that begins further right is 0.
      round_up = static_cast<int64_t>(index) == num_kept && letter >= '5';
      break;
    }
    if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
        __builtin_add_overflow(value, int64_t{letter - '0'}, &value)) {
      return false;
    }
  }
  if (value != 0) {
    for (int64_t index = static_cast<int64_t>(num_digits); index < num_kept; ++index) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value)) return false;
    }
  }
  if (round_up) ++value;
  int64_t limit = 1;
  for (int digit = 0; digit < precision; ++digit) limit *= 10;
  if (value >= limit) return false;
  *unscaled = negative ? -value : value;
  return true;
}

}  // namespace braid
