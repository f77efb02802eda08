// Reads one JSON object as a row of a table: which fields it takes, and what it makes of them, is
// said in json_row_decoder.h.
//
// The types of simdjson, which takes long to compile, stand in the .cc file alone: what takes one
// is a template, instantiated there. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "braid/connector.h"
#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/format/decoded_rows.h"
#include "engine/connectors/format/json_line_shape.h"
#include "engine/connectors/format/json_options.h"
#include "engine/connectors/format/text_value.h"
#include "state/rows/time_zone.h"

namespace braid {

// "not valid JSON: " and what simdjson says of an error.
std::string NotValidJson(std::string_view message);

class JsonObjectReader {
 public:
  // What is wrong with a row; empty if nothing is.
  struct Fault {
    std::string reason;
    bool can_stay = true;  // No NOT NULL column is NULL.
  };

  // `changelog`: the column of the object that holds the row's kind.
  JsonObjectReader(const TableDescription& table, const std::vector<int>& read_columns,
                   const JsonOptions& options, const TimeZonePtr& time_zone,
                   const std::optional<ChangelogColumn>& changelog = std::nullopt);

  // Takes the fields of an object. False if it is no JSON: fault() says why. Texts are kept as they
  // stand in the document and in its parser's memory, until Append.
  // REQUIRES: Object is simdjson::ondemand::object.
  template <typename Object>
  bool Read(Object object);
  const std::string& fault() const { return fault_; }

  // Appends what was read to the columns of `rows`, which were made for the same ones. AddRows is
  // left to the caller.
  Fault Append(DecodedRows* rows) const;

  // Reads the object of a line that differs in its numbers alone from one that Learn was told, and
  // appends it, without a parser. False, and nothing is appended, if it may be another line.
  // REQUIRES: JsonLineShape::kReadableBehind bytes behind the line can be read.
  bool AppendLikeLast(std::string_view line, DecodedRows* rows);
  // Says that Read has taken the object of `line`.
  void Learn(std::string_view line);

 private:
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
    std::string_view text;  // Otherwise, or what is bad. In the line or the parser's memory.
  };

  struct StringHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  // Field, Value, Error: simdjson's types.
  template <typename Field>
  bool ReadField(Field field, size_t position);
  template <typename Value>
  bool ReadValue(Value value, size_t column, Cell* cell);
  template <typename Value>
  bool ReadNumber(Value value, size_t column, Cell* cell);
  // The text of an object or array.
  template <typename JsonText>
  bool TakeJson(JsonText json, size_t column, Cell* cell);
  // Reads a text into a cell that is not of variable width.
  void ReadText(std::string_view text, size_t column, Cell* cell);

  // The column that the name of a field leads to; `position` is that of the field in its object.
  template <typename Field>
  bool FindTarget(Field* field, size_t position, NameTarget* target);
  NameTarget TargetOf(std::string_view name);

  template <typename Error>
  bool Broken(Error error);

  bool fail_on_missing_field_;
  std::vector<std::string> names_;      // Of the fields that have a column in the data.
  std::vector<int> column_of_name_;     // -1: not read.
  std::vector<TextReader> readers_;     // One a cell.
  std::vector<Cell> cells_;             // One a column of the rows.
  std::optional<size_t> kind_as_text_;  // The cell of a declared column of kinds, if it is read.
  std::string fault_;

  // Names met so far. Objects mostly have the same fields in the same order, so the name that was
  // last at a position is tried first; as it stands in the line, escapes not resolved.
  struct LastName {
    std::string raw;
    NameTarget target;
  };
  std::vector<LastName> last_names_;
  JsonLineShape shape_;
  std::vector<JsonLineShape::Value> values_;
  // Where lines differ much, their shapes are looked at ever less often.
  int lines_to_wait_ = 0;
  int next_wait_ = 0;
  std::unordered_map<std::string, NameTarget, StringHash, std::equal_to<>> targets_;
};

}  // namespace braid
