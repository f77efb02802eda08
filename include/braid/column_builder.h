// Builds one Column, value by value or many at once. Memory is not zeroed and grows by doubling.
//
// Ownership: Finish() hands the arrays to the Column and leaves the builder empty and usable.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "braid/data_type.h"
#include "braid/export.h"
#include "braid/row_batch.h"
#include "braid/value.h"

namespace braid {

class BRAID_EXPORT ColumnBuilder {
 public:
  explicit ColumnBuilder(DataType type);
  ~ColumnBuilder();
  ColumnBuilder(ColumnBuilder&&) noexcept;
  ColumnBuilder& operator=(ColumnBuilder&&) noexcept;

  const DataType& type() const { return type_; }
  int64_t length() const { return length_; }
  int64_t null_count() const { return null_count_; }

  // Makes room for `rows` further values (and `bytes` further string bytes).
  void Reserve(int64_t rows, int64_t bytes = 0);

  // Appends one value. REQUIRES: T is the physical type of the column's kind.
  template <typename T>
  void Append(T value) {
    if (length_ == capacity_) Reserve(1);
    static_cast<T*>(values_)[length_] = value;
    if (validity_ != nullptr) SetValidBit(length_);
    ++length_;
  }

  // Appends `count` valid values and returns where they go; the caller writes all of them.
  // The pointer is good until the next call.
  template <typename T>
  T* AppendUninitialized(int64_t count) {
    Reserve(count);
    T* first = static_cast<T*>(values_) + length_;
    ExtendValid(count);
    return first;
  }

  // REQUIRES: kString or kBytes.
  void AppendString(std::string_view value);

  void AppendNull();
  void AppendNulls(int64_t count);

  // Turns the value at `row`, already appended, into NULL.
  void SetNull(int64_t row);

  // Appends one literal. REQUIRES: value.type has this column's kind, or the value is NULL.
  void AppendValue(const Value& value);

  // Appends the values of `column` at `rows`, in that order; a negative row gives NULL.
  // REQUIRES: the column has this builder's kind.
  void AppendGather(const Column& column, std::span<const int32_t> rows);

  // Appends all of `column`.
  void AppendColumn(const Column& column);

  Column Finish();

 private:
  struct Arrays;

  void EnsureValidity();
  void SetValidBit(int64_t row) {
    validity_[row >> 3] = static_cast<uint8_t>(validity_[row >> 3] | (1U << (row & 7)));
  }
  void ClearValidBit(int64_t row) {
    validity_[row >> 3] = static_cast<uint8_t>(validity_[row >> 3] & ~(1U << (row & 7)));
  }
  // Counts `count` values at the end in, all valid.
  void ExtendValid(int64_t count);

  DataType type_;
  int64_t length_ = 0;
  int64_t null_count_ = 0;
  int64_t capacity_ = 0;
  int64_t byte_capacity_ = 0;
  uint8_t* validity_ = nullptr;  // Null until the first NULL.
  void* values_ = nullptr;       // Fixed width: the values; strings: the bytes.
  int32_t* offsets_ = nullptr;   // Strings only.
  std::unique_ptr<Arrays> arrays_;
};

// The values of `column` at `rows`, in that order; a negative row gives NULL.
BRAID_EXPORT Column Gather(const Column& column, std::span<const int32_t> rows);

// All columns of `batch` at `rows`, with the rows' kinds; a negative row gives NULLs, inserted.
BRAID_EXPORT RowBatch GatherRows(const RowBatch& batch, std::span<const int32_t> rows);

// `length` times the same value.
BRAID_EXPORT Column ConstantColumn(const Value& value, int64_t length);

// The rows of `batches` in one batch; it has kinds if one of them does. REQUIRES: at least one
// batch, equal schemas.
BRAID_EXPORT RowBatch Concatenate(std::span<const RowBatch> batches);

}  // namespace braid
