// The rows that a decoder has made and not yet given away, and what became of bad records.
//
// A decoder appends one value to each column's builder for each row, whatever happens; then it
// reports a bad record with Bad, which counts and keeps it and decides by the policy whether its
// row stays. Dropped rows are taken out by Take, so good rows pay nothing for them.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "braid/column_builder.h"
#include "braid/connector.h"
#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/connectors/format/row_decoder.h"

namespace braid {

class DecodedRows {
 public:
  // REQUIRES: `read_columns` are indexes of the table's columns.
  DecodedRows(const TableDescription& table, const std::vector<int>& read_columns,
              BadRecordPolicy policy);

  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  size_t num_columns() const { return builders_.size(); }
  const Field& field(size_t column) const { return schema_->fields[column]; }
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

  RowBatch Take();

  // Forgets all rows.
  void Clear();

 private:
  std::shared_ptr<const Schema> schema_;
  std::vector<uint8_t> not_null_;
  BadRecordPolicy policy_;
  std::vector<ColumnBuilder> builders_;
  int64_t num_rows_ = 0;
  int64_t num_rows_taken_ = 0;         // By the last Take.
  std::vector<int64_t> dropped_rows_;  // Rising.
};

// "column price: 'abc' is not a DOUBLE", with a long text cut.
std::string NotOfType(const Field& field, std::string_view text);

// "column price is NOT NULL, but the value is NULL"
std::string NotNullViolated(const Field& field);

}  // namespace braid
