// Delimiter, header and types of csv.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/connectors/format/column_guess.h"
#include "engine/connectors/format/csv_record.h"
#include "engine/connectors/format/schema_guess.h"
#include "state/rows/utf8.h"

namespace braid {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::array<char, 4> kDelimiters = {',', ';', '\t', '|'};

// Texts that stand for NULL in a column of numbers or times; one of them in a file.
constexpr std::array<std::string_view, 6> kNullTexts = {"NA", "NULL", "null", "\\N", "N/A", "None"};

struct Cell {
  std::string text;
  bool is_quoted = false;

  bool IsNull(std::string_view null_text) const {
    return text.empty() || (!is_quoted && !null_text.empty() && text == null_text);
  }
};
using Row = std::vector<Cell>;

struct Rows {
  std::vector<Row> rows;  // Without broken records.
  int64_t num_records = 0;
  bool saw_all = false;
};

Rows ReadRows(const Sample& sample, char delimiter) {
  CsvOptions options;
  options.delimiter = delimiter;
  Rows read;
  CsvRecord record;
  std::string scratch;
  std::string_view rest = sample.bytes;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  // One more than counts: the first may be the header.
  while (!rest.empty() && read.num_records <= kSampleRecordsMax) {
    if (!ScanCsvRecord(options, rest, sample.is_whole, &record)) break;
    if (!record.is_blank) ++read.num_records;
    if (!record.is_blank && record.fault == nullptr) {
      Row& row = read.rows.emplace_back();
      for (const CsvField& field : record.fields) {
        row.push_back({std::string(CsvFieldText(options, rest, field, &scratch)), field.is_quoted});
      }
    }
    rest.remove_prefix(record.end);
  }
  read.saw_all = rest.empty() && sample.is_whole;
  return read;
}

// The number of fields that most rows have; the larger of two.
size_t UsualWidth(const std::vector<Row>& rows, size_t* num_rows) {
  std::map<size_t, size_t> rows_of_width;
  for (const Row& row : rows) ++rows_of_width[row.size()];
  size_t width = 0;
  *num_rows = 0;
  for (const auto& [candidate, count] : rows_of_width) {
    if (count < *num_rows) continue;
    width = candidate;
    *num_rows = count;
  }
  return width;
}

// The delimiter that cuts most rows into one number of fields, more than one.
char ChooseDelimiter(const Sample& sample) {
  char best = ',';
  size_t best_rows = 0;
  size_t best_width = 1;
  for (const char delimiter : kDelimiters) {
    size_t num_rows = 0;
    const size_t width = UsualWidth(ReadRows(sample, delimiter).rows, &num_rows);
    if (width < 2) continue;
    if (num_rows < best_rows || (num_rows == best_rows && width <= best_width)) continue;
    best = delimiter;
    best_rows = num_rows;
    best_width = width;
  }
  return best;
}

bool IsTextType(const DataType& type) { return type.kind == TypeKind::kString; }

std::vector<DataType> GuessTypes(const std::vector<Row>& rows, size_t first_row, size_t width,
                                 std::string_view null_text) {
  std::vector<ColumnGuess> guesses(width);
  for (size_t row = first_row; row < rows.size(); ++row) {
    if (rows[row].size() != width) continue;
    for (size_t column = 0; column < width; ++column) {
      const Cell& cell = rows[row][column];
      if (!cell.IsNull(null_text)) guesses[column].Add(GuessValue(cell.text));
    }
  }
  std::vector<DataType> types;
  for (const ColumnGuess& guess : guesses) types.push_back(guess.type());
  return types;
}

size_t NumNarrow(const std::vector<DataType>& types) {
  return types.size() - static_cast<size_t>(std::count_if(types.begin(), types.end(), IsTextType));
}

// The text that stands for NULL if it makes a column narrower, else the empty text.
std::string_view ChooseNullText(const std::vector<Row>& rows, size_t first_row, size_t width) {
  const size_t narrow = NumNarrow(GuessTypes(rows, first_row, width, ""));
  for (const std::string_view text : kNullTexts) {
    if (NumNarrow(GuessTypes(rows, first_row, width, text)) > narrow) return text;
  }
  return "";
}

// A header is a first row of texts, above a column of something narrower or above nothing at all.
// A row of data that begins a file of texts alone is not told from a header, and stays.
bool IsHeader(const std::vector<Row>& rows, size_t width) {
  const Row& first = rows[0];
  for (size_t column = 0; column < first.size(); ++column) {
    // The column of row numbers that some programs write has no name.
    if (first[column].text.empty() && column > 0) return false;
    if (!first[column].text.empty() && GuessValue(first[column].text).kind != ValueKind::kText) {
      return false;
    }
  }
  if (rows.size() == 1) return !first[0].text.empty();
  if (first.size() != width) return false;
  const std::string_view null_text = ChooseNullText(rows, 1, width);
  const std::vector<DataType> types = GuessTypes(rows, 1, width, null_text);
  for (size_t column = 0; column < width; ++column) {
    if (!IsTextType(types[column]) && !first[column].IsNull(null_text)) return true;
  }
  return false;
}

// One name a column; false if the file's own names cannot all be used.
bool NameColumns(const Row* header, size_t width, std::vector<std::string>* names) {
  std::set<std::string> taken;
  bool are_own = header != nullptr;
  for (size_t column = 0; column < width; ++column) {
    std::string name = header != nullptr ? (*header)[column].text : "";
    if (!IsUtf8(name)) name = WithoutInvalidBytes(name);
    are_own &= header != nullptr && name == (*header)[column].text && !name.empty();
    if (name.empty()) name = fmt::format("column{}", column);
    const std::string base = name;
    for (int number = 1; !taken.insert(name).second; ++number) {
      name = fmt::format("{}_{}", base, number);
      are_own = false;
    }
    names->push_back(std::move(name));
  }
  return are_own;
}

std::string DelimiterText(char delimiter) {
  return delimiter == '\t' ? "\\t" : std::string(1, delimiter);
}

}  // namespace

Result<SchemaGuess> GuessCsv(const Sample& sample, std::optional<char> given_delimiter) {
  const char delimiter = given_delimiter.value_or(ChooseDelimiter(sample));
  Rows read = ReadRows(sample, delimiter);
  const std::vector<Row>& rows = read.rows;
  if (rows.empty()) {
    return Fail(ErrorCode::kInvalidInput,
                sample.is_whole ? "no record to guess the columns from"
                                : "no whole record in the first MiB to guess the columns from");
  }
  size_t num_rows = 0;
  const size_t width = UsualWidth(rows, &num_rows);
  const bool has_header = IsHeader(rows, width);
  const size_t first_row = has_header ? 1 : 0;
  if (!has_header && read.num_records > kSampleRecordsMax) {
    read.rows.pop_back();
    --read.num_records;
    read.saw_all = false;
  }
  const std::string_view null_text = ChooseNullText(rows, first_row, width);
  const std::vector<DataType> types = GuessTypes(rows, first_row, width, null_text);
  std::vector<std::string> names;
  const bool names_are_own = NameColumns(has_header ? &rows[0] : nullptr, width, &names);

  SchemaGuess guess;
  for (size_t column = 0; column < width; ++column) {
    guess.schema.fields.push_back({std::move(names[column]), types[column]});
  }
  guess.options["format"] = {"csv", {}};
  if (has_header) guess.options["csv.header"] = {names_are_own ? "true" : "skip", {}};
  if (delimiter != ',') guess.options["csv.field-delimiter"] = {DelimiterText(delimiter), {}};
  // Without this an empty field of a STRING is the empty text, and such keys would match.
  const bool has_texts = std::find(types.begin(), types.end(), DataType::String()) != types.end();
  if (!null_text.empty() || has_texts) {
    guess.options["csv.null-literal"] = {std::string(null_text), {}};
  }
  guess.num_records = read.num_records - static_cast<int64_t>(first_row);
  guess.saw_all = read.saw_all;
  return guess;
}

}  // namespace braid
