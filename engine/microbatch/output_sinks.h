// All that a query writes to: its result, and beside it the tables of late and of unmatched rows,
// where the job names them. A batch goes out of all of them, or is written again.
//
// Ownership: owns the sinks.
// Thread rule: as Sink.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "braid/error.h"
#include "braid/sink.h"

namespace braid {

struct OutputSinks {
  OutputSinks() = default;
  // A query that writes nothing but its result.
  // NOLINTNEXTLINE(google-explicit-constructor): a sink is the usual case.
  OutputSinks(std::unique_ptr<Sink> only_result) : result(std::move(only_result)) {}

  std::unique_ptr<Sink> result;          // Not null.
  std::unique_ptr<Sink> late_rows;       // Null for none.
  std::unique_ptr<Sink> unmatched_rows;  // Null for none.

  Status Open(const SinkContext& context);
  Status BeginBatch(int64_t batch_id);
  Status PublishBatch(int64_t batch_id);
  Status Close();
  void Interrupt();
};

}  // namespace braid
