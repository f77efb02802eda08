#include "engine/connectors/format/json_row_decoder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/connectors/format/column_names.h"
#include "engine/connectors/format/decoded_rows.h"
#include "engine/connectors/format/text_value.h"

namespace braid {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// More different names than this are not remembered.
constexpr size_t kRememberedNamesMax = 10'000;

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

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

// Where a name leads.
struct NameTarget {
  int column = -1;  // None.
  bool is_exact = false;
};

// What one row has for one column.
struct Cell {
  enum class State : uint8_t { kMissing, kNull, kValue, kBad };
  State state = State::kMissing;
  bool is_exact = false;          // Of a field whose name is exactly the column's.
  alignas(8) char value[8] = {};  // Of fixed width.
  std::string_view text;          // Otherwise, or what is bad. In the line or the parser's memory.
};

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

class JsonRowDecoder final : public RowDecoder {
 public:
  JsonRowDecoder(const TableDescription& table, const std::vector<int>& read_columns,
                 const JsonOptions& options, const TimeZonePtr& time_zone)
      : options_(options), rows_(table, read_columns, options.bad_records) {
    for (const Field& field : table.schema.fields) table_names_.push_back(field.name);
    column_of_table_column_.assign(table_names_.size(), -1);
    for (size_t column = 0; column < read_columns.size(); ++column) {
      column_of_table_column_[static_cast<size_t>(read_columns[column])] = static_cast<int>(column);
      readers_.emplace_back(rows_.field(column).type, options.timestamp_style, time_zone);
    }
    cells_.resize(read_columns.size());
  }

  const std::shared_ptr<const Schema>& schema() const override { return rows_.schema(); }
  void BeginFile() override {
    is_at_first_byte_ = true;
    line_ = 1;
  }
  bool has_header() const override { return false; }
  Status ResumeFile(std::string_view, int64_t line) override {
    is_at_first_byte_ = false;
    line_ = line;
    return {};
  }
  int64_t line() const override { return line_; }
  Result<size_t> Decode(std::string_view bytes, bool at_end, DecodeResult* result) override;
  int64_t num_rows() const override { return rows_.num_rows(); }
  RowBatch TakeRows() override { return rows_.Take(); }

 private:
  Status DecodeLine(std::string_view line, size_t readable, DecodeResult* result);
  // Reads the document of a line. False, with fault_ set, if it is no JSON; rows that stand in it
  // before the fault are added all the same.
  bool ReadDocument(simdjson::padded_string_view json, DecodeResult* result, Status* status);
  bool ReadObject(ondemand::object object);
  bool ReadField(ondemand::field field, size_t position);
  bool ReadValue(ondemand::value value, size_t column, Cell* cell);
  bool ReadNumber(ondemand::value value, size_t column, Cell* cell);
  // The text of an object or array.
  bool TakeJson(simdjson::simdjson_result<std::string_view> json, size_t column, Cell* cell);
  // Reads a text into a cell that is not of variable width.
  void ReadText(std::string_view text, size_t column, Cell* cell);
  Status AddRow(DecodeResult* result);

  // The column that the name of a field leads to; `position` is that of the field in its object.
  bool FindTarget(ondemand::field* field, size_t position, NameTarget* target);
  NameTarget TargetOf(std::string_view name);

  bool Broken(simdjson::error_code error) {
    std::string_view message = simdjson::error_message(error);
    if (message.ends_with('.')) message.remove_suffix(1);
    fault_ = fmt::format("not valid JSON: {}", message);
    return false;
  }

  JsonOptions options_;
  DecodedRows rows_;
  std::vector<std::string> table_names_;
  std::vector<int> column_of_table_column_;  // -1: not read.
  std::vector<TextReader> readers_;          // One a column that is read.
  bool is_at_first_byte_ = true;
  int64_t line_ = 1;

  ondemand::parser parser_;
  std::string padded_;     // The last lines of the bytes, with room behind them.
  std::string_view text_;  // Of the line that is being decoded.
  std::string fault_;
  std::vector<Cell> cells_;

  // Names met so far. Objects mostly have the same fields in the same order, so the name that was
  // last at a position is tried first; as it stands in the line, escapes not resolved.
  struct LastName {
    std::string raw;
    NameTarget target;
  };
  std::vector<LastName> last_names_;
  std::unordered_map<std::string, NameTarget, StringHash, std::equal_to<>> targets_;
};

Result<size_t> JsonRowDecoder::Decode(std::string_view bytes, bool at_end, DecodeResult* result) {
  size_t position = 0;
  if (is_at_first_byte_) {
    const size_t common = std::min(bytes.size(), kByteOrderMark.size());
    const bool may_be_mark = bytes.substr(0, common) == kByteOrderMark.substr(0, common);
    if (may_be_mark && common < kByteOrderMark.size() && !at_end) return 0;
    if (may_be_mark && common == kByteOrderMark.size()) position = common;
    is_at_first_byte_ = false;
  }
  rows_.PrepareForMore();
  while (position < bytes.size()) {
    const size_t line_end = bytes.find('\n', position);
    const bool has_end = line_end != std::string_view::npos;
    if (!has_end && !at_end && bytes.size() - position <= kRecordBytesMax) break;
    const size_t end = has_end ? line_end : bytes.size();
    const std::string_view line = bytes.substr(position, end - position);
    if (Status status = DecodeLine(line, bytes.size() - position, result); !status) {
      return tl::unexpected<Error>(status.error());
    }
    position = has_end ? line_end + 1 : bytes.size();
    line_ += has_end ? 1 : 0;
  }
  return position;
}

Status JsonRowDecoder::DecodeLine(std::string_view line, size_t readable, DecodeResult* result) {
  if (IsBlank(line)) return {};
  text_ = line;
  if (line.size() > kRecordBytesMax) {
    fault_ = "the record is too long";
  } else {
    // The parser reads a little beyond the text. Behind most lines there are others; the last ones
    // are copied.
    if (readable < line.size() + simdjson::SIMDJSON_PADDING) {
      padded_.assign(line);
      padded_.resize(line.size() + simdjson::SIMDJSON_PADDING, ' ');
      line = std::string_view(padded_).substr(0, line.size());
    }
    Status status;
    const simdjson::padded_string_view json(line.data(), line.size(),
                                            line.size() + simdjson::SIMDJSON_PADDING);
    if (ReadDocument(json, result, &status) || !status) return status;
  }
  return rows_.Bad({line_, std::string(text_.substr(0, kBadRecordTextMax)), std::move(fault_)},
                   result);
}

bool JsonRowDecoder::ReadDocument(simdjson::padded_string_view json, DecodeResult* result,
                                  Status* status) {
  ondemand::document document;
  if (const auto error = parser_.iterate(json).get(document)) return Broken(error);
  ondemand::json_type type;
  if (const auto error = document.type().get(type)) return Broken(error);
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return Broken(error);
    if (!ReadObject(object)) return false;
    // Only now is it known that nothing follows.
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
      return Broken(simdjson::TRAILING_CONTENT);
    }
    *status = AddRow(result);
    return status->has_value();
  }
  if (type != ondemand::json_type::array) {
    fault_ = "neither an object nor an array of objects";
    return false;
  }
  ondemand::array array;
  if (const auto error = document.get_array().get(array)) return Broken(error);
  for (auto element : array) {
    ondemand::object object;
    if (const auto error = element.get_object().get(object)) {
      if (error != simdjson::INCORRECT_TYPE) return Broken(error);
      fault_ = "an element of the array is no object";
      return false;
    }
    if (!ReadObject(object)) return false;
    *status = AddRow(result);
    if (!*status) return false;
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return Broken(simdjson::TRAILING_CONTENT);
  }
  return true;
}

bool JsonRowDecoder::ReadObject(ondemand::object object) {
  for (Cell& cell : cells_) {
    cell.state = Cell::State::kMissing;
    cell.is_exact = false;
  }
  size_t position = 0;
  for (auto field : object) {
    if (field.error() != simdjson::SUCCESS) return Broken(field.error());
    if (!ReadField(field.value_unsafe(), position++)) return false;
  }
  return true;
}

bool JsonRowDecoder::ReadField(ondemand::field field, size_t position) {
  NameTarget target;
  if (!FindTarget(&field, position, &target)) return false;
  if (target.column < 0) return true;
  Cell& cell = cells_[static_cast<size_t>(target.column)];
  if (cell.is_exact && !target.is_exact) return true;
  cell.is_exact = target.is_exact;
  return ReadValue(field.value(), static_cast<size_t>(target.column), &cell);
}

bool JsonRowDecoder::FindTarget(ondemand::field* field, size_t position, NameTarget* target) {
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

NameTarget JsonRowDecoder::TargetOf(std::string_view name) {
  if (const auto found = targets_.find(name); found != targets_.end()) return found->second;
  NameTarget target;
  const NameMatch match = FindName(name, table_names_);
  if (match.count == 1) {
    target.column = column_of_table_column_[match.index];
    target.is_exact = table_names_[match.index] == name;
  }
  if (targets_.size() >= kRememberedNamesMax) targets_.clear();
  targets_.emplace(name, target);
  return target;
}

bool JsonRowDecoder::ReadValue(ondemand::value value, size_t column, Cell* cell) {
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

bool JsonRowDecoder::TakeJson(simdjson::simdjson_result<std::string_view> json, size_t column,
                              Cell* cell) {
  if (json.error() != simdjson::SUCCESS) return Broken(json.error());
  cell->text = TrimEnd(json.value_unsafe());
  if (readers_[column].type().kind != TypeKind::kString) cell->state = Cell::State::kBad;
  return true;
}

bool JsonRowDecoder::ReadNumber(ondemand::value value, size_t column, Cell* cell) {
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

void JsonRowDecoder::ReadText(std::string_view text, size_t column, Cell* cell) {
  cell->text = text;
  if (readers_[column].type().is_variable_width()) return;
  if (!readers_[column].Read(text, cell->value)) cell->state = Cell::State::kBad;
}

Status JsonRowDecoder::AddRow(DecodeResult* result) {
  std::string reason;
  bool can_stay = true;
  for (size_t column = 0; column < cells_.size(); ++column) {
    const Cell& cell = cells_[column];
    ColumnBuilder& builder = rows_.builder(column);
    if (cell.state == Cell::State::kValue) {
      if (!builder.type().is_variable_width()) {
        AppendFixed(cell.value, &builder);
        continue;
      }
      if (readers_[column].Append(cell.text, &builder)) continue;
    }
    builder.AppendNull();
    const bool is_missing = cell.state == Cell::State::kMissing && options_.fail_on_missing_field;
    const bool is_bad = cell.state == Cell::State::kBad || cell.state == Cell::State::kValue;
    if (reason.empty()) {
      if (is_missing) reason = fmt::format("field {} is missing", rows_.field(column).name);
      if (is_bad) reason = NotOfType(rows_.field(column), cell.text);
      if (!is_missing && !is_bad && rows_.is_not_null(column)) {
        reason = NotNullViolated(rows_.field(column));
      }
    }
    can_stay &= !rows_.is_not_null(column);
  }
  rows_.AddRows(1);
  if (reason.empty()) return {};
  return rows_.BadRow(rows_.num_rows() - 1, can_stay,
                      {line_, std::string(text_.substr(0, kBadRecordTextMax)), std::move(reason)},
                      result);
}

}  // namespace

std::unique_ptr<RowDecoder> NewJsonRowDecoder(const TableDescription& table,
                                              const std::vector<int>& read_columns,
                                              const JsonOptions& options,
                                              const TimeZonePtr& time_zone) {
  return std::make_unique<JsonRowDecoder>(table, read_columns, options, time_zone);
}

}  // namespace braid
