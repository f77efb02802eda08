// Reads csv. What a record is stands in csv_record.h, what a field may hold in text_value.h.
//
// Bytes are taken in blocks that fit into the processor's cache. In a block all separators are
// found first, then each column is read on its own, straight into its memory (csv_kernels.h). The
// separators also show which records have a wrong number of fields; those, and what the index does
// not understand, are read one by one.
//
// Thread rule: one thread at a time (RowDecoder).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/connectors/format/changelog_column.h"
#include "engine/connectors/format/csv_column_reader.h"
#include "engine/connectors/format/csv_kernels.h"
#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/csv_record.h"
#include "engine/connectors/format/decoded_rows.h"
#include "engine/connectors/format/row_decoder.h"
#include "state/rows/time_zone.h"

namespace braid {

class CsvRowDecoder final : public RowDecoder {
 public:
  // `kernels` must outlive the decoder.
  CsvRowDecoder(const TableDescription& table, const std::vector<int>& read_columns,
                CsvOptions options, const TimeZonePtr& time_zone,
                const CsvKernels& kernels = BestCsvKernels(),
                const std::optional<ChangelogColumn>& changelog = std::nullopt);
  // Not moved: the column readers refer to options_.
  CsvRowDecoder(const CsvRowDecoder&) = delete;
  CsvRowDecoder& operator=(const CsvRowDecoder&) = delete;

  const std::shared_ptr<const Schema>& schema() const override { return rows_.schema(); }
  void BeginFile() override;
  bool gives_changes() const override { return rows_.has_kinds(); }
  bool has_header() const override { return options_.header; }
  Status ResumeFile(std::string_view beginning, int64_t line) override;
  int64_t line() const override { return line_; }
  Result<size_t> Decode(std::string_view bytes, bool at_end, DecodeResult* result) override;
  int64_t num_rows() const override { return rows_.num_rows(); }
  RowBatch TakeRows() override { return rows_.Take(); }

 private:
  int64_t CountLines(std::string_view bytes) const;
  // Takes what stands before the first data record: byte order mark, header. Returns how many
  // bytes of `bytes` it took; not all of it is there yet if is_in_preamble_ is still set.
  Result<size_t> TakePreamble(std::string_view bytes, bool at_end);
  Status MatchHeader(std::string_view bytes, const CsvRecord& header);

  // Decodes whole records at bytes[position...] by the fast loops, as far as these go, and returns
  // how many bytes they took. Records that begin before exact_until_ are then to be read exactly.
  Result<size_t> DecodeBlock(std::string_view bytes, size_t position, DecodeResult* result);
  // How many bytes from the front of `rest` hold no comment line and no escape.
  size_t BlockSize(std::string_view rest) const;
  // True if all separators belong to rows of num_fields_ fields.
  bool IsRegular(const uint32_t* separators, size_t num_separators, size_t num_line_ends) const;
  // Walks over the records of a block in which not all are plain rows.
  Status DecodeMixed(size_t num_separators, DecodeResult* result);
  // Appends rows of num_fields_ fields each, whose separators begin at separators_[first].
  Status DecodeRun(size_t first, size_t num_rows, DecodeResult* result);
  // Where the fields of `column` stand in a run, without what the loops do not understand: the
  // '\r' of a line end and quotes around numbers.
  CsvFields FieldsOf(size_t column, size_t first, size_t num_rows);
  Status ReportFaults(size_t first, int64_t first_row, DecodeResult* result);

  // Appends the row of a record that was scanned exactly, if it has one.
  Status AddRecord(std::string_view bytes, const CsvRecord& record, DecodeResult* result);
  // Why a field was not read.
  std::string FaultOf(size_t column, std::string_view raw);

  // A field of a run that is bad.
  struct Fault {
    uint32_t row = 0;  // Of the run.
    size_t column = 0;
  };

  CsvOptions options_;
  const CsvKernels& kernels_;
  Schema data_schema_;             // What a record holds: the table, and the column of kinds.
  std::vector<int> data_columns_;  // One a column of rows_: its place in data_schema_.
  DecodedRows rows_;
  std::vector<CsvColumnReader> readers_;  // One a column that is read.
  std::vector<size_t> field_of_column_;   // Likewise: where its field stands in a record.
  size_t num_fields_ = 0;                 // Of a record.
  bool reads_strings_ = false;
  bool is_in_preamble_ = true;
  bool is_at_first_byte_ = true;
  int64_t line_ = 1;
  CsvRecord record_;
  std::string scratch_;

  // Of the block that is being decoded.
  std::string_view readable_;  // All bytes of the call.
  std::string_view block_;
  bool block_has_returns_ = false;
  size_t counted_bytes_ = 0;  // Of the block: line_ is that of the byte behind them.
  size_t exact_until_ = 0;
  std::vector<uint32_t> separators_;   // Positions in the block; the first one is -1.
  std::vector<uint32_t> bare_fields_;  // Like separators_, of one column.
  std::vector<uint32_t> bad_rows_;
  std::vector<Fault> faults_;
};

}  // namespace braid
