#include "engine/connectors/format/decoded_rows.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace braid {

namespace {

// Longer texts are cut in messages.
constexpr size_t kShownTextMax = 100;

std::shared_ptr<const Schema> SchemaOf(const TableDescription& table,
                                       const std::vector<int>& read_columns) {
  auto schema = std::make_shared<Schema>();
  for (const int column : read_columns) {
    schema->fields.push_back(table.schema.fields[static_cast<size_t>(column)]);
  }
  return schema;
}

// The rows from `begin` to `end` of a column of fixed width without NULLs; shares its memory.
Column Slice(const Column& column, int64_t begin, int64_t end) {
  const char* values = static_cast<const char*>(column.raw_values());
  return Column(column.type(), end - begin, 0, nullptr, values + begin * column.type().byte_width(),
                nullptr, nullptr);
}

// `dropped`: rising.
RowBatch WithoutRows(const RowBatch& batch, const std::vector<int64_t>& dropped) {
  const int64_t num_kept = batch.num_rows() - static_cast<int64_t>(dropped.size());
  std::vector<int32_t> kept;
  const auto for_each_run = [&](const auto& take) {
    int64_t begin = 0;
    for (const int64_t row : dropped) {
      if (row > begin) take(begin, row);
      begin = row + 1;
    }
    if (batch.num_rows() > begin) take(begin, batch.num_rows());
  };
  std::vector<Column> columns;
  for (const Column& column : batch.columns()) {
    ColumnBuilder builder(column.type());
    builder.Reserve(num_kept);
    if (column.null_count() == 0 && !column.type().is_variable_width()) {
      for_each_run(
          [&](int64_t begin, int64_t end) { builder.AppendColumn(Slice(column, begin, end)); });
    } else {
      if (kept.empty()) {
        for_each_run([&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) kept.push_back(static_cast<int32_t>(row));
        });
      }
      builder.AppendGather(column, kept);
    }
    columns.push_back(builder.Finish());
  }
  if (batch.has_change_kinds()) {
    std::vector<ChangeKind> kinds;
    kinds.reserve(static_cast<size_t>(num_kept));
    for_each_run([&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) kinds.push_back(batch.change_kind(row));
    });
    return RowBatch(batch.shared_schema(), std::move(columns), std::move(kinds));
  }
  return RowBatch(batch.shared_schema(), std::move(columns), num_kept);
}

// The value under a NULL may be anything; its row is dropped.
std::vector<ChangeKind> KindsOf(const Column& column) {
  std::vector<ChangeKind> kinds(static_cast<size_t>(column.length()), ChangeKind::kInsert);
  const std::span<const int8_t> values = column.Values<int8_t>();
  for (size_t row = 0; row < kinds.size(); ++row) {
    if (column.IsValid(static_cast<int64_t>(row)))
      kinds[row] = static_cast<ChangeKind>(values[row]);
  }
  return kinds;
}

std::string Shown(std::string_view text) {
  if (text.size() <= kShownTextMax) return std::string(text);
  return std::string(text.substr(0, kShownTextMax)) + "…";
}

}  // namespace

DecodedRows::DecodedRows(const TableDescription& table, const std::vector<int>& read_columns,
                         BadRecordPolicy policy, const std::optional<ChangelogColumn>& changelog)
    : schema_(SchemaOf(table, read_columns)),
      has_kinds_(changelog.has_value()),
      fields_(schema_->fields),
      policy_(policy) {
  for (const int column : read_columns) {
    const size_t index = static_cast<size_t>(column);
    not_null_.push_back(index < table.not_null.size() ? table.not_null[index] : uint8_t{0});
    builders_.emplace_back(table.schema.fields[index].type);
  }
  if (!changelog) return;
  fields_.push_back({changelog->name, KindType()});
  not_null_.push_back(1);
  builders_.emplace_back(KindType());
}

Status DecodedRows::Bad(BadRecord record, DecodeResult* result) {
  ++result->num_bad_records;
  if (policy_ == BadRecordPolicy::kFail) {
    Place place;
    place.line = record.line;
    return Fail(
        ErrorCode::kInvalidInput,
        "bad record: " + record.reason + " ('bad-records' = 'drop' leaves such records out)",
        std::move(place));
  }
  if (record.text.size() > kBadRecordTextMax) record.text.resize(kBadRecordTextMax);
  result->bad_records.push_back(std::move(record));
  return {};
}

Status DecodedRows::BadRow(int64_t row, bool can_stay, BadRecord record, DecodeResult* result) {
  if (policy_ != BadRecordPolicy::kNull || !can_stay) dropped_rows_.push_back(row);
  return Bad(std::move(record), result);
}

Status DecodedRows::BadLastRows(int64_t count, bool can_stay, BadRecord record,
                                DecodeResult* result) {
  if (policy_ != BadRecordPolicy::kNull || !can_stay) {
    for (int64_t row = num_rows_ - count; row < num_rows_; ++row) dropped_rows_.push_back(row);
  }
  return Bad(std::move(record), result);
}

std::string DecodedRows::NotReadable(size_t column, std::string_view text) const {
  if (!is_kind_column(column)) return NotOfType(field(column), text);
  return fmt::format("column {}: '{}' is not +I, -U, +U or -D", field(column).name, Shown(text));
}

std::string DecodedRows::NullRefused(size_t column) const {
  if (is_kind_column(column)) {
    return fmt::format("column {}: NULL is not +I, -U, +U or -D", field(column).name);
  }
  return fmt::format("column {} is NOT NULL, but the value is NULL", field(column).name);
}

void DecodedRows::PrepareForMore() {
  if (num_rows_ > 0 || num_rows_taken_ == 0) return;
  // A few more, so that columns need not grow where slices have about the same size.
  const int64_t rows = num_rows_taken_ + num_rows_taken_ / 16 + 64;
  for (ColumnBuilder& builder : builders_) builder.Reserve(rows);
}

RowBatch DecodedRows::Take() {
  num_rows_taken_ = num_rows_;
  std::vector<Column> columns;
  columns.reserve(builders_.size());
  for (ColumnBuilder& builder : builders_) columns.push_back(builder.Finish());
  RowBatch batch;
  if (has_kinds_) {
    std::vector<ChangeKind> kinds = KindsOf(columns.back());
    columns.pop_back();
    batch = RowBatch(schema_, std::move(columns), std::move(kinds));
  } else {
    batch = RowBatch(schema_, std::move(columns), num_rows_);
  }
  if (!dropped_rows_.empty()) batch = WithoutRows(batch, dropped_rows_);
  Clear();
  return batch;
}

void DecodedRows::Clear() {
  for (ColumnBuilder& builder : builders_) {
    if (builder.length() > 0) builder.Finish();
  }
  num_rows_ = 0;
  dropped_rows_.clear();
}

std::string NotOfType(const Field& field, std::string_view text) {
  return fmt::format("column {}: '{}' is not a {}", field.name, Shown(text), field.type.ToString());
}

}  // namespace braid
