#include "engine/perrecord/pushed_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/perrecord/table_input.h"
#include "engine/plan/change_flow.h"
#include "state/rows/check.h"

namespace braid {

namespace {

EvaluationContext ContextOf(const TimeZone* zone, EventTime now) {
  EvaluationContext context;
  context.zone = zone;
  context.processing_time = now;
  return context;
}

InputBlock EmptyBlock(size_t num_tables) {
  InputBlock block;
  block.tables.resize(num_tables);
  return block;
}

}  // namespace

Result<std::unique_ptr<PushedQuery>> PushedQuery::Create(const StreamPlan& plan, Sink* result,
                                                         const ReportSinks& reports,
                                                         const PushedQueryOptions& options) {
  BRAID_CHECK(!options.join.durable, "nothing keeps what is pushed");
  if (Status fine = CheckChangeFlow(plan, {}); !fine) return tl::unexpected(fine.error());
  std::unique_ptr<PushedQuery> query(new PushedQuery(plan, options));
  Result<std::unique_ptr<OutputPlan>> output = OutputPlan::Create(plan, options.join.on_error);
  if (!output) return tl::unexpected(output.error());
  query->output_plan_ = std::move(*output);
  query->output_ = std::make_unique<RowOutput>(query->output_plan_.get(), result, 0, nullptr);
  Result<std::unique_ptr<JoinTree>> tree = JoinTree::Create(
      plan, query->output_plan_->needed_columns(), options.join, reports, query.get());
  if (!tree) return tl::unexpected(tree.error());
  query->tree_ = std::move(*tree);
  if (Status opened = query->tree_->Restore(nullptr, std::nullopt, {}); !opened) {
    return tl::unexpected(opened.error());
  }
  query->AddTables();
  return query;
}

void PushedQuery::AddTables() {
  const std::vector<const InputPlan*> inputs = TableInputs(plan_);
  for (size_t index = 0; index < inputs.size(); ++index) {
    const InputPlan& input = *inputs[index];
    const WatermarkOptions options =
        index < options_.tables.size() ? options_.tables[index] : WatermarkOptions();
    const Interval delay = input.watermark ? input.watermark->delay : Interval();
    Table& table = tables_.emplace_back(
        Table{&input, &tree_->stage(index), nullptr, {}, {}, options, {delay, options, false}});
    table.schema = std::make_shared<const Schema>(input.table->physical_schema());
    table.read_columns = input.ReadPositions();
    std::vector<bool> changes(inputs.size(), false);
    changes[index] = true;
    if (Status taken = CheckChangeFlow(plan_, changes); !taken) table.takes_changes = taken.error();
  }
}

Status PushedQuery::CheckRows(const Table& table, const RowBatch& rows) const {
  const std::string& name = table.plan->table->name;
  const auto refuse = [&name](const std::string& what) {
    return Fail(ErrorCode::kInvalidInput, fmt::format("table {}: {}", name, what));
  };
  if (rows.num_rows() > std::numeric_limits<int32_t>::max() / 4) {
    return refuse("too many rows at once");
  }
  if (table.ended) return refuse("no rows come after the end of the input");
  if (rows.num_columns() != table.schema->num_columns()) {
    return refuse(fmt::format("it has {} columns ({}), the rows have {}",
                              table.schema->num_columns(), table.schema->ToString(),
                              rows.num_columns()));
  }
  for (int index = 0; index < rows.num_columns(); ++index) {
    const Field& field = table.schema->fields[static_cast<size_t>(index)];
    const DataType& type = rows.column(index).type();
    if (type == field.type) continue;
    return refuse(fmt::format("the column {} is {}, the rows bring {}", field.name,
                              field.type.ToString(), type.ToString()));
  }
  for (int64_t row = 0; table.takes_changes && row < rows.num_rows(); ++row) {
    if (rows.change_kind(row) == ChangeKind::kInsert) continue;
    return refuse(fmt::format("row {} is a {}: {}", row, ChangeKindText(rows.change_kind(row)),
                              table.takes_changes->message));
  }
  return {};
}

template <typename Call>
Status PushedQuery::Run(const Call& call) {
  if (error_) return tl::unexpected(*error_);
  Status status = call();
  if (!status) error_ = status.error();
  return status;
}

Result<std::shared_ptr<const ArrivedSlice>> PushedQuery::Arrive(const Table& table,
                                                                const RowBatch& rows) const {
  auto schema = std::make_shared<Schema>();
  std::vector<Column> columns;
  for (const int column : table.read_columns) {
    schema->fields.push_back(table.schema->fields[static_cast<size_t>(column)]);
    columns.push_back(rows.column(column));
  }
  const EvaluationContext context = ContextOf(options_.join.zone, now_);
  std::optional<EventTime> latest_believed;
  if (table.options.max_ahead && clock_is_set_) {
    latest_believed = table.stage->ClockTime(now_, context) + *table.options.max_ahead;
  }
  auto slice = std::make_shared<ArrivedSlice>();
  slice->read = table.stage->Read(rows.WithColumns(std::move(schema), std::move(columns)), context,
                                  latest_believed);
  Result<Arrivals> arrivals =
      table.stage->Arrive(slice->read, /*late=*/std::nullopt, options_.join.on_error, context);
  if (!arrivals) return tl::unexpected(arrivals.error());
  slice->arrivals = std::move(*arrivals);
  return slice;
}

TableRows PushedQuery::PlaceRows(std::shared_ptr<const ArrivedSlice> slice, size_t index,
                                 size_t num_tables, Table* table) const {
  TableRows rows;
  const int32_t num_rows = static_cast<int32_t>(slice->read.num_rows);
  const bool moves = table->plan->watermark && !options_.watermarks_by_hand;
  const ReadyRows times = ReadyOf(*table->plan, slice->read, 0, num_rows);
  const std::optional<EventTime>& latest = slice->read.latest_believed;
  for (int32_t row = 0; row < num_rows; ++row) {
    const int32_t position = row * static_cast<int32_t>(num_tables) + static_cast<int32_t>(index);
    rows.positions.push_back(position);
    if (!moves) continue;
    const int64_t time = times.TimeAt(row);
    const bool believed = !latest || time <= latest->micros;
    const int64_t millis = table->watermark.Observe(believed ? time : kNoRowTime);
    if (millis != kUnsetMillis) rows.marks.push_back({position, millis});
  }
  rows.slice = std::move(slice);
  return rows;
}

Status PushedQuery::Push(std::span<const size_t> tables, const RowBatch& rows) {
  if (error_) return tl::unexpected(*error_);
  for (const size_t index : tables) {
    if (Status fine = CheckRows(tables_[index], rows); !fine) return fine;
  }
  if (rows.num_rows() == 0) return {};
  return Run([&]() -> Status {
    InputBlock block = EmptyBlock(tables_.size());
    for (size_t place = 0; place < tables.size(); ++place) {
      Table& table = tables_[tables[place]];
      Result<std::shared_ptr<const ArrivedSlice>> slice = Arrive(table, rows);
      if (!slice) return tl::unexpected(slice.error());
      block.tables[tables[place]] = PlaceRows(std::move(*slice), place, tables.size(), &table);
    }
    block.num_positions =
        static_cast<int32_t>(rows.num_rows()) * static_cast<int32_t>(tables.size());
    return Process(block);
  });
}

Status PushedQuery::AdvanceWatermark(std::span<const size_t> tables, Watermark watermark) {
  return Run([&]() -> Status {
    InputBlock block = EmptyBlock(tables_.size());
    for (const size_t index : tables) {
      Table& table = tables_[index];
      if (table.watermark.Raise(watermark.millis) == kUnsetMillis) continue;
      block.tables[index].marks.push_back({block.num_positions++, watermark.millis});
      table.ended = watermark.millis == kEndMillis;
    }
    return Process(block);
  });
}

Status PushedQuery::AdvanceClock(EventTime now) {
  return Run([&]() -> Status {
    if (now < now_) return {};
    now_ = now;
    clock_is_set_ = true;
    InputBlock block = EmptyBlock(tables_.size());
    if (tree_->uses_clock()) block.clock.push_back({block.num_positions++, now.micros / 1'000});
    for (size_t index = 0; index < tables_.size(); ++index) {
      Table& table = tables_[index];
      if (!table.plan->watermark || options_.watermarks_by_hand) continue;
      const int64_t millis = table.watermark.Tick(now);
      if (millis == kUnsetMillis) continue;
      block.tables[index].marks.push_back({block.num_positions++, millis});
    }
    return Process(block);
  });
}

Status PushedQuery::EndOfInput() {
  std::vector<size_t> all;
  for (size_t index = 0; index < tables_.size(); ++index) all.push_back(index);
  if (Status ended = AdvanceWatermark(all, Watermark::Infinity()); !ended) return ended;
  if (!tree_->uses_clock()) return {};
  return Run([&] {
    InputBlock block = EmptyBlock(tables_.size());
    block.clock.push_back({block.num_positions++, kEndMillis});
    return Process(block);
  });
}

Status PushedQuery::Process(const InputBlock& block) {
  if (block.num_positions == 0) return {};
  output_->BeginBatch(ContextOf(options_.join.zone, now_));
  return tree_->Process(block, /*batch_id=*/0);
}

Status PushedQuery::Take(const OutputBlock& block, std::span<const int32_t> /*positions*/) {
  for (const OutputWatermark& watermark : block.watermarks)
    watermark_ = Watermark{watermark.millis};
  if (block.num_rows == 0) return {};
  return output_->Write(block.columns, block.num_rows, block.kinds);
}

std::optional<Watermark> PushedQuery::watermark() const {
  if (tree_->num_joins() > 0) return watermark_;
  const int64_t sent = tables_[0].watermark.sent();
  return sent == kUnsetMillis ? std::nullopt : std::optional<Watermark>(Watermark{sent});
}

}  // namespace braid
