// The sink behind ForEachBatch: gathers a batch, and gives it to a program's function whole when it
// is published.
//
// Ownership: shares the function with the builder that made it.
// Thread rule: as braid/sink.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "braid/connector.h"
#include "braid/query_builder.h"
#include "braid/row_batch.h"
#include "braid/schema.h"
#include "braid/sink.h"
#include "engine/connectors/written_rows.h"

namespace braid {

class BatchFunctionSink final : public Sink {
 public:
  BatchFunctionSink(std::shared_ptr<const BatchFunction> function, Schema schema);

  std::string description() const override { return "ForEachBatch"; }
  bool takes_changes() const override { return true; }
  Status Open(const SinkContext& context) override;
  Status BeginBatch(int64_t batch_id) override;
  Status Write(int partition, const RowBatch& rows) override;
  Status PublishBatch(int64_t batch_id) override;

 private:
  RowBatch Gathered();

  std::shared_ptr<const BatchFunction> function_;
  std::shared_ptr<const Schema> schema_;
  std::string query_name_;
  WrittenRows written_;
};

// A factory of such sinks.
SinkFactory SinkForFunction(BatchFunction function);

}  // namespace braid
