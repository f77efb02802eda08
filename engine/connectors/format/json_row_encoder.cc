#include "engine/connectors/format/json_row_encoder.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "engine/connectors/format/base64.h"
#include "engine/connectors/format/text_buffer.h"
#include "engine/connectors/format/value_writer.h"
#include "state/rows/utf8.h"

namespace braid {

namespace {

void AppendEscape(char letter, TextBuffer* buffer) {
  switch (letter) {
    case '"':
      buffer->Append("\\\"");
      break;
    case '\\':
      buffer->Append("\\\\");
      break;
    case '\b':
      buffer->Append("\\b");
      break;
    case '\f':
      buffer->Append("\\f");
      break;
    case '\n':
      buffer->Append("\\n");
      break;
    case '\r':
      buffer->Append("\\r");
      break;
    case '\t':
      buffer->Append("\\t");
      break;
    default:
      buffer->Append(fmt::format("\\u{:04x}", static_cast<unsigned>(letter)));
      break;
  }
}

// Appends a string with its quotes.
void AppendString(std::string_view text, TextBuffer* buffer) {
  std::string valid;
  if (!IsUtf8(text)) {
    valid = WithoutInvalidBytes(text);
    text = valid;
  }
  buffer->Append('"');
  size_t begin = 0;  // Of what is not yet appended.
  for (size_t index = 0; index < text.size(); ++index) {
    const unsigned char letter = static_cast<unsigned char>(text[index]);
    if (letter >= 0x20 && letter != '"' && letter != '\\') continue;
    buffer->Append(text.substr(begin, index - begin));
    AppendEscape(text[index], buffer);
    begin = index + 1;
  }
  buffer->Append(text.substr(begin));
  buffer->Append('"');
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
  // `is_debezium`: the object stands in a record of Debezium, as its before or its after.
  JsonRowEncoder(const TableDescription& table, const JsonOptions& options, bool is_debezium)
      : options_(options), is_debezium_(is_debezium) {
    for (const Field& field : table.schema.fields) {
      TextBuffer name(&names_.emplace_back());
      AppendString(field.name, &name);
      name.Append(':');
    }
  }

  bool takes_changes() const override { return is_debezium_; }
  void AppendHeader(std::string*) const override {}

  Status Encode(const RowBatch& rows, std::string* bytes) const override {
    std::vector<ValueWriter> writers;
    writers.reserve(names_.size());
    for (const Column& column : rows.columns()) {
      writers.emplace_back(column, options_.timestamp_style);
    }
    TextBuffer buffer(bytes);
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      if (is_debezium_) {
        AppendRecord(rows, row, &writers, &buffer);
      } else {
        AppendObject(rows, row, &writers, &buffer);
      }
      buffer.Append('\n');
    }
    return {};
  }

 private:
  // As Flink: an update is the deletion of the old row and the creation of the new one.
  void AppendRecord(const RowBatch& rows, int64_t row, std::vector<ValueWriter>* writers,
                    TextBuffer* buffer) const {
    const bool leaves_null = !options_.ignore_null_fields;
    const bool is_added = IsAccumulation(rows.change_kind(row));
    buffer->Append('{');
    if (is_added && leaves_null) buffer->Append("\"before\":null,");
    buffer->Append(is_added ? "\"after\":" : "\"before\":");
    AppendObject(rows, row, writers, buffer);
    if (!is_added && leaves_null) buffer->Append(",\"after\":null");
    buffer->Append(is_added ? ",\"op\":\"c\"}" : ",\"op\":\"d\"}");
  }

  void AppendObject(const RowBatch& rows, int64_t row, std::vector<ValueWriter>* writers,
                    TextBuffer* buffer) const {
    char before = '{';
    for (size_t index = 0; index < names_.size(); ++index) {
      const Column& column = rows.columns()[index];
      const bool is_null = column.IsNull(row);
      if (is_null && options_.ignore_null_fields) continue;
      buffer->Append(before);
      before = ',';
      buffer->Append(names_[index]);
      if (is_null) {
        buffer->Append("null");
      } else if (column.type().is_variable_width()) {
        AppendText(column, row, buffer);
      } else {
        AppendValue(&(*writers)[index], column, row, buffer);
      }
    }
    buffer->Append(before == '{' ? "{}" : "}");
  }

  static void AppendText(const Column& column, int64_t row, TextBuffer* buffer) {
    if (column.type().kind == TypeKind::kString) return AppendString(column.String(row), buffer);
    std::string encoded;
    AppendBase64(column.String(row), &encoded);
    AppendString(encoded, buffer);
  }

  static void AppendValue(ValueWriter* writer, const Column& column, int64_t row,
                          TextBuffer* buffer) {
    char* to = buffer->Room(ValueWriter::kBytesMax + 2);
    const bool is_number = IsWrittenAsNumber(column, row);
    if (!is_number) *to++ = '"';
    to = writer->Write(row, to);
    if (!is_number) *to++ = '"';
    buffer->EndAt(to);
  }

  JsonOptions options_;
  bool is_debezium_;
  std::vector<std::string> names_;  // As they are written: "name":
};

}  // namespace

std::unique_ptr<RowEncoder> NewJsonRowEncoder(const TableDescription& table,
                                              const JsonOptions& options) {
  return std::make_unique<JsonRowEncoder>(table, options, /*is_debezium=*/false);
}

std::unique_ptr<RowEncoder> NewDebeziumRowEncoder(const TableDescription& table,
                                                  const JsonOptions& options) {
  return std::make_unique<JsonRowEncoder>(table, options, /*is_debezium=*/true);
}

}  // namespace braid
