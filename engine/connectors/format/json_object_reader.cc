#include "engine/connectors/format/json_object_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/connectors/format/column_names.h"

namespace braid {

namespace ondemand = simdjson::ondemand;

namespace {

constexpr int kWaitMax = 1'024;

// The types that values of columns have in a line; that of kinds, which are texts, last.
std::vector<DataType> ShapeTypes(const TableDescription& table, const std::vector<int>& columns,
                                 bool has_kinds) {
  std::vector<DataType> types;
  for (const int column : columns) {
    types.push_back(table.schema.fields[static_cast<size_t>(column)].type);
  }
  if (has_kinds) types.push_back(DataType::String());
  return types;
}

// More different names than this are not remembered.
constexpr size_t kRememberedNamesMax = 10'000;

std::string_view TrimEnd(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool IsJsonNumber(std::string_view text) {
  const auto skip_digits = [&text] {
    const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool has_zero = text.starts_with('0');
  const size_t whole = skip_digits();
  if (whole == 0 || (has_zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

}  // namespace

std::string NotValidJson(std::string_view message) {
  if (message.ends_with('.')) message.remove_suffix(1);
  return fmt::format("not valid JSON: {}", message);
}

JsonObjectReader::JsonObjectReader(const TableDescription& table,
                                   const std::vector<int>& read_columns, const JsonOptions& options,
                                   const TimeZonePtr& time_zone,
                                   const std::optional<ChangelogColumn>& changelog)
    : fail_on_missing_field_(options.fail_on_missing_field),
      shape_(ShapeTypes(table, read_columns, changelog.has_value())) {
  for (const Field& field : table.schema.fields) names_.push_back(field.name);
  column_of_name_.assign(names_.size(), -1);
  for (size_t column = 0; column < read_columns.size(); ++column) {
    const size_t table_column = static_cast<size_t>(read_columns[column]);
    column_of_name_[table_column] = static_cast<int>(column);
    readers_.emplace_back(table.schema.fields[table_column].type, options.timestamp_style,
                          time_zone);
  }
  if (changelog) {
    const int kinds = static_cast<int>(readers_.size());
    readers_.push_back(TextReader::OfChangeKinds());
    if (changelog->declared) {
      int& column = column_of_name_[*changelog->declared];
      if (column >= 0) kind_as_text_ = static_cast<size_t>(column);
      column = kinds;
    } else {
      names_.push_back(changelog->name);
      column_of_name_.push_back(kinds);
    }
  }
  cells_.resize(readers_.size());
  values_.resize(readers_.size());
}

template <typename Error>
bool JsonObjectReader::Broken(Error error) {
  fault_ = NotValidJson(simdjson::error_message(error));
  return false;
}

template <typename Object>
bool JsonObjectReader::Read(Object object) {
  for (Cell& cell : cells_) {
    cell.state = Cell::State::kMissing;
    cell.is_exact = false;
  }
  size_t position = 0;
  for (auto field : object) {
    if (field.error() != simdjson::SUCCESS) return Broken(field.error());
    if (!ReadField(field.value_unsafe(), position++)) return false;
  }
  if (kind_as_text_) {
    // A row without a kind is bad for that, and does not stay.
    const Cell& kind = cells_.back();
    Cell& text = cells_[*kind_as_text_];
    text.state = Cell::State::kValue;
    text.text = kind.state == Cell::State::kValue ? kind.text : std::string_view();
  }
  return true;
}

// Inlined by force, as is all that reads one field: the compiler keeps templates that other files
// could call apart, and then a row of json takes a quarter more time.
template <typename Field>
[[gnu::always_inline]] inline bool JsonObjectReader::ReadField(Field field, size_t position) {
  NameTarget target;
  if (!FindTarget(&field, position, &target)) return false;
  if (target.column < 0) return true;
  Cell& cell = cells_[static_cast<size_t>(target.column)];
  if (cell.is_exact && !target.is_exact) return true;
  cell.is_exact = target.is_exact;
  return ReadValue(field.value(), static_cast<size_t>(target.column), &cell);
}

template <typename Field>
[[gnu::always_inline]] inline bool JsonObjectReader::FindTarget(Field* field, size_t position,
                                                                NameTarget* target) {
  const char* raw = field->key().raw();
  if (position < last_names_.size()) {
    const LastName& last = last_names_[position];
    size_t index = 0;
    while (index < last.raw.size() && raw[index] == last.raw[index]) ++index;
    if (index == last.raw.size() && raw[index] == '"') {
      *target = last.target;
      return true;
    }
  } else if (position < kRememberedNamesMax) {
    last_names_.resize(position + 1);
  }
  size_t size = 0;
  while (raw[size] != '"') size += raw[size] == '\\' ? 2 : 1;
  std::string_view name;
  if (const auto error = field->unescaped_key().get(name)) return Broken(error);
  *target = TargetOf(name);
  if (position < last_names_.size()) last_names_[position] = {std::string(raw, size), *target};
  return true;
}

JsonObjectReader::NameTarget JsonObjectReader::TargetOf(std::string_view name) {
  if (const auto found = targets_.find(name); found != targets_.end()) return found->second;
  NameTarget target;
  const NameMatch match = FindName(name, names_);
  if (match.count == 1) {
    target.column = column_of_name_[match.index];
    target.is_exact = names_[match.index] == name;
  }
  if (targets_.size() >= kRememberedNamesMax) targets_.clear();
  targets_.emplace(name, target);
  return target;
}

template <typename Value>
[[gnu::always_inline]] inline bool JsonObjectReader::ReadValue(Value value, size_t column,
                                                               Cell* cell) {
  const DataType& type = readers_[column].type();
  cell->state = Cell::State::kValue;
  ondemand::json_type json_type;
  if (const auto error = value.type().get(json_type)) return Broken(error);
  switch (json_type) {
    case ondemand::json_type::number:
      return ReadNumber(value, column, cell);
    case ondemand::json_type::string: {
      std::string_view text;
      if (const auto error = value.get_string().get(text)) return Broken(error);
      ReadText(text, column, cell);
      return true;
    }
    case ondemand::json_type::boolean: {
      bool is_true = false;
      if (const auto error = value.get_bool().get(is_true)) return Broken(error);
      cell->text = is_true ? "true" : "false";
      cell->value[0] = is_true ? 1 : 0;
      if (type.kind != TypeKind::kBoolean && type.kind != TypeKind::kString) {
        cell->state = Cell::State::kBad;
      }
      return true;
    }
    case ondemand::json_type::null: {
      bool is_null = false;
      if (const auto error = value.is_null().get(is_null)) return Broken(error);
      if (!is_null) return Broken(simdjson::N_ATOM_ERROR);
      cell->state = Cell::State::kNull;
      return true;
    }
    case ondemand::json_type::object: {
      ondemand::object object;
      if (const auto error = value.get_object().get(object)) return Broken(error);
      return TakeJson(object.raw_json(), column, cell);
    }
    case ondemand::json_type::array: {
      ondemand::array array;
      if (const auto error = value.get_array().get(array)) return Broken(error);
      return TakeJson(array.raw_json(), column, cell);
    }
  }
  return Broken(simdjson::TAPE_ERROR);
}

template <typename JsonText>
bool JsonObjectReader::TakeJson(JsonText json, size_t column, Cell* cell) {
  if (json.error() != simdjson::SUCCESS) return Broken(json.error());
  cell->text = TrimEnd(json.value_unsafe());
  if (readers_[column].type().kind != TypeKind::kString) cell->state = Cell::State::kBad;
  return true;
}

template <typename Value>
[[gnu::always_inline]] inline bool JsonObjectReader::ReadNumber(Value value, size_t column,
                                                                Cell* cell) {
  const DataType& type = readers_[column].type();
  if (type.kind == TypeKind::kBigInt) {
    int64_t number = 0;
    if (value.get_int64().get(number) == simdjson::SUCCESS) {
      std::memcpy(cell->value, &number, sizeof(number));
      return true;
    }
  } else if (type.kind == TypeKind::kDouble) {
    double number = 0;
    if (value.get_double().get(number) == simdjson::SUCCESS && std::isfinite(number)) {
      std::memcpy(cell->value, &number, sizeof(number));
      return true;
    }
  }
  // Whatever the column makes of it, it must be a number of JSON.
  const std::string_view text = TrimEnd(value.raw_json_token());
  if (!IsJsonNumber(text)) return Broken(simdjson::NUMBER_ERROR);
  if (type.is_numeric() || type.kind == TypeKind::kString) {
    ReadText(text, column, cell);
    if (cell->state != Cell::State::kBad || !type.is_integer()) return true;
    // 1.0 and 1e3 are integers too.
    constexpr double kExactMax = 9007199254740992.0;
    double whole = 0;
    const TextReader as_double(DataType::Double(), TimestampStyle::kAny, nullptr);
    if (as_double.Read(text, &whole) && whole == std::trunc(whole) && std::abs(whole) < kExactMax) {
      cell->state = Cell::State::kValue;
      ReadText(fmt::format("{}", static_cast<int64_t>(whole)), column, cell);
      cell->text = text;
    }
    return true;
  }
  cell->text = text;
  cell->state = Cell::State::kBad;
  return true;
}

void JsonObjectReader::ReadText(std::string_view text, size_t column, Cell* cell) {
  cell->text = text;
  if (readers_[column].type().is_variable_width()) return;
  if (!readers_[column].Read(text, cell->value)) cell->state = Cell::State::kBad;
}

JsonObjectReader::Fault JsonObjectReader::Append(DecodedRows* rows) const {
  Fault fault;
  for (size_t column = 0; column < cells_.size(); ++column) {
    const Cell& cell = cells_[column];
    ColumnBuilder& builder = rows->builder(column);
    if (cell.state == Cell::State::kValue) {
      if (!builder.type().is_variable_width()) {
        AppendFixed(cell.value, &builder);
        continue;
      }
      if (readers_[column].Append(cell.text, &builder)) continue;
    }
    builder.AppendNull();
    const bool is_missing = cell.state == Cell::State::kMissing && fail_on_missing_field_;
    const bool is_bad = cell.state == Cell::State::kBad || cell.state == Cell::State::kValue;
    if (fault.reason.empty()) {
      if (is_missing) fault.reason = fmt::format("field {} is missing", rows->field(column).name);
      if (is_bad) fault.reason = rows->NotReadable(column, cell.text);
      if (!is_missing && !is_bad && rows->is_not_null(column)) {
        fault.reason = rows->NullRefused(column);
      }
    }
    fault.can_stay &= !rows->is_not_null(column);
  }
  return fault;
}

bool JsonObjectReader::AppendLikeLast(std::string_view line, DecodedRows* rows) {
  if (!shape_.is_known() || !shape_.Read(line, &values_)) return false;
  for (size_t column = 0; column < values_.size(); ++column) {
    AppendFixed(values_[column].bytes, &rows->builder(column));
  }
  next_wait_ = 0;
  return true;
}

void JsonObjectReader::Learn(std::string_view line) {
  if (--lines_to_wait_ >= 0) return;
  lines_to_wait_ = next_wait_;
  next_wait_ = std::min(2 * next_wait_ + 1, kWaitMax);
  shape_.Learn(line, [this](std::string_view name) { return TargetOf(name).column; });
}

template bool JsonObjectReader::Read(ondemand::object object);

}  // namespace braid
