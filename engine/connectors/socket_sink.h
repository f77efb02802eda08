// Sends each row as a line to a host over TCP. A batch is sent as a whole when it is published;
// until then its lines are kept in memory.
//
// At least once: a batch that is run again after a crash, and one during which the connection
// broke, is sent again from its beginning. TCP does not tell what a receiver has read: of a
// connection that breaks, what was on its way is lost even if its batch is committed.
//
// Thread rule: that of Sink; Interrupt from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/sink.h"
#include "engine/connectors/format/row_encoder.h"
#include "engine/connectors/line_sender.h"

namespace braid {

class SocketSink final : public Sink {
 public:
  SocketSink(std::string address, std::unique_ptr<RowEncoder> encoder,
             std::unique_ptr<LineSender> sender);

  // "SocketSink[localhost:9000: connected]"
  std::string description() const override;
  bool takes_changes() const override { return encoder_->takes_changes(); }
  Status Open(const SinkContext& context) override;
  Status BeginBatch(int64_t batch_id) override;
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;
  Status Close() override;
  void Interrupt() override { sender_->Interrupt(); }

 private:
  const std::string address_;
  const std::unique_ptr<RowEncoder> encoder_;
  const std::unique_ptr<LineSender> sender_;
  std::string header_;
  std::vector<std::string> lines_;  // One text a partition.
};

}  // namespace braid
