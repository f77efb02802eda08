#include "engine/connectors/generated_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "braid/column_builder.h"
#include "engine/connectors/format/text_value.h"
#include "state/rows/time_text.h"

namespace braid {

namespace {

// 2024-01-01 00:00:00, where times begin.
constexpr int64_t kFirstTimeMicros = 1'704'067'200'000'000;
// The last microsecond of the year 9999.
constexpr int64_t kLastTimeMicros = 253'402'300'799'999'999;
constexpr int64_t kMicrosOfDay = 86'400'000'000;
constexpr int64_t kStringLengthMax = 1 << 20;

// SplitMix64's mixing of 64 bits: each input bit changes about half of the output bits.
uint64_t Mix(uint64_t bits) {
  bits += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

// Which random number of a row: they do not depend on one another.
enum class Use : uint64_t { kValue = 0, kNull = 1, kDisorder = 2, kDigits = 3 };

uint64_t RandomBits(const GeneratedField& field, int64_t row, Use use) {
  return Mix(Mix(field.seed + static_cast<uint64_t>(use)) ^ static_cast<uint64_t>(row));
}

__extension__ typedef unsigned __int128 Product;

// 0 <= result <= largest.
uint64_t Below(uint64_t bits, uint64_t largest) {
  if (largest == std::numeric_limits<uint64_t>::max()) return bits;
  const Product product = static_cast<Product>(bits) * (largest + 1);
  return static_cast<uint64_t>(product >> 64);
}

double Fraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

bool IsTime(const DataType& type) { return type.is_timestamp() || type.kind == TypeKind::kDate; }

bool IsWhole(const DataType& type) {
  return type.is_integer() || IsTime(type) || type.kind == TypeKind::kDecimal;
}

int64_t PowerOfTen(int exponent) {
  int64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

int64_t LargestOf(const DataType& type) {
  if (type.is_timestamp()) return kLastTimeMicros;
  switch (type.kind) {
    case TypeKind::kTinyInt:
      return std::numeric_limits<int8_t>::max();
    case TypeKind::kSmallInt:
      return std::numeric_limits<int16_t>::max();
    case TypeKind::kInt:
      return std::numeric_limits<int32_t>::max();
    case TypeKind::kDecimal:
      return PowerOfTen(type.precision) - 1;
    case TypeKind::kDate:
      return kLastTimeMicros / kMicrosOfDay;
    case TypeKind::kFloat:
      return int64_t{1} << 24;
    case TypeKind::kDouble:
      return int64_t{1} << 53;
    default:
      return std::numeric_limits<int64_t>::max();
  }
}

int64_t SmallestOf(const DataType& type) {
  if (type.is_integer()) return -LargestOf(type) - 1;
  if (type.kind == TypeKind::kDecimal) return -LargestOf(type);
  return 0;
}

// The type that bounds of a field are written in.
DataType BoundType(const DataType& type) { return IsWhole(type) ? type : DataType::BigInt(); }

std::optional<int64_t> ParseBound(const DataType& type, std::string_view text) {
  int64_t value = 0;
  if (type.is_timestamp()) {
    std::optional<int32_t> offset;
    if (!ParseTimestamp(text, &value, &offset)) return std::nullopt;
    return value - int64_t{offset.value_or(0)} * 1'000'000;
  }
  if (type.kind == TypeKind::kDate) {
    int32_t days = 0;
    if (!ParseDate(text, &days)) return std::nullopt;
    return days;
  }
  if (type.kind == TypeKind::kDecimal) {
    if (!ReadDecimal(text, type.precision, type.scale, &value)) return std::nullopt;
    return value;
  }
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value > LargestOf(type) || value < SmallestOf(type)) return std::nullopt;
  return value;
}

// How many rows a sequence has before it begins again.
int64_t Period(const GeneratedField& field) {
  const uint64_t span = static_cast<uint64_t>(field.max) - static_cast<uint64_t>(field.min);
  const uint64_t steps = span / static_cast<uint64_t>(field.step);
  return static_cast<int64_t>(std::min<uint64_t>(steps, std::numeric_limits<int64_t>::max() - 1) +
                              1);
}

// Reads the options of one field.
class FieldReader {
 public:
  FieldReader(OptionReader* reader, const Field& field)
      : reader_(reader), field_(field), prefix_("fields." + field.name + ".") {}

  GeneratedField Read(bool not_null, Interval row_interval) {
    generated_.type = field_.type;
    ReadKind();
    if (generated_.is_sequence) {
      ReadSequence(row_interval);
    } else {
      ReadRandom();
    }
    const std::string null_rate = prefix_ + "null-rate";
    generated_.null_rate = Floating("null-rate", 0);
    if (generated_.null_rate < 0 || generated_.null_rate > 1) {
      reader_->Refuse(null_rate, fmt::format("'{}' is a share from 0 to 1", null_rate));
    } else if (not_null && generated_.null_rate > 0) {
      reader_->Refuse(null_rate, fmt::format("'{}': the column is NOT NULL", null_rate));
    }
    return generated_;
  }

 private:
  void ReadKind() {
    const std::string name = prefix_ + "kind";
    generated_.is_sequence = reader_->Choice<bool>(name, field_.type.is_timestamp(),
                                                   {{"sequence", true}, {"random", false}});
    const TypeKind kind = field_.type.kind;
    const bool has_no_sequence = kind == TypeKind::kBoolean || kind == TypeKind::kBytes;
    if (generated_.is_sequence && has_no_sequence) {
      reader_->Refuse(
          name, fmt::format("'{}': there is no sequence of {}", name, field_.type.ToString()));
    }
  }

  void ReadSequence(Interval row_interval) {
    const DataType type = BoundType(field_.type);
    const int64_t first = field_.type.is_timestamp()            ? kFirstTimeMicros
                          : field_.type.kind == TypeKind::kDate ? kFirstTimeMicros / kMicrosOfDay
                                                                : 0;
    generated_.min = Bound("start", type, first);
    generated_.max = Bound("end", type, LargestOf(field_.type));
    generated_.step =
        field_.type.kind == TypeKind::kDecimal ? PowerOfTen(field_.type.scale) : int64_t{1};
    if (field_.type.is_timestamp()) {
      generated_.step = reader_->Duration(prefix_ + "step", row_interval).micros;
      const std::string disorder = prefix_ + "max-disorder";
      if (const auto most = reader_->OptionalDuration(disorder)) {
        generated_.max_disorder = most->micros;
      }
    }
    CheckOrder("end");
    if (reader_->Has(prefix_ + "end")) generated_.num_rows = Period(generated_);
  }

  void ReadRandom() {
    const DataType& type = field_.type;
    if (IsWhole(type)) {
      generated_.min = Bound("min", type, SmallestOf(type));
      generated_.max = Bound("max", type, LargestOf(type));
      for (const char* bound : {"min", "max"}) {
        if (IsTime(type) && !reader_->Has(prefix_ + bound)) {
          reader_->Refuse(
              prefix_ + bound,
              fmt::format("'{}{}' is missing: times at random need both bounds", prefix_, bound));
        }
      }
      CheckOrder("max");
    } else if (type.is_floating()) {
      generated_.min_floating = Floating("min", 0);
      generated_.max_floating = Floating("max", 1);
      if (generated_.min_floating > generated_.max_floating) RefuseOrder("max");
    } else if (type.is_variable_width()) {
      generated_.length = reader_->Integer(prefix_ + "length", 100, 0, kStringLengthMax);
    }
  }

  int64_t Bound(const std::string& what, const DataType& type, int64_t otherwise) {
    const std::string name = prefix_ + what;
    const std::optional<std::string> text = reader_->OptionalText(name);
    if (!text) return otherwise;
    const std::optional<int64_t> value = ParseBound(type, *text);
    if (!value) {
      reader_->Refuse(name, fmt::format("'{}' = '{}' is not a {}", name, *text, type.ToString()));
    }
    return value.value_or(otherwise);
  }

  double Floating(const std::string& what, double otherwise) {
    const std::string name = prefix_ + what;
    const std::optional<std::string> text = reader_->OptionalText(name);
    if (!text) return otherwise;
    double value = 0;
    const char* last = text->data() + text->size();
    const auto [end, failure] = std::from_chars(text->data(), last, value);
    if (failure == std::errc() && end == last) return value;
    reader_->Refuse(name, fmt::format("'{}' = '{}' is not a number", name, *text));
    return otherwise;
  }

  void CheckOrder(const std::string& upper) {
    if (generated_.min > generated_.max) RefuseOrder(upper);
  }
  void RefuseOrder(const std::string& upper) {
    reader_->Refuse(prefix_ + upper, fmt::format("'{0}{1}' lies before '{0}{2}'", prefix_, upper,
                                                 upper == "end" ? "start" : "min"));
    generated_.max = generated_.min;
  }

  OptionReader* reader_;
  const Field& field_;
  const std::string prefix_;
  GeneratedField generated_;
};

int64_t WholeValue(const GeneratedField& field, int64_t row) {
  int64_t value = 0;
  if (field.is_sequence) {
    const uint64_t position = static_cast<uint64_t>(row % Period(field));
    value = static_cast<int64_t>(static_cast<uint64_t>(field.min) +
                                 position * static_cast<uint64_t>(field.step));
    if (field.max_disorder > 0) {
      value -= static_cast<int64_t>(
          Below(RandomBits(field, row, Use::kDisorder), static_cast<uint64_t>(field.max_disorder)));
    }
  } else {
    const uint64_t span = static_cast<uint64_t>(field.max) - static_cast<uint64_t>(field.min);
    value = static_cast<int64_t>(static_cast<uint64_t>(field.min) +
                                 Below(RandomBits(field, row, Use::kValue), span));
  }
  if (field.type.is_timestamp()) {
    const int64_t unit = PowerOfTen(6 - field.type.precision);
    const int64_t over = value % unit;
    value -= over < 0 ? over + unit : over;
  }
  return value;
}

double FloatingValue(const GeneratedField& field, int64_t row) {
  if (field.is_sequence) return static_cast<double>(WholeValue(field, row));
  const double share = Fraction(RandomBits(field, row, Use::kValue));
  return field.min_floating + share * (field.max_floating - field.min_floating);
}

std::string TextValue(const GeneratedField& field, int64_t row) {
  if (field.is_sequence) return std::to_string(WholeValue(field, row));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(static_cast<size_t>(field.length), '0');
  uint64_t bits = RandomBits(field, row, Use::kDigits);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && i % 16 == 0) bits = Mix(bits + i);
    text[i] = kDigits[(bits >> (i % 16 * 4)) & 15];
  }
  return text;
}

void AppendValue(const GeneratedField& field, int64_t row, ColumnBuilder* builder) {
  switch (field.type.kind) {
    case TypeKind::kBoolean:
      builder->Append(static_cast<uint8_t>(RandomBits(field, row, Use::kValue) & 1));
      break;
    case TypeKind::kTinyInt:
      builder->Append(static_cast<int8_t>(WholeValue(field, row)));
      break;
    case TypeKind::kSmallInt:
      builder->Append(static_cast<int16_t>(WholeValue(field, row)));
      break;
    case TypeKind::kInt:
    case TypeKind::kDate:
      builder->Append(static_cast<int32_t>(WholeValue(field, row)));
      break;
    case TypeKind::kFloat:
      builder->Append(static_cast<float>(FloatingValue(field, row)));
      break;
    case TypeKind::kDouble:
      builder->Append(FloatingValue(field, row));
      break;
    case TypeKind::kString:
    case TypeKind::kBytes:
      builder->AppendString(TextValue(field, row));
      break;
    default:
      builder->Append(WholeValue(field, row));
      break;
  }
}

}  // namespace

int64_t GeneratedField::byte_width() const {
  return type.is_variable_width() ? (is_sequence ? 12 : length + 4) : type.byte_width();
}

GeneratedField ReadGeneratedField(OptionReader* reader, const Field& field, bool not_null,
                                  uint64_t seed, Interval row_interval) {
  GeneratedField generated = FieldReader(reader, field).Read(not_null, row_interval);
  generated.seed = seed;
  return generated;
}

Column GenerateColumn(const GeneratedField& field, int64_t first, int64_t count) {
  ColumnBuilder builder(field.type);
  builder.Reserve(count, field.type.is_variable_width() ? count * field.byte_width() : 0);
  for (int64_t row = first; row < first + count; ++row) {
    if (field.null_rate > 0 && Fraction(RandomBits(field, row, Use::kNull)) < field.null_rate) {
      builder.AppendNull();
    } else {
      AppendValue(field, row, &builder);
    }
  }
  return builder.Finish();
}

}  // namespace braid
