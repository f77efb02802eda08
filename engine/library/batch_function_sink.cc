#include "engine/library/batch_function_sink.h"

#include <utility>

#include "braid/column_builder.h"
#include "engine/library/guard.h"

namespace braid {

BatchFunctionSink::BatchFunctionSink(std::shared_ptr<const BatchFunction> function, Schema schema)
    : function_(std::move(function)), schema_(std::make_shared<const Schema>(std::move(schema))) {}

Status BatchFunctionSink::Open(const SinkContext& context) {
  query_name_ = context.query_name;
  written_.resize(static_cast<size_t>(context.num_partitions));
  return {};
}

Status BatchFunctionSink::BeginBatch(int64_t /*batch_id*/) {
  for (std::vector<RowBatch>& rows : written_) rows.clear();
  return {};
}

Status BatchFunctionSink::Write(int partition, const RowBatch& rows) {
  if (rows.num_rows() > 0) written_[static_cast<size_t>(partition)].push_back(rows);
  return {};
}

RowBatch BatchFunctionSink::Gathered() {
  std::vector<RowBatch> all;
  for (std::vector<RowBatch>& rows : written_) {
    all.insert(all.end(), rows.begin(), rows.end());
    rows.clear();
  }
  if (all.size() == 1) return all.front();
  if (!all.empty()) return Concatenate(all);
  std::vector<Column> columns;
  for (const Field& field : schema_->fields) columns.push_back(ColumnBuilder(field.type).Finish());
  return RowBatch(schema_, std::move(columns), 0);
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
