#include "engine/connectors/encoded_print_sink.h"

namespace braid {

Status EncodedPrintSink::WriteHeader() {
  const std::lock_guard lock(header_mutex_);
  if (has_header_) return {};
  has_header_ = true;
  std::string header;
  encoder_->AppendHeader(&header);
  return stream_.Write(header);
}

Status EncodedPrintSink::Write(int /*partition*/, const RowBatch& rows) {
  if (Status written = WriteHeader(); !written) return written;
  std::string bytes;
  if (Status encoded = encoder_->Encode(rows, &bytes); !encoded) return encoded;
  return stream_.Write(bytes);
}

Status EncodedPrintSink::Close() {
  if (Status written = WriteHeader(); !written) return written;
  return stream_.Flush();
}

}  // namespace braid
