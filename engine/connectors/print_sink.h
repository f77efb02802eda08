// Prints rows as Flink's print connector does, one a line:
//
//   +I[1, 2024-01-01 00:00:00.000, a]
//
// with "<identifier>> " in front if one is set. A line is never torn by another one; a batch is
// flushed when it is published. A batch that is run again after a crash is printed again.
//
// Thread rule: as sink.h.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "braid/error.h"
#include "braid/sink.h"
#include "engine/connectors/console_stream.h"

namespace braid {

class PrintSink final : public Sink {
 public:
  // `stream` is borrowed: stdout or stderr.
  PrintSink(std::string identifier, std::FILE* stream);

  std::string description() const override;
  Status Open(const SinkContext& context) override;
  Status BeginBatch(int64_t batch_id) override;
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;

 private:
  const std::string prefix_;
  ConsoleStream stream_;
};

}  // namespace braid
