#include "engine/connectors/format/json_row_encoder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "engine/connectors/format/base64.h"
#include "engine/connectors/format/value_writer.h"

namespace braid {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes of the UTF-8 sequence at the front of `text`; 0 if there is none.
size_t SequenceBytes(std::string_view text) {
  for (size_t bytes = 1; bytes <= 4 && bytes <= text.size(); ++bytes) {
    if (simdjson::validate_utf8(text.data(), bytes)) return bytes;
  }
  return 0;
}

std::string WithoutInvalidBytes(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t bytes = SequenceBytes(text);
    valid += bytes == 0 ? kReplacement : text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return valid;
}

void AppendEscape(char letter, std::string* bytes) {
  switch (letter) {
    case '"':
      *bytes += "\\\"";
      break;
    case '\\':
      *bytes += "\\\\";
      break;
    case '\b':
      *bytes += "\\b";
      break;
    case '\f':
      *bytes += "\\f";
      break;
    case '\n':
      *bytes += "\\n";
      break;
    case '\r':
      *bytes += "\\r";
      break;
    case '\t':
      *bytes += "\\t";
      break;
    default:
      *bytes += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
      break;
  }
}

// Appends a string with its quotes.
void AppendString(std::string_view text, std::string* bytes) {
  std::string valid;
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    valid = WithoutInvalidBytes(text);
    text = valid;
  }
  bytes->push_back('"');
  size_t begin = 0;  // Of what is not yet appended.
  for (size_t index = 0; index < text.size(); ++index) {
    const unsigned char letter = static_cast<unsigned char>(text[index]);
    if (letter >= 0x20 && letter != '"' && letter != '\\') continue;
    bytes->append(text, begin, index - begin);
    AppendEscape(text[index], bytes);
    begin = index + 1;
  }
  bytes->append(text, begin);
  bytes->push_back('"');
}

bool IsWrittenAsNumber(const Column& column, int64_t row) {
  const size_t index = static_cast<size_t>(row);
  switch (column.type().kind) {
    case TypeKind::kFloat:
      return std::isfinite(column.Values<float>()[index]);
    case TypeKind::kDouble:
      return std::isfinite(column.Values<double>()[index]);
    default:
      return column.type().is_numeric() || column.type().kind == TypeKind::kBoolean;
  }
}

class JsonRowEncoder final : public RowEncoder {
 public:
  JsonRowEncoder(const TableDescription& table, const JsonOptions& options) : options_(options) {
    for (const Field& field : table.schema.fields) {
      std::string& name = names_.emplace_back();
      AppendString(field.name, &name);
      name.push_back(':');
    }
  }

  void AppendHeader(std::string*) const override {}

  Status Encode(const RowBatch& rows, std::string* bytes) const override {
    std::vector<ValueWriter> writers;
    std::vector<size_t> writer_of_column(names_.size());
    for (size_t index = 0; index < names_.size(); ++index) {
      const Column& column = rows.columns()[index];
      if (column.type().is_variable_width()) continue;
      writer_of_column[index] = writers.size();
      writers.emplace_back(column, options_.timestamp_style);
    }
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      char before = '{';
      for (size_t index = 0; index < names_.size(); ++index) {
        const Column& column = rows.columns()[index];
        const bool is_null = column.IsNull(row);
        if (is_null && options_.ignore_null_fields) continue;
        bytes->push_back(before);
        before = ',';
        *bytes += names_[index];
        if (is_null) {
          *bytes += "null";
        } else if (column.type().is_variable_width()) {
          AppendText(column, row, bytes);
        } else {
          AppendValue(&writers[writer_of_column[index]], column, row, bytes);
        }
      }
      if (before == '{') bytes->push_back('{');
      *bytes += "}\n";
    }
    return {};
  }

 private:
  static void AppendText(const Column& column, int64_t row, std::string* bytes) {
    if (column.type().kind == TypeKind::kString) return AppendString(column.String(row), bytes);
    bytes->push_back('"');
    AppendBase64(column.String(row), bytes);
    bytes->push_back('"');
  }

  static void AppendValue(ValueWriter* writer, const Column& column, int64_t row,
                          std::string* bytes) {
    char text[ValueWriter::kBytesMax + 2];
    const bool is_number = IsWrittenAsNumber(column, row);
    text[0] = '"';
    char* end = writer->Write(row, text + 1);
    *end = '"';
    const char* begin = is_number ? text + 1 : text;
    bytes->append(begin, static_cast<size_t>(end - begin) + (is_number ? 0 : 1));
  }

  JsonOptions options_;
  std::vector<std::string> names_;  // As they are written: "name":
};

}  // namespace

std::unique_ptr<RowEncoder> NewJsonRowEncoder(const TableDescription& table,
                                              const JsonOptions& options) {
  return std::make_unique<JsonRowEncoder>(table, options);
}

}  // namespace braid
