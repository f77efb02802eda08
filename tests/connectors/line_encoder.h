// A format for tests of sinks: one line a row, cells joined by commas, under a given header.
//
// Thread rule: immutable.
#pragma once

#include <string>
#include <utility>

#include "engine/connectors/format/row_encoder.h"
#include "tests/connectors/row_texts.h"

namespace braid {

class LineEncoder final : public RowEncoder {
 public:
  explicit LineEncoder(std::string header) : header_(std::move(header)) {}
  void AppendHeader(std::string* bytes) const override { *bytes += header_; }
  Status Encode(const RowBatch& rows, std::string* bytes) const override {
    for (const std::string& text : RowTexts(rows)) *bytes += text + "\n";
    return {};
  }

 private:
  std::string header_;
};

}  // namespace braid
