#include "engine/sql/interval_literal.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sql/name_match.h"

namespace braid {

namespace {

enum class Unit : uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
};

struct UnitRule {
  std::string_view name;
  Unit unit;
  bool is_month;   // Counts months, not microseconds.
  int64_t amount;  // Months or microseconds of one.
};

constexpr int64_t kSecond = 1'000'000;
constexpr auto kUnits = std::to_array<UnitRule>({
    {"YEAR", Unit::kYear, true, 12},
    {"QUARTER", Unit::kQuarter, true, 3},
    {"MONTH", Unit::kMonth, true, 1},
    {"WEEK", Unit::kWeek, false, 7 * 86'400 * kSecond},
    {"DAY", Unit::kDay, false, 86'400 * kSecond},
    {"HOUR", Unit::kHour, false, 3'600 * kSecond},
    {"MINUTE", Unit::kMinute, false, 60 * kSecond},
    {"SECOND", Unit::kSecond, false, kSecond},
    {"MILLISECOND", Unit::kMillisecond, false, 1'000},
    {"MICROSECOND", Unit::kMicrosecond, false, 1},
});

const UnitRule* FindUnit(std::string_view name) {
  std::string upper = UpperCase(name);
  if (upper.size() > 1 && upper.back() == 'S') upper.pop_back();
  for (const UnitRule& rule : kUnits) {
    if (rule.name == upper) return &rule;
  }
  return nullptr;
}

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A sum of units; months and microseconds do not mix.
class IntervalSum {
 public:
  explicit IntervalSum(Place place) : place_(std::move(place)) {}

  // Adds `number` (digits, perhaps with a fraction) of a unit.
  Status Add(std::string_view number, const UnitRule& unit, bool negative);
  Result<Value> Finish(bool negated) const;

 private:
  tl::unexpected<Error> Refuse(std::string message) const {
    return Fail(ErrorCode::kInvalidQuery, std::move(message), place_);
  }
  Result<int64_t> Amount(std::string_view number, const UnitRule& unit) const;

  Place place_;
  std::optional<bool> is_month_;
  int64_t sum_ = 0;
};

// Digits to int64_t; nothing if they are none or too many.
std::optional<int64_t> ToInteger(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || !IsDigit(digits.front()) || error != std::errc() ||
      end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

Result<int64_t> IntervalSum::Amount(std::string_view number, const UnitRule& unit) const {
  const size_t dot = number.find('.');
  const std::string_view whole = number.substr(0, dot);
  std::string fraction(dot == std::string_view::npos ? "" : number.substr(dot + 1));
  if (!fraction.empty() && unit.unit != Unit::kSecond) {
    return Refuse(fmt::format("only seconds have a fraction, not {}", unit.name));
  }
  if (fraction.size() > 6) {
    return Refuse(fmt::format("{} is finer than a microsecond", number));
  }
  fraction.resize(6, '0');
  const std::optional<int64_t> count = ToInteger(whole.empty() && dot == 0 ? "0" : whole);
  const std::optional<int64_t> micros = ToInteger(fraction);
  if (!count || !micros) {
    const bool is_number = !whole.empty() && whole.find_first_not_of("0123456789") == whole.npos;
    return Refuse(is_number ? fmt::format("{} {} is too long an interval", number, unit.name)
                            : fmt::format("'{}' is not a number of {}S", number, unit.name));
  }
  int64_t amount = 0;
  if (__builtin_mul_overflow(*count, unit.amount, &amount) ||
      (unit.unit == Unit::kSecond && __builtin_add_overflow(amount, *micros, &amount))) {
    return Refuse(fmt::format("{} {} is too long an interval", number, unit.name));
  }
  return amount;
}

Status IntervalSum::Add(std::string_view number, const UnitRule& unit, bool negative) {
  if (is_month_.has_value() && *is_month_ != unit.is_month) {
    return Refuse("months and days do not mix in an interval: a month has no fixed length");
  }
  is_month_ = unit.is_month;
  Result<int64_t> amount = Amount(number, unit);
  if (!amount) return tl::unexpected(std::move(amount.error()));
  if (__builtin_add_overflow(sum_, negative ? -*amount : *amount, &sum_)) {
    return Refuse("the interval is too long");
  }
  return {};
}

Result<Value> IntervalSum::Finish(bool negated) const {
  int64_t sum = sum_;
  if (negated && __builtin_sub_overflow(int64_t{0}, sum_, &sum)) {
    return Refuse("the interval is too long");
  }
  return Value{is_month_.value_or(false) ? DataType::IntervalMonth() : DataType::IntervalDay(),
               sum};
}

// A sign in front of the text.
bool TakeSign(std::string_view* text) {
  if (text->empty() || (text->front() != '-' && text->front() != '+')) return false;
  const bool negative = text->front() == '-';
  text->remove_prefix(1);
  return negative;
}

// ---- '1 02:03:04.5' DAY TO SECOND

struct CompoundField {
  const UnitRule* unit;
  char separator;  // In front of it; 0 for the first.
};

// The fields from `from` to `to`; empty if the two do not go together.
std::vector<CompoundField> CompoundFields(Unit from, Unit to) {
  struct Step {
    Unit unit;
    char separator;
  };
  constexpr auto kDaySteps = std::to_array<Step>(
      {{Unit::kDay, 0}, {Unit::kHour, ' '}, {Unit::kMinute, ':'}, {Unit::kSecond, ':'}});
  constexpr auto kYearSteps = std::to_array<Step>({{Unit::kYear, 0}, {Unit::kMonth, '-'}});
  std::vector<CompoundField> fields;
  const auto collect = [&](const auto& steps) {
    bool inside = false;
    for (const Step& step : steps) {
      inside = inside || step.unit == from;
      if (!inside) continue;
      fields.push_back(
          {&kUnits[static_cast<size_t>(step.unit)], fields.empty() ? char{0} : step.separator});
      if (step.unit == to) return fields.size() > 1;
    }
    return false;
  };
  if (collect(kDaySteps)) return fields;
  fields.clear();
  if (collect(kYearSteps)) return fields;
  return {};
}

std::string CompoundPattern(const std::vector<CompoundField>& fields) {
  std::string pattern;
  for (const CompoundField& field : fields) {
    if (field.separator != 0) pattern += field.separator;
    pattern += UpperCase(field.unit->name).substr(0, 1);
    if (field.unit->unit == Unit::kSecond) pattern += "[.F]";
  }
  return pattern;
}

// The largest value of a field that is not the first.
int64_t FieldLimit(Unit unit) {
  switch (unit) {
    case Unit::kMonth:
      return 11;
    case Unit::kHour:
      return 23;
    default:
      return 59;
  }
}

// The digits (and, for seconds, the fraction) of a field at the begin of `text`.
std::string_view TakeNumber(std::string_view* text, bool fraction) {
  size_t length = 0;
  while (length < text->size() && IsDigit((*text)[length])) ++length;
  if (fraction && length > 0 && length < text->size() && (*text)[length] == '.') {
    ++length;
    while (length < text->size() && IsDigit((*text)[length])) ++length;
  }
  const std::string_view number = text->substr(0, length);
  text->remove_prefix(length);
  return number;
}

class IntervalReader {
 public:
  IntervalReader(const IntervalSyntax* interval, const SourceText* source)
      : interval_(interval), source_(source) {}

  Result<Value> Read() const;

 private:
  tl::unexpected<Error> Refuse(std::string message, SourceRange range) const {
    return Fail(ErrorCode::kInvalidQuery, std::move(message), source_->PlaceAt(range.begin));
  }
  Place place() const { return source_->PlaceAt(interval_->text->range.begin); }
  Result<const UnitRule*> UnitOf(const NameSyntax& name) const;
  Status CheckDigits(std::string_view digits, const std::optional<TextSyntax>& precision,
                     const UnitRule& unit) const;
  Result<Value> ReadParts() const;
  Result<Value> ReadSingle() const;
  Result<Value> ReadCompound() const;
  Result<Value> ReadWords() const;

  const IntervalSyntax* interval_;
  const SourceText* source_;
};

Result<Value> IntervalReader::Read() const {
  if (!interval_->text) return ReadParts();
  if (!interval_->units) return ReadWords();
  return interval_->units->to ? ReadCompound() : ReadSingle();
}

Result<const UnitRule*> IntervalReader::UnitOf(const NameSyntax& name) const {
  const UnitRule* unit = FindUnit(name.text);
  if (unit == nullptr) {
    return Refuse(fmt::format("{} is not a unit of time", name.text), name.range);
  }
  return unit;
}

// DAY(3): at most three digits; SECOND(3) as the last unit: at most three of the fraction.
Status IntervalReader::CheckDigits(std::string_view digits,
                                   const std::optional<TextSyntax>& precision,
                                   const UnitRule& unit) const {
  if (!precision) return {};
  const std::optional<int64_t> allowed = ToInteger(precision->text);
  if (!allowed || *allowed > 18) {
    return Refuse(fmt::format("the precision of {} is 0 to 18", unit.name), precision->range);
  }
  if (static_cast<int64_t>(digits.size()) > *allowed) {
    return Refuse(fmt::format("'{}' has more digits than the {} of {}({})", digits, *allowed,
                              unit.name, *allowed),
                  interval_->text->range);
  }
  return {};
}

Result<Value> IntervalReader::ReadParts() const {
  IntervalSum sum(source_->PlaceAt(interval_->parts.front().number.range.begin));
  for (const IntervalSyntax::Part& part : interval_->parts) {
    Result<const UnitRule*> unit = UnitOf(part.unit);
    if (!unit) return tl::unexpected(std::move(unit.error()));
    if (Status status = sum.Add(part.number.text, **unit, false); !status) {
      return tl::unexpected(std::move(status.error()));
    }
  }
  return sum.Finish(interval_->negated);
}

Result<Value> IntervalReader::ReadSingle() const {
  Result<const UnitRule*> unit = UnitOf(interval_->units->from);
  if (!unit) return tl::unexpected(std::move(unit.error()));
  std::string_view text = Trim(interval_->text->text);
  const bool negative = TakeSign(&text);
  Status status =
      CheckDigits(text.substr(0, text.find('.')), interval_->units->from_precision, **unit);
  if (!status) return tl::unexpected(std::move(status.error()));
  IntervalSum sum(place());
  status = sum.Add(text, **unit, false);
  if (!status) return tl::unexpected(std::move(status.error()));
  return sum.Finish(interval_->negated != negative);
}

Result<Value> IntervalReader::ReadCompound() const {
  const IntervalUnitsSyntax& units = *interval_->units;
  Result<const UnitRule*> from = UnitOf(units.from);
  if (!from) return tl::unexpected(std::move(from.error()));
  Result<const UnitRule*> to = UnitOf(*units.to);
  if (!to) return tl::unexpected(std::move(to.error()));
  const std::vector<CompoundField> fields = CompoundFields((*from)->unit, (*to)->unit);
  if (fields.empty()) {
    return Refuse(
        fmt::format("{} TO {} is no interval; there are DAY, HOUR and MINUTE TO a smaller "
                    "one down to SECOND, and YEAR TO MONTH",
                    (*from)->name, (*to)->name),
        units.from.range);
  }
  std::string_view text = Trim(interval_->text->text);
  const bool negative = TakeSign(&text);
  IntervalSum sum(place());
  for (const CompoundField& field : fields) {
    const bool first = field.separator == 0;
    const bool separated = first || (!text.empty() && text.front() == field.separator);
    if (!first && separated) text.remove_prefix(1);
    const std::string_view number = TakeNumber(&text, field.unit->unit == Unit::kSecond);
    const std::string_view whole = number.substr(0, number.find('.'));
    const bool fits = first || ToInteger(whole).value_or(0) <= FieldLimit(field.unit->unit);
    if (!separated || number.empty() || !fits) {
      return Refuse(
          fmt::format("'{}' does not have the form {} of {} TO {}{}", interval_->text->text,
                      CompoundPattern(fields), (*from)->name, (*to)->name,
                      fits ? ""
                           : fmt::format(", {} being at most {}", field.unit->name,
                                         FieldLimit(field.unit->unit))),
          interval_->text->range);
    }
    Status status = sum.Add(number, *field.unit, false);
    if (status && first) status = CheckDigits(whole, units.from_precision, *field.unit);
    if (status && field.unit->unit == Unit::kSecond && number.size() > whole.size()) {
      status = CheckDigits(number.substr(whole.size() + 1), units.to_precision, *field.unit);
    }
    if (!status) return tl::unexpected(std::move(status.error()));
  }
  if (!text.empty()) {
    return Refuse(fmt::format("'{}' does not have the form {} of {} TO {}", interval_->text->text,
                              CompoundPattern(fields), (*from)->name, (*to)->name),
                  interval_->text->range);
  }
  return sum.Finish(interval_->negated != negative);
}

// '5 minutes -30 seconds'
Result<Value> IntervalReader::ReadWords() const {
  std::string_view rest = interval_->text->text;
  const auto take_word = [&rest] {
    rest = Trim(rest);
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    return word;
  };
  IntervalSum sum(place());
  std::string_view number = take_word();
  if (EqualsIgnoringCase(number, "INTERVAL")) number = take_word();
  const auto refuse = [this] {
    return Refuse(fmt::format("'{}' is no interval; write INTERVAL '5' SECOND, or "
                              "INTERVAL '5 minutes 30 seconds'",
                              interval_->text->text),
                  interval_->text->range);
  };
  if (number.empty()) return refuse();
  while (!number.empty()) {
    const UnitRule* unit = FindUnit(take_word());
    if (unit == nullptr) return refuse();
    const bool negative = TakeSign(&number);
    if (Status status = sum.Add(number, *unit, negative); !status) {
      return tl::unexpected(std::move(status.error()));
    }
    number = take_word();
  }
  return sum.Finish(interval_->negated);
}

}  // namespace

Result<Value> IntervalLiteral(const IntervalSyntax& interval, const SourceText& source) {
  return IntervalReader(&interval, &source).Read();
}

}  // namespace braid
