// What all formats of a JSON document a line have in common: lines, the byte order mark, the memory
// behind a line that the parser wants, and what a bad line is.
//
// Thread rule: one thread at a time (RowDecoder).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/connectors/format/decoded_rows.h"
#include "engine/connectors/format/row_decoder.h"

namespace braid {

class JsonLineDecoder : public RowDecoder {
 public:
  const std::shared_ptr<const Schema>& schema() const final { return rows_.schema(); }
  bool gives_changes() const final { return rows_.has_kinds(); }
  void BeginFile() final {
    is_at_first_byte_ = true;
    line_ = 1;
  }
  bool has_header() const final { return false; }
  Status ResumeFile(std::string_view /*beginning*/, int64_t line) final {
    is_at_first_byte_ = false;
    line_ = line;
    return {};
  }
  int64_t line() const final { return line_; }
  Result<size_t> Decode(std::string_view bytes, bool at_end, DecodeResult* result) final;
  int64_t num_rows() const final { return rows_.num_rows(); }
  RowBatch TakeRows() final { return rows_.Take(); }

 protected:
  explicit JsonLineDecoder(DecodedRows rows) : rows_(std::move(rows)) {}

  // Reads the document of a line into rows_; the parser may read SIMDJSON_PADDING bytes behind it.
  // False, with fault_ set, if the line as a whole is bad;
  // rows that stand in it before the fault are added all the same. False too if *status is an
  // error.
  virtual bool ReadDocument(std::string_view json, DecodeResult* result, Status* status) = 0;

  // Sets fault_ and gives false.
  bool Faulty(std::string reason) {
    fault_ = std::move(reason);
    return false;
  }

  // The line that is being read, as a bad record.
  BadRecord BadLine(std::string reason) const;

  DecodedRows rows_;
  std::string fault_;

 private:
  Status DecodeLine(std::string_view line, size_t readable, DecodeResult* result);

  bool is_at_first_byte_ = true;
  int64_t line_ = 1;
  std::string padded_;     // The last lines of the bytes, with room behind them.
  std::string_view text_;  // Of the line that is being decoded.
};

}  // namespace braid
