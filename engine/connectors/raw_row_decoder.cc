#include "engine/connectors/raw_row_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "state/rows/utf8.h"

namespace braid {

RawRowDecoder::RawRowDecoder(Schema schema)
    : schema_(std::make_shared<const Schema>(std::move(schema))), builder_(DataType::String()) {}

Result<std::unique_ptr<RowDecoder>> RawRowDecoder::New(const TableDescription& table,
                                                       const std::vector<int>& read_columns) {
  const std::vector<Field>& fields = table.schema.fields;
  if (fields.size() != 1 || fields[0].type.kind != TypeKind::kString) {
    return Fail(ErrorCode::kInvalidOption,
                fmt::format("table {}: 'format' = 'raw' needs a table of one STRING column, this "
                            "one has ({})",
                            table.name, table.schema.ToString()),
                table.place);
  }
  return std::unique_ptr<RowDecoder>(
      new RawRowDecoder(read_columns.empty() ? Schema() : table.schema));
}

Status RawRowDecoder::ResumeFile(std::string_view /*beginning*/, int64_t line) {
  line_ = line;
  return {};
}

Result<size_t> RawRowDecoder::Decode(std::string_view bytes, bool at_end,
                                     DecodeResult* /*result*/) {
  size_t position = 0;
  while (position < bytes.size()) {
    size_t end = bytes.find('\n', position);
    if (end == std::string_view::npos) {
      if (!at_end) break;
      end = bytes.size();
    }
    if (!schema_->fields.empty()) {
      const std::string_view line = bytes.substr(position, end - position);
      if (IsUtf8(line)) {
        builder_.AppendString(line);
      } else {
        builder_.AppendString(WithoutInvalidBytes(line));
      }
    }
    ++num_rows_;
    ++line_;
    position = end + 1;
  }
  return std::min(position, bytes.size());
}

RowBatch RawRowDecoder::TakeRows() {
  std::vector<Column> columns;
  if (!schema_->fields.empty()) columns.push_back(builder_.Finish());
  return RowBatch(schema_, std::move(columns), std::exchange(num_rows_, 0));
}

}  // namespace braid
