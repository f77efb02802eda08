// Prints rows in a format: csv or json records, one a line, behind the format's header, which
// comes with the first of them, or at the end if there was none: a run that fails before that
// prints nothing. Lines are whole; a batch is flushed when it is published, and printed again if a
// crash makes it run again.
//
// Thread rule: as sink.h.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "braid/error.h"
#include "braid/sink.h"
#include "engine/connectors/console_stream.h"
#include "engine/connectors/format/row_encoder.h"

namespace braid {

class EncodedPrintSink final : public Sink {
 public:
  // `stream` is borrowed: stdout or stderr.
  EncodedPrintSink(std::unique_ptr<RowEncoder> encoder, std::FILE* stream)
      : encoder_(std::move(encoder)), stream_(stream) {}

  std::string description() const override { return "PrintSink"; }
  bool takes_changes() const override { return encoder_->takes_changes(); }
  Status Open(const SinkContext& /*context*/) override { return {}; }
  Status BeginBatch(int64_t /*batch_id*/) override { return {}; }
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t /*batch_id*/) override { return stream_.Flush(); }
  Status Close() override;

 private:
  // Before the rows of whoever comes first.
  Status WriteHeader();

  const std::unique_ptr<RowEncoder> encoder_;
  ConsoleStream stream_;
  std::mutex header_mutex_;
  bool has_header_ = false;  // Guarded by header_mutex_.
};

}  // namespace braid
