// Builds a RowBatch, row by row or column by column.
//
//   RowBatchBuilder rows(stream->shared_schema());
//   rows.Append(int64_t{7}, EventTime{1'000'000}, "text", std::nullopt);
//   stream->Push(rows.Finish());
//
// Ownership: Finish hands the arrays over and leaves the builder empty and usable.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "braid/change_kind.h"
#include "braid/column_builder.h"
#include "braid/export.h"
#include "braid/row_batch.h"
#include "braid/schema.h"
#include "braid/time.h"

namespace braid {

class BRAID_EXPORT RowBatchBuilder {
 public:
  explicit RowBatchBuilder(std::shared_ptr<const Schema> schema);
  explicit RowBatchBuilder(const Schema& schema);

  // One row: a value a column. Any integer goes into an integer column and, as unscaled digits,
  // into a DECIMAL, any number into a FLOAT or DOUBLE, an EventTime or microseconds into a
  // timestamp, days into a DATE, text into STRING and BYTES, std::nullopt everywhere, and an
  // optional of each. REQUIRES: as many values as columns, of these kinds, and within the column's
  // range.
  template <typename... Values>
  void Append(const Values&... values) {
    CheckCount(sizeof...(Values));
    int column = 0;
    (AppendCell(column++, values), ...);
  }

  // One row of a changelog; rows of Append are insertions. REQUIRES: as Append, and a column.
  template <typename... Values>
  void AppendChange(ChangeKind kind, const Values&... values) {
    Append(values...);
    SetLastKind(kind);
  }

  // For bulk: the columns on their own. REQUIRES: all of one length when Finish is called.
  ColumnBuilder& column(int index) { return columns_[static_cast<size_t>(index)]; }

  int64_t num_rows() const { return columns_.empty() ? 0 : columns_.front().length(); }
  const std::shared_ptr<const Schema>& shared_schema() const { return schema_; }

  RowBatch Finish();

 private:
  template <typename T>
  void AppendCell(int column, const T& value) {
    if constexpr (std::is_same_v<T, std::nullopt_t>) {
      AppendNull(column);
    } else if constexpr (std::is_same_v<T, EventTime>) {
      AppendInteger(column, value.micros);
    } else if constexpr (std::is_floating_point_v<T>) {
      AppendFloating(column, value);
    } else if constexpr (std::is_integral_v<T>) {
      AppendInteger(column, static_cast<int64_t>(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      AppendText(column, value);
    } else if (value.has_value()) {
      AppendCell(column, *value);
    } else {
      AppendNull(column);
    }
  }

  void CheckCount(size_t count) const;
  void SetLastKind(ChangeKind kind);
  void AppendNull(int column);
  void AppendInteger(int column, int64_t value);
  void AppendFloating(int column, double value);
  void AppendText(int column, std::string_view value);

  std::shared_ptr<const Schema> schema_;
  std::vector<ColumnBuilder> columns_;
  std::vector<ChangeKind> kinds_;  // Of the first rows; empty while all are insertions.
};

}  // namespace braid
