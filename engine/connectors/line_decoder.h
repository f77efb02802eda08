// Turns kept lines (line_block.h) into rows. Each line is a record of its own: an open quote ends
// where its line does, so the rows of a line do not depend on its neighbours, and lines that are
// decoded again in other portions give the same rows.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/connector.h"
#include "braid/error.h"
#include "braid/row_batch.h"
#include "engine/connectors/format/row_decoder.h"
#include "engine/connectors/line_block.h"

namespace braid {

class LineDecoder {
 public:
  // 'format' = csv, json, debezium-json or raw; `options` as for NewRowDecoder. A header line is
  // refused.
  static Result<std::unique_ptr<LineDecoder>> New(const TableDescription& table,
                                                  const std::vector<int>& read_columns,
                                                  OptionReader* options);

  bool gives_changes() const { return decoder_->gives_changes(); }

  // The rows of all lines of `text`, the first of which has the number `first_line`; bad ones are
  // added to `result`. Fails with kInvalidInput at a bad line under BadRecordPolicy::kFail; the
  // place has its number.
  Result<RowBatch> Decode(std::string_view text, int64_t first_line, DecodeResult* result);

 private:
  LineDecoder(std::unique_ptr<RowDecoder> decoder, BadRecordPolicy policy, std::string alone)
      : decoder_(std::move(decoder)), policy_(policy), alone_(std::move(alone)) {}

  // Lines that hold no zero byte at their front.
  Status DecodePlain(std::string_view text, DecodeResult* result);
  Status DecodeWhole(std::string_view lines, DecodeResult* result);
  Status DecodeKept(const KeptLine& line, int64_t number, DecodeResult* result);

  std::unique_ptr<RowDecoder> decoder_;
  BadRecordPolicy policy_;
  std::string alone_;  // A line with one of these characters is decoded alone.
};

}  // namespace braid
