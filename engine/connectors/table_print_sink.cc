#include "engine/connectors/table_print_sink.h"

#include <algorithm>
#include <utility>

#include "braid/change_kind.h"
#include "braid/value.h"

namespace braid {

namespace {

constexpr const char* kPlain = "";
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kDim = "\x1b[2m";
constexpr const char* kReset = "\x1b[0m";

constexpr std::string_view kNullText = "<NULL>";
constexpr std::string_view kBetween = " | ";

void AppendBlanks(int count, std::string* text) {
  if (count > 0) text->append(static_cast<size_t>(count), ' ');
}

}  // namespace

TablePrintSink::TablePrintSink(const Schema& schema, std::FILE* stream, bool colours,
                               const std::optional<ChangelogColumn>& changelog)
    : changelog_(changelog),
      colours_(colours),
      stream_(stream),
      schema_(changelog ? WithChangelogColumn(schema, *changelog) : schema) {}

TablePrintSink::Cells TablePrintSink::CellsOf(const RowBatch& rows, int64_t row) const {
  Cells cells;
  cells.reserve(schema_.fields.size());
  if (shows_kinds_) {
    cells.push_back({ShowOnTerminal(ChangeKindText(rows.change_kind(row))), false});
  }
  for (int column = 0; column < rows.num_columns(); ++column) {
    const bool is_null = rows.column(column).IsNull(row);
    const std::string value =
        is_null ? std::string(kNullText) : FormatValue(ValueAt(rows.column(column), row));
    cells.push_back({ShowOnTerminal(value), is_null});
  }
  return cells;
}

void TablePrintSink::AppendCell(size_t column, const ShownText& shown, const char* style,
                                std::string* text) const {
  const int padding = widths_[column] - shown.width;
  const bool to_the_right = schema_.fields[column].type.is_numeric();
  if (column > 0) *text += kBetween;
  if (to_the_right) AppendBlanks(padding, text);
  const bool is_styled = colours_ && style != kPlain;
  if (is_styled) *text += style;
  *text += shown.text;
  if (is_styled) *text += kReset;
  const bool is_last = column + 1 == schema_.fields.size();
  if (!to_the_right && !is_last) AppendBlanks(padding, text);
}

void TablePrintSink::AppendHeader(std::string* text) const {
  for (size_t column = 0; column < widths_.size(); ++column) {
    AppendCell(column, ShowOnTerminal(schema_.fields[column].name), kBold, text);
  }
  *text += '\n';
  for (size_t column = 0; column < widths_.size(); ++column) {
    if (column > 0) *text += "-+-";
    text->append(static_cast<size_t>(widths_[column]), '-');
  }
  *text += '\n';
}

void TablePrintSink::AppendRow(const Cells& cells, std::string* text) const {
  for (size_t column = 0; column < cells.size(); ++column) {
    AppendCell(column, cells[column].shown, cells[column].is_null ? kDim : kPlain, text);
  }
  *text += '\n';
}

void TablePrintSink::Begin(std::string* text) {
  for (const Field& field : schema_.fields) {
    widths_.push_back(ShowOnTerminal(field.name).width);
  }
  for (const Cells& cells : waiting_) {
    for (size_t column = 0; column < cells.size(); ++column) {
      widths_[column] = std::max(widths_[column], cells[column].shown.width);
    }
  }
  AppendHeader(text);
  for (const Cells& cells : waiting_) AppendRow(cells, text);
  waiting_ = {};
}

void TablePrintSink::BeginToShowKinds() {
  shows_kinds_ = true;
  schema_ = WithChangelogColumn(schema_, {"op", std::nullopt});
  const ShownText insertion = ShowOnTerminal(ChangeKindText(ChangeKind::kInsert));
  for (Cells& cells : waiting_) cells.insert(cells.begin(), {insertion, false});
  widths_.clear();
}

Status TablePrintSink::Write(int /*partition*/, const RowBatch& written) {
  const RowBatch rows = changelog_ ? ShowChangeKinds(written, *changelog_) : written;
  const std::lock_guard lock(mutex_);
  if (rows.has_change_kinds() && rows.num_rows() > 0 && !shows_kinds_) BeginToShowKinds();
  std::string text;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    Cells cells = CellsOf(rows, row);
    if (!widths_.empty()) {
      AppendRow(cells, &text);
      continue;
    }
    waiting_.push_back(std::move(cells));
    if (waiting_.size() == kRowsMeasured) Begin(&text);
  }
  return stream_.Write(text);
}

Status TablePrintSink::PublishBatch(int64_t /*batch_id*/) {
  const std::lock_guard lock(mutex_);
  std::string text;
  if (!waiting_.empty()) Begin(&text);
  if (Status written = stream_.Write(text); !written) return written;
  return stream_.Flush();
}

Status TablePrintSink::Close() {
  const std::lock_guard lock(mutex_);
  std::string text;
  if (widths_.empty()) Begin(&text);
  if (Status written = stream_.Write(text); !written) return written;
  return stream_.Flush();
}

}  // namespace braid
