// Columnar rows in Arrow's layout: what sources give, kernels read and sinks take.
//
// A Column is an immutable array of values of one type: a validity bitmap (bit i of byte i/8, least
// significant first, 1 = valid; absent when nothing is NULL), values, and for strings offsets and
// bytes. Copying a Column or a RowBatch copies pointers; the arrays live as long as any copy does.
// Values under a cleared validity bit are unspecified but may be read.
//
// Thread rule: immutable; any number of threads may read one.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/change_kind.h"
#include "braid/data_type.h"
#include "braid/export.h"
#include "braid/schema.h"
#include "braid/time.h"

namespace braid {

class BRAID_EXPORT Column {
 public:
  Column() = default;

  // Wraps arrays that `owner` keeps alive. `validity` may be null (nothing is NULL); `offsets` is
  // null except for kString and kBytes, whose bytes `values` then points to.
  Column(DataType type, int64_t length, int64_t null_count, const uint8_t* validity,
         const void* values, const int32_t* offsets, std::shared_ptr<const void> owner)
      : type_(type),
        length_(length),
        null_count_(null_count),
        validity_(null_count == 0 ? nullptr : validity),
        values_(values),
        offsets_(offsets),
        owner_(std::move(owner)) {}

  const DataType& type() const { return type_; }
  int64_t length() const { return length_; }
  int64_t null_count() const { return null_count_; }

  // Null when no value is NULL.
  const uint8_t* validity() const { return validity_; }

  bool IsNull(int64_t row) const {
    return validity_ != nullptr && ((validity_[row >> 3] >> (row & 7)) & 1) == 0;
  }
  bool IsValid(int64_t row) const { return !IsNull(row); }

  // The values array. REQUIRES: T is the physical type of the column's kind (data_type.h).
  template <typename T>
  std::span<const T> Values() const {
    assert(static_cast<int>(sizeof(T)) == type_.byte_width());
    return {static_cast<const T*>(values_), static_cast<size_t>(length_)};
  }

  // REQUIRES: kString or kBytes.
  std::string_view String(int64_t row) const {
    const char* bytes = static_cast<const char*>(values_);
    return {bytes + offsets_[row], static_cast<size_t>(offsets_[row + 1] - offsets_[row])};
  }
  const int32_t* offsets() const { return offsets_; }
  const void* raw_values() const { return values_; }

  // Bytes of all arrays.
  int64_t byte_size() const;

 private:
  DataType type_;
  int64_t length_ = 0;
  int64_t null_count_ = 0;
  const uint8_t* validity_ = nullptr;
  const void* values_ = nullptr;
  const int32_t* offsets_ = nullptr;
  std::shared_ptr<const void> owner_;
};

class BRAID_EXPORT RowBatch {
 public:
  RowBatch() = default;

  // REQUIRES: one column a field, of its type, each `num_rows` long.
  RowBatch(std::shared_ptr<const Schema> schema, std::vector<Column> columns, int64_t num_rows)
      : schema_(std::move(schema)), columns_(std::move(columns)), num_rows_(num_rows) {}

  // Rows of a changelog. REQUIRES: one kind a row.
  RowBatch(std::shared_ptr<const Schema> schema, std::vector<Column> columns,
           std::vector<ChangeKind> kinds)
      : schema_(std::move(schema)),
        columns_(std::move(columns)),
        num_rows_(static_cast<int64_t>(kinds.size())),
        change_kinds_(std::make_shared<const std::vector<ChangeKind>>(std::move(kinds))) {}

  // Whether its rows say what they change; if not, all are insertions.
  bool has_change_kinds() const { return change_kinds_ != nullptr; }
  ChangeKind change_kind(int64_t row) const {
    return has_change_kinds() ? (*change_kinds_)[static_cast<size_t>(row)] : ChangeKind::kInsert;
  }

  // The same rows, of the same kinds, with other columns. REQUIRES: as the first constructor.
  RowBatch WithColumns(std::shared_ptr<const Schema> schema, std::vector<Column> columns) const {
    RowBatch rows(std::move(schema), std::move(columns), num_rows_);
    rows.change_kinds_ = change_kinds_;
    return rows;
  }

  int64_t num_rows() const { return num_rows_; }
  int num_columns() const { return static_cast<int>(columns_.size()); }
  const Schema& schema() const { return *schema_; }
  const std::shared_ptr<const Schema>& shared_schema() const { return schema_; }
  const Column& column(int index) const { return columns_[static_cast<size_t>(index)]; }
  const std::vector<Column>& columns() const { return columns_; }

  // Bytes of all arrays of all columns.
  int64_t byte_size() const;

  // One value, for programs that look at single rows. REQUIRES: the column's kind fits the name.
  bool IsNull(int column_index, int64_t row) const { return column(column_index).IsNull(row); }
  bool Boolean(int column_index, int64_t row) const {
    return column(column_index).Values<uint8_t>()[static_cast<size_t>(row)] != 0;
  }
  int32_t Int32(int column_index, int64_t row) const {
    return column(column_index).Values<int32_t>()[static_cast<size_t>(row)];
  }
  int64_t Int64(int column_index, int64_t row) const {
    return column(column_index).Values<int64_t>()[static_cast<size_t>(row)];
  }
  double Double(int column_index, int64_t row) const {
    return column(column_index).Values<double>()[static_cast<size_t>(row)];
  }
  std::string_view String(int column_index, int64_t row) const {
    return column(column_index).String(row);
  }
  EventTime Time(int column_index, int64_t row) const { return {Int64(column_index, row)}; }

 private:
  std::shared_ptr<const Schema> schema_;
  std::vector<Column> columns_;
  int64_t num_rows_ = 0;
  std::shared_ptr<const std::vector<ChangeKind>> change_kinds_;  // Null: all insertions.
};

}  // namespace braid
