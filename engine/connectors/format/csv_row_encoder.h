// Writes csv, so that csv_record.h reads the same values back.
//
// A field is quoted only if it must be: it holds a delimiter, a quote or a line end, begins a line
// like a comment, or equals the null literal. An empty string is written "", so that it differs
// from NULL, which is the null literal or nothing.
// Thread rule: immutable (RowEncoder).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/connectors/format/csv_options.h"
#include "engine/connectors/format/row_encoder.h"
#include "engine/connectors/format/text_buffer.h"
#include "engine/connectors/format/value_writer.h"

namespace braid {

class CsvRowEncoder final : public RowEncoder {
 public:
  CsvRowEncoder(const TableDescription& table, CsvOptions options);

  void AppendHeader(std::string* bytes) const override;
  Status Encode(const RowBatch& rows, std::string* bytes) const override;

 private:
  // Appends a value that may need quotes; false if it cannot be written.
  bool AppendWithCare(const Column& column, int64_t row, bool is_first, ValueWriter* writer,
                      TextBuffer* bytes) const;
  // Appends one field that may need quotes; false if it cannot be written.
  bool AppendText(std::string_view text, bool is_first, TextBuffer* bytes) const;
  bool AppendUnquoted(std::string_view text, TextBuffer* bytes) const;
  void AppendNull(bool is_only, TextBuffer* bytes) const;

  CsvOptions options_;
  std::string table_;
  Schema schema_;
  bool is_plain_safe_ = false;  // Numbers, times and booleans never need quotes.
  bool needs_care_[256] = {};   // By byte: a text with it is not written as it is.
};

}  // namespace braid
