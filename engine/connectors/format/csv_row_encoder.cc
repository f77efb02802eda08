#include "engine/connectors/format/csv_row_encoder.h"

#include <fmt/format.h>

#include <utility>

#include "braid/value.h"
#include "engine/connectors/format/base64.h"

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
  TextBuffer buffer(bytes);
  for (const Field& field : schema_.fields) {
    const bool is_first = &field == &schema_.fields.front();
    if (!is_first) buffer.Append(options_.delimiter);
    // A name that cannot be written unquoted stays as it is.
    if (!AppendText(field.name, is_first, &buffer)) buffer.Append(field.name);
  }
  buffer.Append('\n');
}

Status CsvRowEncoder::Encode(const RowBatch& rows, std::string* bytes) const {
  const size_t num_columns = static_cast<size_t>(rows.num_columns());
  std::vector<ValueWriter> writers;
  writers.reserve(num_columns);
  for (const Column& column : rows.columns()) {
    writers.emplace_back(column, options_.timestamp_style);
  }
  TextBuffer buffer(bytes);
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    for (size_t index = 0; index < num_columns; ++index) {
      const Column& column = rows.columns()[index];
      if (column.IsNull(row)) {
        AppendNull(num_columns == 1, &buffer);
      } else if (is_plain_safe_ && !column.type().is_variable_width()) {
        buffer.EndAt(writers[index].Write(row, buffer.Room(ValueWriter::kBytesMax)));
      } else if (!AppendWithCare(column, row, index == 0, &writers[index], &buffer)) {
        return Fail(
            ErrorCode::kInvalidInput,
            fmt::format("table {}: column {}: the value '{}' cannot be written without "
                        "quotes; allow 'csv.quote-character' or set "
                        "'csv.escape-character'",
                        table_, schema_.fields[index].name, FormatValue(ValueAt(column, row))));
      }
      buffer.Append(index + 1 == num_columns ? '\n' : options_.delimiter);
    }
  }
  return {};
}

bool CsvRowEncoder::AppendWithCare(const Column& column, int64_t row, bool is_first,
                                   ValueWriter* writer, TextBuffer* bytes) const {
  if (column.type().kind == TypeKind::kString) {
    return AppendText(column.String(row), is_first, bytes);
  }
  if (column.type().kind == TypeKind::kBytes) {
    std::string encoded;
    AppendBase64(column.String(row), &encoded);
    return AppendText(encoded, is_first, bytes);
  }
  char text[ValueWriter::kBytesMax];
  const char* end = writer->Write(row, text);
  return AppendText({text, static_cast<size_t>(end - text)}, is_first, bytes);
}

void CsvRowEncoder::AppendNull(bool is_only, TextBuffer* bytes) const {
  if (options_.null_literal) bytes->Append(*options_.null_literal);
  // A blank line would be no record.
  const bool is_blank = is_only && options_.null_literal.value_or("").empty();
  if (!is_blank || options_.quote == '\0') return;
  bytes->Append(options_.quote);
  bytes->Append(options_.quote);
}

bool CsvRowEncoder::AppendText(std::string_view text, bool is_first, TextBuffer* bytes) const {
  bool is_plain = !text.empty() && !(is_first && text[0] == options_.comment);
  for (const char letter : text) is_plain &= !needs_care_[static_cast<unsigned char>(letter)];
  const bool is_literal = options_.null_literal && text == *options_.null_literal;
  if (is_plain && !is_literal) {
    bytes->Append(text);
    return true;
  }
  if (options_.quote == '\0') return !is_literal && AppendUnquoted(text, bytes);
  bytes->Append(options_.quote);
  for (const char letter : text) {
    if (letter == options_.quote) {
      bytes->Append(options_.quote);
    } else if (letter == options_.escape && options_.escape != '\0') {
      bytes->Append(options_.escape);
    }
    bytes->Append(letter);
  }
  bytes->Append(options_.quote);
  return true;
}

// Quotes are disabled: escapes may do.
bool CsvRowEncoder::AppendUnquoted(std::string_view text, TextBuffer* bytes) const {
  if (text.empty()) return true;
  if (options_.escape == '\0') return false;
  if (text[0] == options_.comment && options_.comment != '\0') bytes->Append(options_.escape);
  for (const char letter : text) {
    if (!needs_care_[static_cast<unsigned char>(letter)]) {
      bytes->Append(letter);
      continue;
    }
    bytes->Append(options_.escape);
    bytes->Append(letter == '\n' ? 'n' : letter == '\r' ? 'r' : letter);
  }
  return true;
}

}  // namespace braid
