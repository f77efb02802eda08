#include "engine/connectors/format/decoded_rows.h"

#include <fmt/format.h>

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

std::string Shown(std::string_view text) {
  if (text.size() <= kShownTextMax) return std::string(text);
  return std::string(text.substr(0, kShownTextMax)) + "…";
}

}  // namespace

DecodedRows::DecodedRows(const TableDescription& table, const std::vector<int>& read_columns,
                         BadRecordPolicy policy)
    : schema_(SchemaOf(table, read_columns)), policy_(policy) {
  for (const int column : read_columns) {
    const size_t index = static_cast<size_t>(column);
    not_null_.push_back(index < table.not_null.size() ? table.not_null[index] : uint8_t{0});
    builders_.emplace_back(table.schema.fields[index].type);
  }
}

Status DecodedRows::Bad(BadRecord record, DecodeResult* result) {
  ++result->num_bad_records;
  if (policy_ == BadRecordPolicy::kFail) {
    Place place;
    place.line = record.line;
    return Fail(ErrorCode::kInvalidInput, "bad record: " + record.reason, std::move(place));
  }
  if (record.text.size() > kBadRecordTextMax) record.text.resize(kBadRecordTextMax);
  result->bad_records.push_back(std::move(record));
  return {};
}

Status DecodedRows::BadRow(int64_t row, bool can_stay, BadRecord record, DecodeResult* result) {
  if (policy_ != BadRecordPolicy::kNull || !can_stay) dropped_rows_.push_back(row);
  return Bad(std::move(record), result);
}

void DecodedRows::PrepareForMore() {
  if (num_rows_ > 0 || num_rows_taken_ == 0) return;
  for (ColumnBuilder& builder : builders_) builder.Reserve(num_rows_taken_);
}

RowBatch DecodedRows::Take() {
  num_rows_taken_ = num_rows_;
  std::vector<Column> columns;
  columns.reserve(builders_.size());
  for (ColumnBuilder& builder : builders_) columns.push_back(builder.Finish());
  RowBatch batch(schema_, std::move(columns), num_rows_);
  if (!dropped_rows_.empty()) {
    std::vector<int32_t> kept;
    kept.reserve(static_cast<size_t>(num_rows_));
    size_t next_dropped = 0;
    for (int64_t row = 0; row < num_rows_; ++row) {
      if (next_dropped < dropped_rows_.size() && dropped_rows_[next_dropped] == row) {
        ++next_dropped;
      } else {
        kept.push_back(static_cast<int32_t>(row));
      }
    }
    batch = GatherRows(batch, kept);
  }
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

std::string NotNullViolated(const Field& field) {
  return fmt::format("column {} is NOT NULL, but the value is NULL", field.name);
}

}  // namespace braid
