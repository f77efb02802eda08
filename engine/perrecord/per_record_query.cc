#include "engine/perrecord/per_record_query.h"

#include <fmt/format.h>

#include <utility>

#include "braid/column_builder.h"
#include "engine/microbatch/elapsed.h"
#include "engine/microbatch/former_output.h"
#include "engine/microbatch/query_identity.h"
#include "engine/perrecord/checkpoint_record.h"
#include "state/rows/time_zone.h"

namespace braid {

PerRecordQuery::PerRecordQuery(std::shared_ptr<const StreamPlan> plan, OutputSinks sinks,
                               std::shared_ptr<VersionedStore> store, Clock* clock,
                               const PerRecordQueryOptions& options)
    : plan_(std::move(plan)),
      sinks_(std::move(sinks)),
      store_(std::move(store)),
      clock_(clock),
      options_(options),
      run_id_(NewIdentifier()) {}

PerRecordQuery::~PerRecordQuery() = default;

Result<std::unique_ptr<PerRecordQuery>> PerRecordQuery::Create(
    std::shared_ptr<const StreamPlan> plan, std::vector<std::unique_ptr<Source>> sources,
    OutputSinks sinks, std::shared_ptr<VersionedStore> store, Clock* clock,
    const PerRecordQueryOptions& options) {
  std::unique_ptr<PerRecordQuery> query(
      new PerRecordQuery(std::move(plan), std::move(sinks), std::move(store), clock, options));
  if (Status created = query->CreateOutput(); !created) return tl::unexpected(created.error());
  query->CreateReader(std::move(sources));
  return query;
}

Status PerRecordQuery::CreateOutput() {
  const Field event_time = {"event_time", DataType::Timestamp(6)};
  Result<std::unique_ptr<OutputPlan>> output = OutputPlan::Create(
      *plan_, options_.join.on_error, options_.tells_event_time ? &event_time : nullptr);
  if (!output) return tl::unexpected(output.error());
  output_plan_ = std::move(*output);
  output_ = std::make_unique<RowOutput>(output_plan_.get(), sinks_.result.get(), 0, &activity_);
  PerRecordOptions join_options = options_.join;
  join_options.abandoned = &abandoned_;
  Result<std::unique_ptr<JoinTree>> tree = JoinTree::Create(
      *plan_, output_plan_->needed_columns(), join_options,
      {sinks_.late_rows.get(), sinks_.unmatched_rows.get(), [this] { return BeginEpoch(); }}, this);
  if (!tree) return tl::unexpected(tree.error());
  tree_ = std::move(*tree);
  return {};
}

void PerRecordQuery::CreateReader(std::vector<std::unique_ptr<Source>> sources) {
  RecordReaderOptions options;
  options.interleave = options_.interleave;
  options.flushes = options_.end_of_input == EndOfInput::kFlush;
  options.until_latest = options_.until_latest;
  options.durable = options_.join.durable;
  options.tells_event_time = options_.tells_event_time;
  options.tables = options_.tables;
  options.input.on_error = options_.join.on_error;
  options.input.zone = options_.join.zone;
  late_rows_.resize(sources.size());
  reader_ = std::make_unique<RecordReader>(*plan_, *tree_, std::move(sources), clock_, options);
}

Status PerRecordQuery::Restore(const std::optional<VersionInfo>& latest) {
  if (!latest) return tree_->Restore(store_.get(), std::nullopt, {});
  last_commit_ = latest->commit;
  next_batch_ = last_commit_->batch_id + 1;
  finished_ = last_commit_->finished;
  const Result<CheckpointRecord> record = DecodeCheckpoint(last_commit_->extension);
  if (!record) return tl::unexpected(record.error());
  reader_->Restore(*record, last_commit_->tables);
  if (finished_) return tree_->Restore(store_.get(), std::nullopt, {});
  return tree_->Restore(store_.get(), latest->version, record->clocks);
}

Status PerRecordQuery::OpenSink() {
  SinkContext context;
  context.query_id = query_id_;
  context.query_name = options_.name;
  context.num_partitions = 1;
  context.first_batch = next_batch_;
  context.retained_batches = options_.retain_versions;
  context.durable = options_.join.durable;
  if (Status taken = TakeBackFormerOutput(store_.get(), context); !taken) return taken;
  return sinks_.Open(context);
}

Status PerRecordQuery::Start() {
  Result<std::string> claimed =
      ClaimStore(store_.get(), *plan_,
                 {options_.join.zone != nullptr ? options_.join.zone->name() : "UTC",
                  options_.join.allowed_lateness_ms, options_.join.state_ttl_ms.has_value()});
  if (!claimed) return tl::unexpected(claimed.error());
  query_id_ = std::move(*claimed);
  const Result<std::optional<VersionInfo>> latest = store_->LatestVersion();
  if (!latest) return tl::unexpected(latest.error());
  const ActiveTrigger active(&activity_, &next_batch_);
  Status status = Restore(*latest);
  if (status) status = OpenSink();
  if (!status) return status;
  state_rows_ = tree_->num_state_rows();
  const Result<std::optional<BatchPlan>> pending = store_->PendingPlan();
  if (!pending) return tl::unexpected(pending.error());
  if (*pending) status = RunPending(**pending);
  if (status) status = reader_->Open();
  if (status && finished_) status = CheckFinished();
  if (!status) return status;
  TellStarted();
  return {};
}

void PerRecordQuery::TellStarted() {
  if (started_listener_) std::exchange(started_listener_, nullptr)();
}

// A crash left a planned epoch: its records are read again, and it ends where it was planned to.
Status PerRecordQuery::RunPending(const BatchPlan& pending) {
  const Result<CheckpointRecord> record = DecodeCheckpoint(pending.extension);
  if (!record) return tl::unexpected(record.error());
  if (Status begun = reader_->BeginReplay(pending, *record); !begun) return begun;
  TellStarted();
  if (Status begun = BeginEpoch(); !begun) return begun;
  while (true) {
    const Result<bool> collected = reader_->CollectReplay();
    if (!collected) return tl::unexpected(collected.error());
    if (!*collected) break;
    if (Status processed = ProcessBlock(); !processed) return processed;
  }
  if (Status same = reader_->CheckReplayed(); !same) return same;
  if (Status ended = EndEpoch(pending.flush, /*logged=*/true); !ended) return ended;
  reader_->EndReplay();
  return {};
}

Status PerRecordQuery::CheckFinished() {
  for (size_t table = 0; table < reader_->num_tables(); ++table) {
    const Result<SliceReader::Found> found = reader_->input(table).Peek(true, reader_->now());
    if (!found) return tl::unexpected(found.error());
    if (*found == SliceReader::Found::kSlice) {
      return RefuseInputAfterFlush(reader_->name(table), options_.checkpoint, store_.get());
    }
  }
  return {};
}

Result<TriggeredQuery::Ran> PerRecordQuery::RunTrigger() {
  if (finished_) return Ran::kEnd;
  const ActiveTrigger active(&activity_, &next_batch_);
  while (true) {
    const int64_t started = SteadyMicros();
    PauseTables();
    const Result<RecordReader::Found> found = reader_->Collect();
    if (!found) return tl::unexpected(found.error());
    const bool has_steps = reader_->block().num_positions > 0;
    activity_.SetDataAvailable(*found == RecordReader::Found::kRecords);
    if (*found == RecordReader::Found::kRecords) {
      if (Status begun = BeginEpoch(); !begun) return tl::unexpected(begun.error());
      epoch_->reading_micros += SteadyMicros() - started;
    }
    if (has_steps) {
      if (Status processed = ProcessBlock(); !processed) return tl::unexpected(processed.error());
    }
    if (*found == RecordReader::Found::kEnd || limit_reached()) {
      const bool flushed = options_.end_of_input == EndOfInput::kFlush && !limit_reached();
      Status ended = EndEpoch(flushed, /*logged=*/false);
      if (!ended) return tl::unexpected(ended.error());
      return Ran::kEnd;
    }
    if (Status within = CheckStateLimit(); !within) return tl::unexpected(within.error());
    const bool idle = *found == RecordReader::Found::kNothing;
    if (checkpoint_due() || (idle && epoch_ && !options_.join.durable)) {
      Status ended = EndEpoch(/*finished=*/false, /*logged=*/false);
      if (!ended) return tl::unexpected(ended.error());
      return Ran::kBatches;
    }
    if (idle) {
      if (Status able = CheckPause(); !able) return tl::unexpected(able.error());
      return Ran::kNothing;
    }
    if (interrupted_.load()) return Ran::kBatches;
  }
}

StateSize PerRecordQuery::state_size() const {
  StateSize size;
  const size_t num_joins = tree_->num_joins();
  for (size_t index = 0; index < num_joins; ++index) {
    for (const Side side : kBothSides) {
      std::string name = side == Side::kLeft ? "left" : "right";
      if (num_joins > 1) name += fmt::format(" of join {}", index + 1);
      size.sides.push_back({std::move(name), tree_->join(index).num_state_rows(side)});
    }
  }
  if (options_.state_limits.bytes_max) {
    size.bytes = tree_->memory_bytes() + tree_->spilled_bytes();
  }
  return size;
}

bool PerRecordQuery::is_over_limit() const {
  return options_.state_limits.any() && IsExceeded(options_.state_limits, state_size());
}

bool PerRecordQuery::stays_over_limit() const {
  if (!options_.state_limits.any()) return false;
  StateSize size;
  for (size_t index = 0; index < tree_->num_joins(); ++index) {
    if (tree_->lets_rows_go(index)) continue;
    const PerRecordJoin& join = tree_->join(index);
    for (const Side side : kBothSides) size.sides.push_back({"", join.num_state_rows(side)});
    if (options_.state_limits.bytes_max) size.bytes += join.memory_bytes() + join.spilled_bytes();
  }
  return IsExceeded(options_.state_limits, size);
}

std::vector<uint8_t> PerRecordQuery::PausedTables() const {
  if (!options_.state_limits.pauses() || !is_over_limit()) return {};
  std::vector<uint8_t> paused(reader_->num_tables(), 1);
  const std::optional<size_t> holder = reader_->holding_back();
  if (holder && tree_->uses_watermarks() && !stays_over_limit()) paused[*holder] = 0;
  return paused;
}

void PerRecordQuery::PauseTables() {
  if (!options_.state_limits.pauses()) return;
  std::vector<uint8_t> paused = PausedTables();
  activity_.SetPaused(!paused.empty());
  reader_->SetPaused(std::move(paused));
}

// The epoch that goes over the limit is committed before the run ends.
Status PerRecordQuery::CheckStateLimit() {
  if (options_.state_limits.pauses() || !is_over_limit()) return {};
  if (Status ended = EndEpoch(/*finished=*/false, /*logged=*/false); !ended) return ended;
  return RefuseState(options_.state_limits, state_size(), waiting().held_back_by);
}

Status PerRecordQuery::CheckPause() {
  if (!options_.state_limits.pauses() || !is_over_limit()) return {};
  const bool stays = stays_over_limit();
  if (tree_->uses_clock() && !stays) return {};
  std::vector<std::string> waiting_tables;
  for (size_t table = 0; table < reader_->num_tables(); ++table) {
    if (reader_->ended(table)) continue;
    if (!reader_->is_paused(table)) return {};  // It may give rows yet.
    waiting_tables.push_back(reader_->name(table));
  }
  // Who holds the watermark back may be another table by now: then that one goes on.
  const std::vector<uint8_t> next = PausedTables();
  for (size_t table = 0; table < next.size(); ++table) {
    if (next[table] == 0 && !reader_->ended(table)) return {};
  }
  if (waiting_tables.empty()) return {};
  if (Status settled = Settle(); !settled) return settled;
  const std::string held_back_by = waiting().held_back_by;
  std::string reason = "no time bound of a join lets rows leave";
  if (stays && tree_->num_joins() > 1) {
    reason = "no time bound lets the rows of a regular join leave";
  } else if (tree_->uses_watermarks()) {
    reason = held_back_by.empty()
                 ? "no other table with a watermark has rows to read"
                 : fmt::format("the watermark waits for table {}, which has ended", held_back_by);
  }
  return RefuseToWait(options_.state_limits, state_size(), waiting_tables, reason);
}

Status PerRecordQuery::ProcessBlock() {
  EvaluationContext context;
  context.zone = options_.join.zone;
  context.processing_time = reader_->now();
  output_->BeginBatch(context);
  Status processed = tree_->Process(reader_->block(), next_batch_);
  if (processed) processed = abandoned_.Check();
  if (epoch_) {
    epoch_->output_rows += output_->num_rows_written();
    epoch_->row_errors += output_->num_row_errors();
  }
  if (!processed) {
    is_broken_ = true;
    Error error = processed.error();
    error.place.batch = next_batch_;
    return tl::unexpected(std::move(error));
  }
  if (!block_listener_) return {};
  block_listener_(
      {reader_->event_time(), watermark(), tree_->num_state_rows(), tree_->memory_bytes()});
  return {};
}

Status PerRecordQuery::Take(const OutputBlock& block, std::span<const int32_t> positions) {
  if (block.num_rows == 0) return {};
  // Rows that the clock or an idle table lets out, without a record.
  if (Status begun = BeginEpoch(); !begun) return begun;
  if (!options_.tells_event_time) return output_->Write(block.columns, block.num_rows, block.kinds);
  ColumnBuilder builder(DataType::Timestamp(6));
  int64_t* times = builder.AppendUninitialized<int64_t>(block.num_rows);
  for (const int32_t step : block.steps) {
    const int32_t position = positions[static_cast<size_t>(step)];
    *times++ = reader_->event_times()[static_cast<size_t>(position)];
  }
  std::vector<Column> columns = block.columns;
  columns.push_back(builder.Finish());
  return output_->Write(columns, block.num_rows, block.kinds);
}

Status PerRecordQuery::Settle() {
  if (!epoch_ || is_broken_) return {};
  return EndEpoch(/*finished=*/false, /*logged=*/false);
}

Status PerRecordQuery::Finish() {
  if (Status settled = Settle(); !settled) return settled;
  return sinks_.Close();
}

void PerRecordQuery::Interrupt() {
  interrupted_ = true;
  reader_->Interrupt();
  sinks_.Interrupt();
}

void PerRecordQuery::SetRowsListener(const std::function<void()>& listener) {
  for (size_t table = 0; table < reader_->num_tables(); ++table) {
    reader_->input(table).source().SetRowsListener(listener);
  }
}

void PerRecordQuery::SetStartedListener(std::function<void()> listener) {
  started_listener_ = std::move(listener);
}

void PerRecordQuery::SetProgressListener(std::function<void(const BatchProgress&)> listener) {
  listener_ = std::move(listener);
}

void PerRecordQuery::SetBlockListener(std::function<void(const BlockNews&)> listener) {
  block_listener_ = std::move(listener);
}

std::optional<int64_t> PerRecordQuery::last_batch() const {
  if (!last_commit_) return std::nullopt;
  return last_commit_->batch_id;
}

std::optional<Watermark> PerRecordQuery::watermark() const {
  const std::optional<InputWatermark>& table = reader_->watermark(0);
  int64_t millis = table ? table->sent() : kUnsetMillis;
  if (tree_->num_joins() > 0) millis = tree_->join(tree_->num_joins() - 1).clock().watermark();
  if (millis == kUnsetMillis) return std::nullopt;
  return Watermark{millis};
}

WaitingRows PerRecordQuery::waiting() const {
  WaitingRows waiting;
  waiting.watermark = watermark();
  if (tree_->num_joins() == 0) return waiting;
  const PerRecordJoin& join = tree_->join(tree_->num_joins() - 1);
  for (const Side side : kBothSides) {
    // Rows of a regular join wait for nothing: what can be said of them was said.
    if (!plan_->join->per_record->is_interval()) continue;
    waiting.rows[Index(side)] = join.num_state_rows(side);
    const std::optional<int64_t> needed = join.NeededWatermark(side);
    if (needed) waiting.needed[Index(side)] = Watermark{*needed};
  }
  if (const std::optional<size_t> holder = reader_->holding_back()) {
    waiting.held_back_by = reader_->name(*holder);
    waiting.holder_has_row_time = reader_->watermark(*holder)->max_time().has_value();
    waiting.holder_delay = reader_->input(*holder).plan().watermark->delay;
  }
  return waiting;
}

}  // namespace braid
