// Prints rows as Flink's print connector does, one a line:
//
//   +I[1, 2024-01-01 00:00:00.000, a]
//
// The kind of the row (+I, -U, +U, -D), then its values; with "<identifier>> " in front if one is
// set. A line is never torn by another one; a batch is
// flushed when it is published. A batch that is run again after a crash is printed again.
//
// Thread rule: as sink.h.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "braid/error.h"
#include "braid/sink.h"
#include "engine/connectors/console_stream.h"
#include "engine/connectors/format/changelog_column.h"

namespace braid {

class PrintSink final : public Sink {
 public:
  // `stream` is borrowed: stdout or stderr. `changelog`: if that column is declared, it shows the
  // kind too.
  PrintSink(std::string identifier, std::FILE* stream,
            const std::optional<ChangelogColumn>& changelog = std::nullopt);

  std::string description() const override;
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext& context) override;
  Status BeginBatch(int64_t batch_id) override;
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;

 private:
  const std::string prefix_;
  const std::optional<ChangelogColumn> changelog_;
  ConsoleStream stream_;
};

}  // namespace braid
