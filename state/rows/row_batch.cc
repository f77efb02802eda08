#include "braid/row_batch.h"

#include <fmt/format.h>

#include "braid/schema.h"

namespace braid {

int DataType::byte_width() const {
  switch (kind) {
    case TypeKind::kNull:
    case TypeKind::kBoolean:
    case TypeKind::kTinyInt:
      return 1;
    case TypeKind::kSmallInt:
      return 2;
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kDate:
      return 4;
    case TypeKind::kString:
    case TypeKind::kBytes:
      return 0;
    default:
      return 8;
  }
}

std::string DataType::ToString() const {
  switch (kind) {
    case TypeKind::kNull:
      return "NULL";
    case TypeKind::kBoolean:
      return "BOOLEAN";
    case TypeKind::kTinyInt:
      return "TINYINT";
    case TypeKind::kSmallInt:
      return "SMALLINT";
    case TypeKind::kInt:
      return "INT";
    case TypeKind::kBigInt:
      return "BIGINT";
    case TypeKind::kFloat:
      return "FLOAT";
    case TypeKind::kDouble:
      return "DOUBLE";
    case TypeKind::kDecimal:
      return fmt::format("DECIMAL({}, {})", precision, scale);
    case TypeKind::kString:
      return length == 0 ? "STRING" : fmt::format("VARCHAR({})", length);
    case TypeKind::kBytes:
      return length == 0 ? "BYTES" : fmt::format("VARBINARY({})", length);
    case TypeKind::kDate:
      return "DATE";
    case TypeKind::kTimestamp:
      return fmt::format("TIMESTAMP({})", precision);
    case TypeKind::kTimestampLtz:
      return fmt::format("TIMESTAMP_LTZ({})", precision);
    case TypeKind::kIntervalDay:
      return "INTERVAL DAY TO SECOND";
    case TypeKind::kIntervalMonth:
      return "INTERVAL YEAR TO MONTH";
  }
  return "?";
}

std::optional<int> Schema::IndexOf(std::string_view name) const {
  for (int index = 0; index < num_columns(); ++index) {
    if (fields[static_cast<size_t>(index)].name == name) return index;
  }
  return std::nullopt;
}

std::string Schema::ToString() const {
  std::string text;
  for (const Field& field : fields) {
    if (!text.empty()) text += ", ";
    text += field.name + " " + field.type.ToString();
  }
  return text;
}

int64_t RowBatch::byte_size() const {
  int64_t bytes = 0;
  for (const Column& column : columns_) bytes += column.byte_size();
  return bytes;
}

int64_t Column::byte_size() const {
  int64_t bytes = validity_ == nullptr ? 0 : (length_ + 7) / 8;
  if (type_.is_variable_width()) {
    bytes += (length_ + 1) * static_cast<int64_t>(sizeof(int32_t));
    if (length_ > 0) bytes += offsets_[length_] - offsets_[0];
  } else {
    bytes += length_ * type_.byte_width();
  }
  return bytes;
}

}  // namespace braid
