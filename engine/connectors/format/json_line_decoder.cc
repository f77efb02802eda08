#include "engine/connectors/format/json_line_decoder.h"

#include <simdjson.h>

#include <algorithm>

namespace braid {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

Result<size_t> JsonLineDecoder::Decode(std::string_view bytes, bool at_end, DecodeResult* result) {
  size_t position = 0;
  if (is_at_first_byte_) {
    const size_t common = std::min(bytes.size(), kByteOrderMark.size());
    const bool may_be_mark = bytes.substr(0, common) == kByteOrderMark.substr(0, common);
    if (may_be_mark && common < kByteOrderMark.size() && !at_end) return 0;
    if (may_be_mark && common == kByteOrderMark.size()) position = common;
    is_at_first_byte_ = false;
  }
  rows_.PrepareForMore();
  while (position < bytes.size()) {
    const size_t line_end = bytes.find('\n', position);
    const bool has_end = line_end != std::string_view::npos;
    if (!has_end && !at_end && bytes.size() - position <= kRecordBytesMax) break;
    const size_t end = has_end ? line_end : bytes.size();
    const std::string_view line = bytes.substr(position, end - position);
    if (Status status = DecodeLine(line, bytes.size() - position, result); !status) {
      return tl::unexpected<Error>(status.error());
    }
    position = has_end ? line_end + 1 : bytes.size();
    line_ += has_end ? 1 : 0;
  }
  return position;
}

Status JsonLineDecoder::DecodeLine(std::string_view line, size_t readable, DecodeResult* result) {
  if (IsBlank(line)) return {};
  text_ = line;
  if (line.size() > kRecordBytesMax) {
    fault_ = kRecordIsTooLong;
  } else {
    // The parser reads a little beyond the text. Behind most lines there are others; the last ones
    // are copied.
    if (readable < line.size() + simdjson::SIMDJSON_PADDING) {
      padded_.assign(line);
      padded_.resize(line.size() + simdjson::SIMDJSON_PADDING, ' ');
      line = std::string_view(padded_).substr(0, line.size());
    }
    Status status;
    if (ReadDocument(line, result, &status) || !status) return status;
  }
  return rows_.Bad(BadLine(std::move(fault_)), result);
}

BadRecord JsonLineDecoder::BadLine(std::string reason) const {
  return {line_, std::string(text_.substr(0, kBadRecordTextMax)), std::move(reason)};
}

}  // namespace braid
