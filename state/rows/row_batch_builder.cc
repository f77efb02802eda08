#include "braid/row_batch_builder.h"

#include <utility>

#include "state/rows/check.h"

namespace braid {

RowBatchBuilder::RowBatchBuilder(std::shared_ptr<const Schema> schema)
    : schema_(std::move(schema)) {
  for (const Field& field : schema_->fields) columns_.emplace_back(field.type);
}

RowBatchBuilder::RowBatchBuilder(const Schema& schema)
    : RowBatchBuilder(std::make_shared<const Schema>(schema)) {}

void RowBatchBuilder::CheckCount(size_t count) const {
  BRAID_CHECK(count == columns_.size(), "a row has one value a column");
}

void RowBatchBuilder::SetLastKind(ChangeKind kind) {
  kinds_.resize(static_cast<size_t>(num_rows()), ChangeKind::kInsert);
  kinds_.back() = kind;
}

void RowBatchBuilder::AppendNull(int column) { this->column(column).AppendNull(); }

void RowBatchBuilder::AppendInteger(int index, int64_t value) {
  ColumnBuilder& column = this->column(index);
  switch (column.type().kind) {
    case TypeKind::kBoolean:
      return column.Append(static_cast<uint8_t>(value != 0));
    case TypeKind::kTinyInt:
      return column.Append(static_cast<int8_t>(value));
    case TypeKind::kSmallInt:
      return column.Append(static_cast<int16_t>(value));
    case TypeKind::kInt:
    case TypeKind::kDate:
      return column.Append(static_cast<int32_t>(value));
    case TypeKind::kFloat:
    case TypeKind::kDouble:
      return AppendFloating(index, static_cast<double>(value));
    case TypeKind::kBigInt:
    case TypeKind::kDecimal:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return column.Append(value);
    default:
      BRAID_CHECK(false, "an integer for a column of another kind");
  }
}

void RowBatchBuilder::AppendFloating(int index, double value) {
  ColumnBuilder& column = this->column(index);
  const TypeKind kind = column.type().kind;
  BRAID_CHECK(kind == TypeKind::kFloat || kind == TypeKind::kDouble,
              "a floating point number for a column of another kind");
  if (kind == TypeKind::kFloat) return column.Append(static_cast<float>(value));
  column.Append(value);
}

void RowBatchBuilder::AppendText(int index, std::string_view value) {
  ColumnBuilder& column = this->column(index);
  BRAID_CHECK(column.type().is_variable_width(), "text for a column of another kind");
  column.AppendString(value);
}

RowBatch RowBatchBuilder::Finish() {
  const int64_t length = num_rows();
  std::vector<Column> finished;
  for (ColumnBuilder& column : columns_) {
    BRAID_CHECK(column.length() == length, "the columns of a batch have one length");
    finished.push_back(column.Finish());
  }
  if (kinds_.empty()) return RowBatch(schema_, std::move(finished), length);
  kinds_.resize(static_cast<size_t>(length), ChangeKind::kInsert);
  return RowBatch(schema_, std::move(finished), std::exchange(kinds_, {}));
}

}  // namespace braid
