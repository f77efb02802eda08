// Reads csv. What a record is stands in csv_record.h, what a field may hold in text_value.h.
//
// Thread rule: one thread at a time (RowDecoder).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/csv_record.h"
#include "engine/connectors/format/decoded_rows.h"
#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/format/session_zone.h"
#include "engine/connectors/format/text_value.h"

namespace braid {

class CsvRowDecoder final : public RowDecoder {
 public:
  CsvRowDecoder(const TableDescription& table, const std::vector<int>& read_columns,
                CsvOptions options, const SessionZone& time_zone);

  const std::shared_ptr<const Schema>& schema() const override { return rows_.schema(); }
  void BeginFile() override;
  bool has_header() const override { return options_.header; }
  Status ResumeFile(std::string_view beginning, int64_t line) override;
  int64_t line() const override { return line_; }
  Result<size_t> Decode(std::string_view bytes, bool at_end, DecodeResult* result) override;
  int64_t num_rows() const override { return rows_.num_rows(); }
  RowBatch TakeRows() override { return rows_.Take(); }

 private:
  // Takes what stands before the first data record: byte order mark, header. Returns how many
  // bytes of `bytes` it took; not all of it is there yet if is_in_preamble_ is still set.
  Result<size_t> TakePreamble(std::string_view bytes, bool at_end);
  Status MatchHeader(std::string_view bytes, const CsvRecord& header);

  // Appends the row of a record that was scanned exactly.
  Status AddRecord(std::string_view bytes, const CsvRecord& record, DecodeResult* result);
  // Appends one value. Returns why it is bad; empty if it is not.
  std::string AddField(size_t column, std::string_view bytes, const CsvField& field);

  CsvOptions options_;
  Schema table_schema_;
  std::vector<int> read_columns_;
  DecodedRows rows_;
  std::vector<TextReader> readers_;      // One a column that is read.
  std::vector<size_t> field_of_column_;  // Likewise: where its field stands in a record.
  size_t num_fields_ = 0;                // Of a record.
  bool is_in_preamble_ = true;
  bool is_at_first_byte_ = true;
  int64_t line_ = 1;
  CsvRecord record_;
  std::string scratch_;
};

}  // namespace braid
