// The end of an epoch: plan, publication, commit, report.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/microbatch/elapsed.h"
#include "engine/perrecord/checkpoint_record.h"
#include "engine/perrecord/per_record_query.h"

namespace braid {

Status PerRecordQuery::BeginEpoch() {
  if (epoch_) return {};
  epoch_ = Epoch();
  epoch_->started = clock_->Now();
  epoch_->started_micros = SteadyMicros();
  if (last_commit_) epoch_->watermark = last_commit_->next_watermark;
  activity_.BeginBatch(next_batch_, 0);
  activity_.BeginPhase(BatchPhase::kJoining);
  return sinks_.BeginBatch(next_batch_);
}

bool PerRecordQuery::checkpoint_due() const {
  return epoch_ && clock_->Now() >= epoch_->started + options_.checkpoint_interval;
}

// A slice that cannot be read again must not be cut by a checkpoint.
Status PerRecordQuery::FinishSlices() {
  if (!options_.join.durable) return {};
  const Result<bool> rest = reader_->CollectRest();
  if (!rest) return tl::unexpected(rest.error());
  return *rest ? ProcessBlock() : Status();
}

BatchPlan PerRecordQuery::MakePlan(bool finished) {
  BatchPlan plan;
  plan.batch_id = next_batch_;
  plan.flush = finished;
  plan.watermark = epoch_->watermark;
  plan.processing_time = epoch_->started;
  plan.sources = reader_->TakeRanges();
  CheckpointRecord record;
  reader_->FillRecord(/*is_plan=*/true, &record);
  plan.extension = EncodeCheckpoint(record);
  return plan;
}

BatchCommit PerRecordQuery::MakeCommit(bool finished) const {
  BatchCommit commit;
  commit.batch_id = next_batch_;
  commit.finished = finished;
  commit.watermark = epoch_->watermark;
  commit.next_watermark = watermark();
  commit.tables = reader_->watermarks();
  commit.num_state_rows.clear();
  commit.thresholds.clear();
  for (size_t index = 0; index < tree_->num_joins(); ++index) {
    for (const Side side : kBothSides) {
      // No threshold goes back, also where the last run let rows stay for another time.
      const size_t number = commit.thresholds.size();
      const std::optional<EventTime> before =
          last_commit_ ? last_commit_->threshold(number) : std::nullopt;
      commit.thresholds.push_back(std::max(before, tree_->join(index).Threshold(side)));
      commit.num_state_rows.push_back(tree_->join(index).num_state_rows(side));
    }
  }
  for (size_t table = 0; table < reader_->num_tables(); ++table) {
    commit.source_ends_table.push_back(reader_->name(table));
    commit.source_ends.push_back(reader_->offset(table));
  }
  CheckpointRecord record;
  reader_->FillRecord(/*is_plan=*/false, &record);
  record.clocks = tree_->clocks();
  commit.extension = EncodeCheckpoint(record);
  return commit;
}

Status PerRecordQuery::CommitEpoch(bool finished, bool logged) {
  activity_.BeginPhase(BatchPhase::kPlanning);
  if (options_.join.durable && !logged) {
    if (Status written = store_->WritePlan(MakePlan(finished)); !written) return written;
  }
  activity_.BeginPhase(BatchPhase::kPublishing);
  if (Status published = sinks_.PublishBatch(next_batch_); !published) return published;
  activity_.BeginPhase(BatchPhase::kCommitting);
  last_commit_ = MakeCommit(finished);
  if (options_.join.durable) {
    const std::vector<SideDelta> deltas = tree_->TakeDeltas();
    if (Status committed = store_->Commit(*last_commit_, deltas, nullptr); !committed) {
      return committed;
    }
  }
  for (size_t table = 0; table < reader_->num_tables(); ++table) {
    const std::string offset = reader_->offset(table);
    if (offset.empty()) continue;
    if (Status told = reader_->input(table).source().Commit(offset); !told) return told;
  }
  return {};
}

Status PerRecordQuery::EndEpoch(bool finished, bool logged) {
  if (!epoch_ && !finished) return {};
  if (Status begun = BeginEpoch(); !begun) return begun;
  if (!logged) {
    if (Status rest = FinishSlices(); !rest) return rest;
  }
  const int64_t ended = SteadyMicros();
  if (Status committed = CommitEpoch(finished, logged); !committed) {
    Error error = committed.error();
    error.place.batch = next_batch_;
    return tl::unexpected(std::move(error));
  }
  finished_ = finished;
  const int64_t committed = SteadyMicros();
  Report(finished, {{"getBatch", epoch_->reading_micros / 1000},
                    {"addBatch", (ended - epoch_->started_micros) / 1000},
                    {"commitOffsets", (committed - ended) / 1000},
                    {"triggerExecution", (committed - epoch_->started_micros) / 1000}});
  ++next_batch_;
  state_rows_ = tree_->num_state_rows();
  epoch_.reset();
  reader_->BeginEpoch();
  return {};
}

void PerRecordQuery::ReportSources(BatchProgress* progress) {
  const std::optional<size_t> holder = reader_->holding_back();
  const std::vector<uint8_t> paused = PausedTables();
  int64_t num_times = 0;
  double sum_micros = 0;
  for (size_t table = 0; table < reader_->num_tables(); ++table) {
    TableInput& input = reader_->input(table);
    const InputCounts counts = input.TakeCounts();
    SourceProgress source;
    source.description = input.source().description();
    source.table = reader_->name(table);
    source.start_offset = reader_->start_offset(table);
    source.end_offset = reader_->offset(table);
    source.latest_offset = input.source().latest_offset();
    source.num_input_rows = counts.rows;
    source.num_bad_records = counts.bad_records;
    source.num_future_rows = counts.future_rows;
    const int64_t late_before = std::exchange(late_rows_[table], tree_->num_late_rows(table));
    source.num_late_rows = late_rows_[table] - late_before;
    source.idle = reader_->is_idle(table);
    source.bad_records_location = input.source().bad_records_location();
    source.backlog_bytes = input.backlog_bytes();
    source.idle_ms =
        std::max<int64_t>(0, (reader_->now().micros - reader_->last_row(table).micros) / 1000);
    source.finished = reader_->ended(table);
    source.holds_back = holder == table;
    source.paused = !paused.empty() && paused[table] != 0;
    if (const std::optional<InputWatermark>& watermark = reader_->watermark(table)) {
      source.max_event_time = watermark->max_time();
      if (watermark->sent() != kUnsetMillis) source.watermark = Watermark{watermark->sent()};
    }
    if (counts.min_time) {
      progress->event_time_min =
          std::min(progress->event_time_min.value_or(*counts.min_time), *counts.min_time);
      progress->event_time_max =
          std::max(progress->event_time_max.value_or(*counts.max_time), *counts.max_time);
      num_times += counts.time_count;
      sum_micros += counts.time_sum_micros;
    }
    progress->num_row_errors += counts.arrivals.dropped_for_errors;
    if (progress->state) progress->state->rows_null_key += counts.arrivals.null_key;
    progress->num_input_rows += source.num_input_rows;
    progress->has_watermark = progress->has_watermark || reader_->watermark(table).has_value();
    progress->sources.push_back(std::move(source));
  }
  if (num_times > 0) {
    progress->event_time_average =
        EventTime{std::llround(sum_micros / static_cast<double>(num_times))};
  }
}

void PerRecordQuery::ReportState(BatchProgress* progress) {
  const size_t num_joins = tree_->num_joins();
  if (num_joins == 0) return;
  const TreeCounts counts = tree_->TakeCounts();
  progress->num_row_errors += counts.row_errors;
  if (plan_->late_rows) progress->num_late_rows_written = counts.late_written;
  if (plan_->unmatched_rows) progress->num_unmatched_rows_written = counts.unmatched_written;
  StateOperatorProgress state;
  state.operator_name = PerRecordOperatorName(tree_->chosen(num_joins - 1));
  state.num_left_rows = tree_->join(num_joins - 1).num_state_rows(Side::kLeft);
  state.num_right_rows = tree_->join(num_joins - 1).num_state_rows(Side::kRight);
  state.num_rows_total = tree_->num_state_rows();
  state.num_rows_updated = counts.arrived;
  state.num_rows_removed = state_rows_ + counts.arrived - state.num_rows_total;
  state.num_rows_dropped_by_watermark = counts.late;
  state.rows_null_time = counts.null_time;
  state.num_padded_rows = counts.padded;
  state.memory_used_bytes = tree_->memory_bytes();
  state.memory_index_bytes = tree_->index_bytes();
  state.spilled_bytes = tree_->spilled_bytes();
  state.commit_ms = progress->duration_ms["commitOffsets"];
  progress->state = std::move(state);
}

void PerRecordQuery::Report(bool finished, const std::map<std::string, int64_t>& durations) {
  BatchProgress progress;
  progress.id = query_id_;
  progress.run_id = run_id_;
  progress.name = options_.name;
  progress.timestamp = epoch_->started;
  progress.batch_id = next_batch_;
  progress.flush = finished;
  progress.duration_ms = durations;
  progress.watermark = epoch_->watermark;
  progress.next_watermark = watermark();
  progress.num_output_rows = epoch_->output_rows;
  progress.num_row_errors = epoch_->row_errors;
  ReportState(&progress);
  ReportSources(&progress);
  const int64_t micros = SteadyMicros() - epoch_->started_micros;
  progress.batch_duration_ms = micros / 1000;
  progress.input_rows_per_second = PerSecond(progress.num_input_rows, micros);
  progress.processed_rows_per_second = progress.input_rows_per_second;
  progress.sink_description = sinks_.result->description();
  if (listener_) listener_(progress);
}

}  // namespace braid
