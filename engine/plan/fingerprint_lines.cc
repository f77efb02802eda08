#include "engine/plan/fingerprint_lines.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "state/rows/widened_column.h"

namespace braid {

namespace {

std::optional<uint8_t> NumberOf(std::string_view text) {
  uint8_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

const FingerprintLine* FingerprintLines::Find(std::string_view part) const {
  const auto found = std::find_if(lines_.begin(), lines_.end(),
                                  [&](const FingerprintLine& line) { return line.part == part; });
  return found == lines_.end() ? nullptr : &*found;
}

std::string FingerprintLines::ValueOf(const std::string& part) const {
  const FingerprintLine* line = Find(part);
  return line == nullptr ? "" : line->value;
}

std::optional<TableColumn> TableColumnOf(const FingerprintLine& line) {
  const bool is_other = line.part.find(kComputedMark) != std::string::npos ||
                        line.part.find(kStoredMark) != std::string::npos;
  if (is_other) return std::nullopt;
  for (const std::string_view mark : {kUnusedMark, kColumnMark}) {
    const size_t place = line.part.find(mark);
    if (place == std::string::npos) continue;
    return TableColumn{line.part.substr(0, place), line.part.substr(place + mark.size()), &line,
                       mark == kColumnMark};
  }
  return std::nullopt;
}

std::map<std::string, std::vector<TableColumn>> TableColumns(const FingerprintLines& lines) {
  std::map<std::string, std::vector<TableColumn>> columns;
  for (const FingerprintLine& line : lines.all()) {
    if (std::optional<TableColumn> column = TableColumnOf(line)) {
      columns[column->title].push_back(std::move(*column));
    }
  }
  return columns;
}

std::optional<DataType> TypeOfText(const std::string& text) {
  for (const TypeKind kind : {TypeKind::kString, TypeKind::kBytes}) {
    const std::string begin = kind == TypeKind::kString ? "VARCHAR(" : "VARBINARY(";
    if (!text.starts_with(begin)) continue;
    uint32_t length = 0;
    std::from_chars(text.data() + begin.size(), text.data() + text.size(), length);
    return DataType{kind, 0, 0, length};
  }
  std::vector<uint8_t> numbers;
  size_t place = text.find('(');
  while (place != std::string::npos && place + 1 < text.size()) {
    const size_t begin = text.find_first_not_of(' ', place + 1);
    const size_t end = std::min(text.find_first_of(",)", begin), text.size());
    if (const auto number = NumberOf(std::string_view(text).substr(begin, end - begin))) {
      numbers.push_back(*number);
    }
    place = end < text.size() && text[end] == ',' ? end : std::string::npos;
  }
  numbers.resize(2);
  for (int kind = 0; kind <= static_cast<int>(TypeKind::kIntervalMonth); ++kind) {
    const DataType type{static_cast<TypeKind>(kind), numbers[0], numbers[1]};
    if (type.ToString() == text) return type;
  }
  return std::nullopt;
}

bool IsWideningText(const std::string& from, const std::string& to) {
  if (from == to) return true;
  const std::optional<DataType> from_type = TypeOfText(from);
  const std::optional<DataType> to_type = TypeOfText(to);
  return from_type && to_type && IsWidening(*from_type, *to_type);
}

bool IsNarrowingText(const std::string& from, const std::string& to) {
  const std::optional<DataType> from_type = TypeOfText(from);
  const std::optional<DataType> to_type = TypeOfText(to);
  return from_type && to_type && IsNarrowing(*from_type, *to_type);
}

std::string PlainValue(const std::string& value) {
  std::string plain;
  for (size_t place = 0; place < value.size(); ++place) {
    const char letter = value[place];
    if (letter == '\\' && place + 1 < value.size()) {
      plain += value[++place] == 'n' ? '\n' : value[place];
    } else if (letter == '{') {
      place = std::min(value.find('.', place), value.size() - 1);  // Behind the title.
    } else if (letter != '}') {
      plain += letter;
    }
  }
  return plain;
}

}  // namespace braid
