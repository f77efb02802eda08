// Reads the format 'raw': each line is the value of the table's one STRING column. Bytes that are
// no UTF-8 become U+FFFD.
//
// Thread rule: one thread at a time (RowDecoder).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "braid/column_builder.h"
#include "braid/error.h"
#include "engine/connectors/format/row_decoder.h"

namespace braid {

class RawRowDecoder final : public RowDecoder {
 public:
  // kInvalidOption unless the table has one column, a STRING.
  static Result<std::unique_ptr<RowDecoder>> New(const TableDescription& table,
                                                 const std::vector<int>& read_columns);

  const std::shared_ptr<const Schema>& schema() const override { return schema_; }
  void BeginFile() override { line_ = 1; }
  bool has_header() const override { return false; }
  Status ResumeFile(std::string_view beginning, int64_t line) override;
  int64_t line() const override { return line_; }
  Result<size_t> Decode(std::string_view bytes, bool at_end, DecodeResult* result) override;
  int64_t num_rows() const override { return num_rows_; }
  RowBatch TakeRows() override;

 private:
  explicit RawRowDecoder(Schema schema);

  std::shared_ptr<const Schema> schema_;  // No column if none is read.
  ColumnBuilder builder_;
  int64_t num_rows_ = 0;
  int64_t line_ = 1;
};

}  // namespace braid
