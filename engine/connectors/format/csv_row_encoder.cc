#include "engine/connectors/format/csv_row_encoder.h"

#include <fmt/format.h>

#include <utility>

#include "engine/connectors/format/base64.h"
#include "engine/connectors/format/value_writer.h"
#include "state/rows/value.h"

namespace braid {

namespace {

// What texts of fixed-width values are made of.
constexpr std::string_view kPlainBytes =
    "0123456789+-.: ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool IsPlain(char letter) { return kPlainBytes.find(letter) != std::string_view::npos; }

}  // namespace

CsvRowEncoder::CsvRowEncoder(const TableDescription& table, CsvOptions options)
    : options_(std::move(options)), table_(table.name), schema_(table.schema) {
  for (const char letter : {options_.delimiter, options_.quote, options_.escape, '\n', '\r'}) {
    if (letter != '\0') needs_care_[static_cast<unsigned char>(letter)] = true;
  }
  is_plain_safe_ = !IsPlain(options_.delimiter) && !IsPlain(options_.quote) &&
                   !IsPlain(options_.escape) && !IsPlain(options_.comment) &&
                   options_.null_literal.value_or("").empty();
}

void CsvRowEncoder::AppendHeader(std::string* bytes) const {
  if (!options_.header) return;
  for (const Field& field : schema_.fields) {
    if (&field != &schema_.fields.front()) bytes->push_back(options_.delimiter);
    // A name that cannot be written unquoted stays as it is.
    if (!AppendText(field.name, &field == &schema_.fields.front(), bytes)) *bytes += field.name;
  }
  bytes->push_back('\n');
}

Status CsvRowEncoder::Encode(const RowBatch& rows, std::string* bytes) const {
  const size_t num_columns = static_cast<size_t>(rows.num_columns());
  std::vector<ValueWriter> writers;
  std::vector<int> writer_of_column(num_columns, -1);
  for (size_t index = 0; index < num_columns; ++index) {
    const Column& column = rows.columns()[index];
    if (column.type().is_variable_width()) continue;
    writer_of_column[index] = static_cast<int>(writers.size());
    writers.emplace_back(column, options_.timestamp_style);
  }
  char value[ValueWriter::kBytesMax];
  std::string encoded;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    for (size_t index = 0; index < num_columns; ++index) {
      const Column& column = rows.columns()[index];
      if (index > 0) bytes->push_back(options_.delimiter);
      bool is_written = true;
      if (column.IsNull(row)) {
        AppendNull(num_columns == 1, bytes);
      } else if (const int writer = writer_of_column[index]; writer >= 0) {
        const char* end = writers[static_cast<size_t>(writer)].Write(row, value);
        const std::string_view text(value, static_cast<size_t>(end - value));
        if (is_plain_safe_) {
          bytes->append(text);
        } else {
          is_written = AppendText(text, index == 0, bytes);
        }
      } else if (column.type().kind == TypeKind::kBytes) {
        encoded.clear();
        AppendBase64(column.String(row), &encoded);
        is_written = AppendText(encoded, index == 0, bytes);
      } else {
        is_written = AppendText(column.String(row), index == 0, bytes);
      }
      if (!is_written) {
        return Fail(
            ErrorCode::kInvalidInput,
            fmt::format("table {}: column {}: the value '{}' cannot be written without "
                        "quotes; allow 'csv.quote-character' or set "
                        "'csv.escape-character'",
                        table_, schema_.fields[index].name, FormatValue(ValueAt(column, row))));
      }
    }
    bytes->push_back('\n');
  }
  return {};
}

void CsvRowEncoder::AppendNull(bool is_only, std::string* bytes) const {
  if (options_.null_literal) bytes->append(*options_.null_literal);
  // A blank line would be no record.
  const bool is_blank = is_only && options_.null_literal.value_or("").empty();
  if (is_blank && options_.quote != '\0') bytes->append(2, options_.quote);
}

bool CsvRowEncoder::AppendText(std::string_view text, bool is_first, std::string* bytes) const {
  bool is_plain = !text.empty() && !(is_first && text[0] == options_.comment);
  for (const char letter : text) is_plain &= !needs_care_[static_cast<unsigned char>(letter)];
  const bool is_literal = options_.null_literal && text == *options_.null_literal;
  if (is_plain && !is_literal) {
    bytes->append(text);
    return true;
  }
  if (options_.quote == '\0') return !is_literal && AppendUnquoted(text, bytes);
  bytes->push_back(options_.quote);
  for (const char letter : text) {
    if (letter == options_.quote) {
      bytes->push_back(options_.quote);
    } else if (letter == options_.escape && options_.escape != '\0') {
      bytes->push_back(options_.escape);
    }
    bytes->push_back(letter);
  }
  bytes->push_back(options_.quote);
  return true;
}

// Quotes are disabled: escapes may do.
bool CsvRowEncoder::AppendUnquoted(std::string_view text, std::string* bytes) const {
  if (text.empty()) return true;
  if (options_.escape == '\0') return false;
  if (text[0] == options_.comment && options_.comment != '\0') bytes->push_back(options_.escape);
  for (const char letter : text) {
    if (!needs_care_[static_cast<unsigned char>(letter)]) {
      bytes->push_back(letter);
      continue;
    }
    bytes->push_back(options_.escape);
    bytes->push_back(letter == '\n' ? 'n' : letter == '\r' ? 'r' : letter);
  }
  return true;
}

}  // namespace braid
