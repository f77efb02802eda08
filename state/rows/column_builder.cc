#include "braid/column_builder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "state/rows/check.h"
#include "state/rows/vector_clones.h"

namespace braid {

namespace {

constexpr int64_t kInitialRows = 64;

struct FreeDeleter {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeDeleter>;

// Grows `memory`; the new part is not initialised.
void Resize(Memory* memory, int64_t bytes) {
  void* grown = std::realloc(memory->get(), static_cast<size_t>(std::max<int64_t>(bytes, 1)));
  BRAID_CHECK(grown != nullptr, "out of memory");
  (void)memory->release();
  memory->reset(grown);
}

int64_t BitmapBytes(int64_t bits) { return (bits + 7) / 8; }

}  // namespace

struct ColumnBuilder::Arrays {
  Memory validity;
  Memory values;
  Memory offsets;
};

ColumnBuilder::ColumnBuilder(DataType type) : type_(type), arrays_(std::make_unique<Arrays>()) {}
ColumnBuilder::~ColumnBuilder() = default;
ColumnBuilder::ColumnBuilder(ColumnBuilder&&) noexcept = default;
ColumnBuilder& ColumnBuilder::operator=(ColumnBuilder&&) noexcept = default;

void ColumnBuilder::Reserve(int64_t rows, int64_t bytes) {
  const bool strings = type_.is_variable_width();
  if (length_ + rows > capacity_) {
    capacity_ = std::max({length_ + rows, capacity_ * 2, kInitialRows});
    if (strings) {
      const bool first = offsets_ == nullptr;
      Resize(&arrays_->offsets, (capacity_ + 1) * static_cast<int64_t>(sizeof(int32_t)));
      offsets_ = static_cast<int32_t*>(arrays_->offsets.get());
      if (first) offsets_[0] = 0;
    } else {
      Resize(&arrays_->values, capacity_ * type_.byte_width());
      values_ = arrays_->values.get();
    }
    if (validity_ != nullptr) {
      Resize(&arrays_->validity, BitmapBytes(capacity_));
      validity_ = static_cast<uint8_t*>(arrays_->validity.get());
    }
  }
  if (strings) {
    const int64_t used = length_ == 0 ? 0 : offsets_[length_];
    if (used + bytes > byte_capacity_ || values_ == nullptr) {
      byte_capacity_ = std::max({used + bytes, byte_capacity_ * 2, kInitialRows});
      Resize(&arrays_->values, byte_capacity_);
      values_ = arrays_->values.get();
    }
  }
}

void ColumnBuilder::EnsureValidity() {
  if (validity_ != nullptr) return;
  Resize(&arrays_->validity, BitmapBytes(capacity_));
  validity_ = static_cast<uint8_t*>(arrays_->validity.get());
  std::memset(validity_, 0xff, static_cast<size_t>(BitmapBytes(length_)));
}

void ColumnBuilder::ExtendValid(int64_t count) {
  if (validity_ != nullptr) {
    for (int64_t row = length_; row < length_ + count; ++row) SetValidBit(row);
  }
  length_ += count;
}

void ColumnBuilder::AppendString(std::string_view value) {
  const int64_t used = length_ == 0 ? 0 : offsets_[length_];
  if (length_ == capacity_ || used + static_cast<int64_t>(value.size()) > byte_capacity_ ||
      values_ == nullptr) {
    Reserve(1, static_cast<int64_t>(value.size()));
  }
  BRAID_CHECK(used + static_cast<int64_t>(value.size()) <= INT32_MAX,
              "a column of strings is limited to 2 GiB");
  if (!value.empty()) std::memcpy(static_cast<char*>(values_) + used, value.data(), value.size());
  offsets_[length_ + 1] = static_cast<int32_t>(used + static_cast<int64_t>(value.size()));
  if (validity_ != nullptr) SetValidBit(length_);
  ++length_;
}

void ColumnBuilder::AppendNull() { AppendNulls(1); }

void ColumnBuilder::AppendNulls(int64_t count) {
  if (count == 0) return;
  Reserve(count);
  EnsureValidity();
  if (type_.is_variable_width()) {
    for (int64_t row = length_; row < length_ + count; ++row) offsets_[row + 1] = offsets_[row];
  } else {
    std::memset(static_cast<char*>(values_) + length_ * type_.byte_width(), 0,
                static_cast<size_t>(count * type_.byte_width()));
  }
  for (int64_t row = length_; row < length_ + count; ++row) ClearValidBit(row);
  length_ += count;
  null_count_ += count;
}

void ColumnBuilder::SetNull(int64_t row) {
  EnsureValidity();
  if (((validity_[row >> 3] >> (row & 7)) & 1) == 0) return;
  ClearValidBit(row);
  ++null_count_;
}

void ColumnBuilder::AppendValue(const Value& value) {
  if (value.is_null()) return AppendNull();
  switch (type_.kind) {
    case TypeKind::kNull:
      return AppendNull();
    case TypeKind::kBoolean:
      return Append(static_cast<uint8_t>(value.integer()));
    case TypeKind::kTinyInt:
      return Append(static_cast<int8_t>(value.integer()));
    case TypeKind::kSmallInt:
      return Append(static_cast<int16_t>(value.integer()));
    case TypeKind::kInt:
    case TypeKind::kDate:
      return Append(static_cast<int32_t>(value.integer()));
    case TypeKind::kFloat:
      return Append(static_cast<float>(value.floating()));
    case TypeKind::kDouble:
      return Append(value.floating());
    case TypeKind::kString:
    case TypeKind::kBytes:
      return AppendString(value.text());
    case TypeKind::kBigInt:
    case TypeKind::kDecimal:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
    case TypeKind::kIntervalDay:
    case TypeKind::kIntervalMonth:
      return Append(value.integer());
  }
}

namespace {

template <typename T>
void GatherFixed(const T* from, std::span<const int32_t> rows, T* to) {
  for (size_t i = 0; i < rows.size(); ++i) to[i] = rows[i] < 0 ? T{} : from[rows[i]];
}

BRAID_VECTOR_CLONES bool AnyNegative(std::span<const int32_t> rows) {
  int32_t signs = 0;
  for (const int32_t row : rows) signs |= row;
  return signs < 0;
}

}  // namespace

void ColumnBuilder::AppendGather(const Column& column, std::span<const int32_t> rows) {
  const int64_t first = length_;
  const int64_t count = static_cast<int64_t>(rows.size());
  if (count == 0) return;
  if (type_.is_variable_width()) {
    int64_t bytes = 0;
    for (const int32_t row : rows) {
      if (row >= 0) bytes += column.offsets()[row + 1] - column.offsets()[row];
    }
    Reserve(count, bytes);
    for (const int32_t row : rows) {
      AppendString(row < 0 ? std::string_view() : column.String(row));
    }
  } else {
    Reserve(count);
    char* to = static_cast<char*>(values_) + length_ * type_.byte_width();
    const void* from = column.raw_values();
    switch (type_.byte_width()) {
      case 1:
        GatherFixed(static_cast<const uint8_t*>(from), rows, reinterpret_cast<uint8_t*>(to));
        break;
      case 2:
        GatherFixed(static_cast<const uint16_t*>(from), rows, reinterpret_cast<uint16_t*>(to));
        break;
      case 4:
        GatherFixed(static_cast<const uint32_t*>(from), rows, reinterpret_cast<uint32_t*>(to));
        break;
      default:
        GatherFixed(static_cast<const uint64_t*>(from), rows, reinterpret_cast<uint64_t*>(to));
        break;
    }
    ExtendValid(count);
  }
  if (column.null_count() == 0 && !AnyNegative(rows)) return;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t row = rows[static_cast<size_t>(i)];
    if (row < 0 || column.IsNull(row)) SetNull(first + i);
  }
}

void ColumnBuilder::AppendColumn(const Column& column) {
  const int64_t first = length_;
  const int64_t count = column.length();
  if (count == 0) return;
  if (type_.is_variable_width()) {
    const int64_t used = length_ == 0 ? 0 : offsets_[length_];
    const int32_t* from = column.offsets();
    const int64_t bytes = from[count] - from[0];
    Reserve(count, bytes);
    BRAID_CHECK(used + bytes <= INT32_MAX, "a column of strings is limited to 2 GiB");
    if (bytes > 0) {
      std::memcpy(static_cast<char*>(values_) + used,
                  static_cast<const char*>(column.raw_values()) + from[0],
                  static_cast<size_t>(bytes));
    }
    for (int64_t i = 1; i <= count; ++i) {
      offsets_[length_ + i] = static_cast<int32_t>(used + from[i] - from[0]);
    }
    ExtendValid(count);
  } else {
    Reserve(count);
    std::memcpy(static_cast<char*>(values_) + length_ * type_.byte_width(), column.raw_values(),
                static_cast<size_t>(count * type_.byte_width()));
    ExtendValid(count);
  }
  if (column.null_count() > 0) {
    for (int64_t i = 0; i < count; ++i) {
      if (column.IsNull(i)) SetNull(first + i);
    }
  }
}

Column ColumnBuilder::Finish() {
  if (values_ == nullptr || (type_.is_variable_width() && offsets_ == nullptr)) Reserve(1);
  std::shared_ptr<Arrays> owner(std::move(arrays_));
  Column column(type_, length_, null_count_, validity_, values_, offsets_, owner);
  arrays_ = std::make_unique<Arrays>();
  length_ = null_count_ = capacity_ = byte_capacity_ = 0;
  validity_ = nullptr;
  values_ = nullptr;
  offsets_ = nullptr;
  return column;
}

Column Gather(const Column& column, std::span<const int32_t> rows) {
  ColumnBuilder builder(column.type());
  builder.AppendGather(column, rows);
  return builder.Finish();
}

RowBatch GatherRows(const RowBatch& batch, std::span<const int32_t> rows) {
  std::vector<Column> columns;
  columns.reserve(batch.columns().size());
  for (const Column& column : batch.columns()) columns.push_back(Gather(column, rows));
  if (batch.has_change_kinds()) {
    std::vector<ChangeKind> kinds;
    kinds.reserve(rows.size());
    for (const int32_t row : rows) {
      kinds.push_back(row < 0 ? ChangeKind::kInsert : batch.change_kind(row));
    }
    return RowBatch(batch.shared_schema(), std::move(columns), std::move(kinds));
  }
  return RowBatch(batch.shared_schema(), std::move(columns), static_cast<int64_t>(rows.size()));
}

Column ConstantColumn(const Value& value, int64_t length) {
  ColumnBuilder builder(value.type);
  builder.Reserve(length);
  for (int64_t row = 0; row < length; ++row) builder.AppendValue(value);
  return builder.Finish();
}

RowBatch Concatenate(std::span<const RowBatch> batches) {
  BRAID_CHECK(!batches.empty(), "nothing to concatenate");
  if (batches.size() == 1) return batches[0];
  int64_t num_rows = 0;
  for (const RowBatch& batch : batches) num_rows += batch.num_rows();
  std::vector<Column> columns;
  for (int index = 0; index < batches[0].num_columns(); ++index) {
    ColumnBuilder builder(batches[0].column(index).type());
    builder.Reserve(num_rows);
    for (const RowBatch& batch : batches) builder.AppendColumn(batch.column(index));
    columns.push_back(builder.Finish());
  }
  const bool has_kinds = std::any_of(batches.begin(), batches.end(), [](const RowBatch& batch) {
    return batch.has_change_kinds();
  });
  if (!has_kinds) return RowBatch(batches[0].shared_schema(), std::move(columns), num_rows);
  std::vector<ChangeKind> kinds;
  kinds.reserve(static_cast<size_t>(num_rows));
  for (const RowBatch& batch : batches) {
    for (int64_t row = 0; row < batch.num_rows(); ++row) kinds.push_back(batch.change_kind(row));
  }
  return RowBatch(batches[0].shared_schema(), std::move(columns), std::move(kinds));
}

}  // namespace braid
