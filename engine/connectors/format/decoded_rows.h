// The rows that a decoder has made and not yet given away, and what became of bad records.
//
// A decoder appends one value to each column's builder for each row, whatever happens; then it
// reports a bad record with Bad, which counts and keeps it and decides by the policy whether its
// row stays. Dropped rows are taken out by Take, so good rows pay nothing for them.
//
// Rows of a changelog have one column more behind those of the schema: the kinds, as TINYINT
// (KindType). It is NOT NULL, so that a row without a kind never stays.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/column_builder.h"
#include "braid/connector.h"
#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/format/row_decoder.h"

namespace braid {

class DecodedRows {
 public:
  static DataType KindType() { return DataType::TinyInt(); }

  // `changelog`: what holds the kinds, for messages; absent: rows are insertions.
  // REQUIRES: `read_columns` are indexes of the table's columns.
  DecodedRows(const TableDescription& table, const std::vector<int>& read_columns,
              BadRecordPolicy policy,
              const std::optional<ChangelogColumn>& changelog = std::nullopt);

  // Of the rows that Take gives.
  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  bool has_kinds() const { return has_kinds_; }
  // With that of the kinds.
  size_t num_columns() const { return builders_.size(); }
  const Field& field(size_t column) const { return fields_[column]; }
  // REQUIRES: has_kinds().
  size_t kind_column() const { return builders_.size() - 1; }
  bool is_kind_column(size_t column) const { return has_kinds_ && column == kind_column(); }
  BadRecordPolicy policy() const { return policy_; }
  bool is_not_null(size_t column) const { return not_null_[column] != 0; }
  ColumnBuilder& builder(size_t column) { return builders_[column]; }

  // To be called before rows are appended: makes room for as many as were taken the last time.
  void PrepareForMore();

  // Counts `rows` further rows, whose values are in the builders.
  void AddRows(int64_t rows) { num_rows_ += rows; }
  int64_t num_rows() const { return num_rows_; }

  // A bad record without a row. Fails under kFail.
  Status Bad(BadRecord record, DecodeResult* result);

  // A bad record whose row is `row`. It stays under kNull if `can_stay`. Fails under kFail.
  // REQUIRES: called once a row, in rising order of rows.
  Status BadRow(int64_t row, bool can_stay, BadRecord record, DecodeResult* result);

  // The same for a bad record whose rows are the `count` last ones: all of them stay, or none.
  Status BadLastRows(int64_t count, bool can_stay, BadRecord record, DecodeResult* result);

  // "column price: 'abc' is not a DOUBLE", "column op: 'x' is not +I, -U, +U or -D"; a long text is
  // cut.
  std::string NotReadable(size_t column, std::string_view text) const;

  // "column price is NOT NULL, but the value is NULL". REQUIRES: is_not_null(column).
  std::string NullRefused(size_t column) const;

  RowBatch Take();

  // Forgets all rows.
  void Clear();

 private:
  std::shared_ptr<const Schema> schema_;
  bool has_kinds_;
  std::vector<Field> fields_;
  std::vector<uint8_t> not_null_;
  BadRecordPolicy policy_;
  std::vector<ColumnBuilder> builders_;
  int64_t num_rows_ = 0;
  int64_t num_rows_taken_ = 0;         // By the last Take.
  std::vector<int64_t> dropped_rows_;  // Rising.
};

// "column price: 'abc' is not a DOUBLE", with a long text cut.
std::string NotOfType(const Field& field, std::string_view text);

}  // namespace braid
