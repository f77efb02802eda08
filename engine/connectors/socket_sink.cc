#include "engine/connectors/socket_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace braid {

SocketSink::SocketSink(std::string address, std::unique_ptr<RowEncoder> encoder,
                       std::unique_ptr<LineSender> sender)
    : address_(std::move(address)), encoder_(std::move(encoder)), sender_(std::move(sender)) {
  encoder_->AppendHeader(&header_);
}

std::string SocketSink::description() const {
  return fmt::format("SocketSink[{}: {}]", address_, sender_->status());
}

Status SocketSink::Open(const SinkContext& context) {
  lines_.assign(static_cast<size_t>(context.num_partitions), {});
  return {};
}

Status SocketSink::BeginBatch(int64_t /*batch_id*/) {
  for (std::string& lines : lines_) lines.clear();
  return {};
}

Status SocketSink::Write(int partition, const RowBatch& rows) {
  return encoder_->Encode(rows, &lines_[static_cast<size_t>(partition)]);
}

Status SocketSink::PublishBatch(int64_t /*batch_id*/) {
  const bool any = std::any_of(lines_.begin(), lines_.end(),
                               [](const std::string& lines) { return !lines.empty(); });
  return any ? sender_->Send(header_, lines_) : Status();
}

Status SocketSink::Close() {
  sender_->Close();
  return {};
}

}  // namespace braid
