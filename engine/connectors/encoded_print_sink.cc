#include "engine/connectors/encoded_print_sink.h"

namespace braid {

Status EncodedPrintSink::Open(const SinkContext& /*context*/) {
  std::string header;
  encoder_->AppendHeader(&header);
  return stream_.Write(header);
}

Status EncodedPrintSink::Write(int /*partition*/, const RowBatch& rows) {
  std::string bytes;
  if (Status encoded = encoder_->Encode(rows, &bytes); !encoded) return encoded;
  return stream_.Write(bytes);
}

}  // namespace braid
