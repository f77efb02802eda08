#include "engine/session/state_row_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "braid/column_builder.h"
#include "engine/connectors/format/base64.h"
#include "engine/connectors/format/json_row_encoder.h"
#include "engine/connectors/format/text_buffer.h"
#include "engine/connectors/format/value_writer.h"
#include "engine/expression/result_column.h"

namespace braid {

namespace {

// Rows that are written at once: what is held as text stays small.
constexpr int64_t kRowsAtOnce = 4096;

// Words that are the key itself, as values of its type; not linkable means NULL.
Column KeyColumn(const DataType& type, const StateRows& run, std::span<const int32_t> rows) {
  ColumnBuilder builder(type);
  for (const int32_t row : rows) {
    const size_t index = static_cast<size_t>(row);
    const uint64_t word = run.words[index];
    if (!run.linkable.empty() && run.linkable[index] == 0) {
      builder.AppendNull();
    } else if (type.is_floating()) {
      builder.AppendValue({type, std::bit_cast<double>(word)});
    } else {
      builder.AppendValue({type, static_cast<int64_t>(word)});
    }
  }
  return builder.Finish();
}

// One record a row, each ended by '\n', without the braces around it.
class JsonMembers {
 public:
  explicit JsonMembers(const RowBatch& rows) {
    TableDescription table;
    table.schema = rows.schema();
    (void)NewJsonRowEncoder(table, {})->Encode(rows, &text_);
  }

  std::string_view Next() {
    const size_t end = text_.find('\n', position_);
    const std::string_view members(text_.data() + position_ + 1, end - position_ - 2);
    position_ = end + 1;
    return members;
  }

 private:
  std::string text_;
  size_t position_ = 0;
};

void AppendText(const Column& column, int64_t row, ValueWriter* writer, TextBuffer* buffer) {
  if (column.IsNull(row)) return buffer->Append("null");
  if (column.type().kind == TypeKind::kString) return buffer->Append(column.String(row));
  if (column.type().kind == TypeKind::kBytes) {
    std::string encoded;
    AppendBase64(column.String(row), &encoded);
    return buffer->Append(encoded);
  }
  buffer->EndAt(writer->Write(row, buffer->Room(ValueWriter::kBytesMax)));
}

}  // namespace

RowBatch StateRowLines::Cells(const StateRows& run, int64_t first, int64_t count) const {
  std::vector<int32_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), static_cast<int32_t>(first));
  auto schema = std::make_shared<Schema>();
  std::vector<Column> columns;
  // A column that is stored in two places stands once.
  const auto add = [&](const Field& field, Column column) {
    if (const std::optional<int> known = schema->IndexOf(field.name)) {
      columns[static_cast<size_t>(*known)] = std::move(column);
    } else {
      schema->fields.push_back(field);
      columns.push_back(std::move(column));
    }
  };
  if (!layout_.hashed_key && !layout_.key.name.empty()) {
    add(layout_.key, KeyColumn(layout_.key.type, run, rows));
  }
  if (has_time(run)) {
    Column times = Gather(*run.times, rows);
    if (layout_.time.type.is_timestamp()) times = Retyped(times, layout_.time.type);
    add({layout_.time.name, times.type()}, times);
  }
  for (size_t column = 0; column < run.payload.size(); ++column) {
    add(layout_.payload.fields[column], Gather(run.payload[column], rows));
  }
  return RowBatch(std::move(schema), std::move(columns), count);
}

bool StateRowLines::IsMatched(const StateRows& run, int64_t row) const {
  if (!run.matched.empty() && run.matched[static_cast<size_t>(row)] != 0) return true;
  return !matched_.empty() && matched_.contains(run.IdAt(row));
}

Status StateRowLines::WriteJson(const StateRows& run, int64_t first, const RowBatch& cells,
                                const LineConsumer& consumer) const {
  const auto members_of = [&cells](const std::string& name, const Column& column) {
    return JsonMembers(RowBatch(std::make_shared<Schema>(Schema{{{name, column.type()}}}), {column},
                                cells.num_rows()));
  };
  ColumnBuilder side_name(DataType::String());
  side_name.AppendString(layout_.name);
  const std::string side(
      JsonMembers(RowBatch(std::make_shared<Schema>(Schema{{{"side", DataType::String()}}}),
                           {side_name.Finish()}, 1))
          .Next());
  std::optional<JsonMembers> times;
  if (has_time(run)) {
    times = members_of("time", cells.column(*cells.schema().IndexOf(layout_.time.name)));
  }
  JsonMembers rows(cells);
  std::string line;
  for (int64_t row = 0; row < cells.num_rows(); ++row) {
    line.clear();
    line.append("{").append(side);
    if (times) line.append(",").append(times->Next());
    line.append(IsMatched(run, first + row) ? ",\"matched\":true" : ",\"matched\":false");
    line.append(",\"row\":{").append(rows.Next()).append("}}");
    if (Status given = consumer(line); !given) return given;
  }
  return {};
}

Status StateRowLines::WriteText(const StateRows& run, int64_t first, const RowBatch& cells,
                                const LineConsumer& consumer) const {
  const std::string matched = fmt::format("{:<12} matched    ", layout_.name);
  const std::string unmatched = fmt::format("{:<12} unmatched  ", layout_.name);
  std::vector<ValueWriter> writers;
  writers.reserve(cells.columns().size());
  for (const Column& column : cells.columns()) writers.emplace_back(column, TimestampStyle::kAny);
  std::string text;
  std::vector<size_t> ends;
  {
    TextBuffer buffer(&text);
    for (int64_t row = 0; row < cells.num_rows(); ++row) {
      buffer.Append(IsMatched(run, first + row) ? matched : unmatched);
      for (size_t column = 0; column < writers.size(); ++column) {
        if (column > 0) buffer.Append("  ");
        buffer.Append(cells.schema().fields[column].name);
        buffer.Append('=');
        AppendText(cells.columns()[column], row, &writers[column], &buffer);
      }
      ends.push_back(buffer.size());
    }
  }
  std::string line;
  size_t begin = 0;
  for (const size_t end : ends) {
    line.assign(text, begin, end - begin);
    begin = end;
    if (Status given = consumer(line); !given) return given;
  }
  return {};
}

Status StateRowLines::Write(const StateRows& run, int64_t num_rows,
                            const LineConsumer& consumer) const {
  for (int64_t first = 0; first < num_rows; first += kRowsAtOnce) {
    const RowBatch cells = Cells(run, first, std::min(kRowsAtOnce, num_rows - first));
    Status written = style_ == StateRowStyle::kJson ? WriteJson(run, first, cells, consumer)
                                                    : WriteText(run, first, cells, consumer);
    if (!written) return written;
  }
  return {};
}

}  // namespace braid
