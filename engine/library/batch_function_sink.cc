#include "engine/library/batch_function_sink.h"

#include <utility>

#include "braid/column_builder.h"
#include "braid/row_batch_builder.h"
#include "engine/library/guard.h"

namespace braid {

BatchFunctionSink::BatchFunctionSink(std::shared_ptr<const BatchFunction> function, Schema schema)
    : function_(std::move(function)), schema_(std::make_shared<const Schema>(std::move(schema))) {}

Status BatchFunctionSink::Open(const SinkContext& context) {
  query_name_ = context.query_name;
  written_.SetPartitions(context.num_partitions);
  return {};
}

Status BatchFunctionSink::BeginBatch(int64_t /*batch_id*/) {
  written_.Clear();
  return {};
}

Status BatchFunctionSink::Write(int partition, const RowBatch& rows) {
  written_.Add(partition, rows);
  return {};
}

RowBatch BatchFunctionSink::Gathered() {
  const std::vector<RowBatch> all = written_.InOrder();
  written_.Clear();
  if (all.empty()) return RowBatchBuilder(schema_).Finish();
  return all.size() == 1 ? all.front() : Concatenate(all);
}

Status BatchFunctionSink::PublishBatch(int64_t batch_id) {
  const RowBatch rows = Gathered();
  const BatchInfo batch{batch_id, query_name_};
  return CallProgram("the ForEachBatch function", [&] { return (*function_)(rows, batch); });
}

SinkFactory SinkForFunction(BatchFunction function) {
  auto shared = std::make_shared<const BatchFunction>(std::move(function));
  return [shared](const TableDescription& table) -> Result<std::unique_ptr<Sink>> {
    return std::make_unique<BatchFunctionSink>(shared, table.schema);
  };
}

}  // namespace braid
