#include "engine/connectors/format/json_line_shape.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/connectors/format/digit_words.h"

namespace braid {

namespace {

constexpr std::string_view kSpaces = " \t\r";

// More digits may be no int64, or no exact double.
constexpr size_t kDigitsMax = 18;

bool IsRead(TypeKind kind) {
  return kind == TypeKind::kTinyInt || kind == TypeKind::kSmallInt || kind == TypeKind::kInt ||
         kind == TypeKind::kBigInt || kind == TypeKind::kDouble;
}

// Appends the digits at *at to *number and moves *at behind them; returns how many they are, more
// than kDigitsMax if they are too many.
size_t TakeDigits(const char** at, uint64_t* number) {
  size_t count = 0;
  while (true) {
    const uint64_t word = LoadEight(*at) ^ kZeros;
    const size_t digits = CountDigits(word);
    if (digits == 0) return count;
    count += digits;
    if (count > kDigitsMax) return count;
    *number = *number * static_cast<uint64_t>(kWholePowersOfTen[digits]) +
              EightDigits(word << (64 - 8 * digits));
    *at += digits;
    if (digits < 8) return count;
  }
}

// -?(0|[1-9][0-9]*)
bool TakeWhole(const char** at, bool* negative, uint64_t* number, size_t* count) {
  *negative = **at == '-';
  if (*negative) ++*at;
  const bool has_zero = **at == '0';
  *count = TakeDigits(at, number);
  return *count > 0 && *count <= kDigitsMax && !(has_zero && *count > 1);
}

bool TakeInteger(const char** at, int64_t* value) {
  bool negative = false;
  uint64_t number = 0;
  size_t count = 0;
  if (!TakeWhole(at, &negative, &number, &count)) return false;
  *value = negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
  return true;
}

// A quotient of two numbers that a double holds exactly is rounded once, and so is exact (Clinger).
bool TakeDouble(const char** at, double* value) {
  bool negative = false;
  uint64_t number = 0;
  size_t count = 0;
  if (!TakeWhole(at, &negative, &number, &count)) return false;
  size_t fraction = 0;
  if (**at == '.') {
    ++*at;
    fraction = TakeDigits(at, &number);
    if (fraction == 0 || count + fraction > kDigitsMax) return false;
  }
  if (number > uint64_t{1} << 53) return false;
  const double magnitude =
      static_cast<double>(static_cast<int64_t>(number)) / kPowersOfTen[fraction];
  *value = negative ? -magnitude : magnitude;
  return true;
}

template <typename T>
bool StoreAs(int64_t number, char* value) {
  const T narrow = static_cast<T>(number);
  if (narrow != number) return false;
  std::memcpy(value, &narrow, sizeof(narrow));
  return true;
}

// Where the first byte at or behind `position` is that is no space.
size_t SkipSpaces(std::string_view line, size_t position) {
  return std::min(line.find_first_not_of(kSpaces, position), line.size());
}

}  // namespace

void JsonLineShape::Learn(std::string_view line,
                          const std::function<int(std::string_view)>& column_of) {
  slots_.clear();
  if (!TakeSlots(line, column_of)) slots_.clear();
}

bool JsonLineShape::TakeSlots(std::string_view line,
                              const std::function<int(std::string_view)>& column_of) {
  std::vector<int> times_met(types_.size(), 0);
  size_t begin = 0;  // Of what stands before the next number.
  size_t position = SkipSpaces(line, 0);
  while (position < line.size() && line[position] != '}') {
    // A brace before the first name, a comma before the others.
    position = SkipSpaces(line, position + 1);
    if (position >= line.size() || line[position] != '"') return false;
    const size_t name_end = line.find_first_of("\"\\", position + 1);
    if (name_end == std::string_view::npos || line[name_end] == '\\') return false;
    Slot slot;
    slot.column = column_of(line.substr(position + 1, name_end - position - 1));
    if (slot.column >= 0) {
      const size_t column = static_cast<size_t>(slot.column);
      slot.kind = types_[column].kind;
      if (!IsRead(slot.kind) || ++times_met[column] > 1) return false;
    }
    const size_t colon = SkipSpaces(line, name_end + 1);
    position = SkipSpaces(line, colon + 1);
    const size_t number_end = line.find_first_not_of("+-.0123456789eE", position);
    if (number_end == std::string_view::npos || number_end == position) return false;
    slot.before = line.substr(begin, position - begin);
    slots_.push_back(std::move(slot));
    begin = number_end;
    position = SkipSpaces(line, number_end);
  }
  behind_ = line.substr(begin);
  return std::all_of(times_met.begin(), times_met.end(), [](int times) { return times == 1; });
}

bool JsonLineShape::ReadSlot(TypeKind kind, const char** at, char* value) {
  int64_t integer = 0;
  switch (kind) {
    case TypeKind::kBigInt:
      return TakeInteger(at, &integer) && StoreAs<int64_t>(integer, value);
    case TypeKind::kInt:
      return TakeInteger(at, &integer) && StoreAs<int32_t>(integer, value);
    case TypeKind::kSmallInt:
      return TakeInteger(at, &integer) && StoreAs<int16_t>(integer, value);
    case TypeKind::kTinyInt:
      return TakeInteger(at, &integer) && StoreAs<int8_t>(integer, value);
    default:
      break;
  }
  double floating = 0;
  if (!TakeDouble(at, &floating)) return false;
  std::memcpy(value, &floating, sizeof(floating));
  return true;
}

bool JsonLineShape::Read(std::string_view line, std::vector<Value>* values) const {
  const char* at = line.data();
  const char* const end = at + line.size();
  Value skipped;
  for (const Slot& slot : slots_) {
    if (static_cast<size_t>(end - at) < slot.before.size() ||
        std::memcmp(at, slot.before.data(), slot.before.size()) != 0) {
      return false;
    }
    at += slot.before.size();
    Value& value = slot.column < 0 ? skipped : (*values)[static_cast<size_t>(slot.column)];
    if (!ReadSlot(slot.kind, &at, value.bytes)) return false;
  }
  return static_cast<size_t>(end - at) == behind_.size() &&
         std::memcmp(at, behind_.data(), behind_.size()) == 0;
}

}  // namespace braid
