#include "engine/microbatch/batch_runner.h"

#include <array>
#include <chrono>
#include <utility>

#include "engine/microbatch/exchange.h"

namespace braid {

namespace {

// To wake a thread takes as long as some thousand rows.
constexpr int64_t kSharedRowsMin = 4'096;

int64_t MicrosSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

}  // namespace

Result<std::unique_ptr<BatchRunner>> BatchRunner::Create(const StreamPlan& plan, Sink* sink,
                                                         PartitionPool* pool,
                                                         const Options& options) {
  std::unique_ptr<BatchRunner> runner(new BatchRunner(plan, pool, options));
  Result<std::unique_ptr<OutputPlan>> output = OutputPlan::Create(plan, options.on_error);
  if (!output) return tl::unexpected(output.error());
  runner->output_plan_ = std::move(*output);
  if (plan.join) {
    for (const Side side : kBothSides) {
      Result<ArrivalStage> stage = ArrivalStage::ForJoin(*plan.join, side);
      if (!stage) return tl::unexpected(stage.error());
      runner->stages_.push_back(std::make_unique<ArrivalStage>(std::move(*stage)));
    }
  } else {
    Result<ArrivalStage> stage = ArrivalStage::ForSingle(*plan.single);
    if (!stage) return tl::unexpected(stage.error());
    runner->stages_.push_back(std::make_unique<ArrivalStage>(std::move(*stage)));
  }
  if (Status created = runner->CreateReports(); !created) return tl::unexpected(created.error());
  // Without equi-join keys all rows have one key: one partition.
  const bool keyed = plan.join && !plan.join->null_safe_keys.empty();
  const int num_partitions = keyed ? options.num_partitions : 1;
  for (int partition = 0; partition < num_partitions; ++partition) {
    runner->outputs_.push_back(
        std::make_unique<RowOutput>(runner->output_plan_.get(), sink, partition, options.activity));
  }
  return runner;
}

Status BatchRunner::CreateReports() {
  if (plan_.late_rows) {
    Result<std::unique_ptr<ReportOutput>> late =
        ReportOutput::Create(*plan_.late_rows, options_.late_rows, options_.on_error);
    if (!late) return tl::unexpected(late.error());
    late_rows_ = std::move(*late);
  }
  if (plan_.unmatched_rows) {
    Result<std::unique_ptr<ReportOutput>> unmatched =
        ReportOutput::Create(*plan_.unmatched_rows, options_.unmatched_rows, options_.on_error);
    if (!unmatched) return tl::unexpected(unmatched.error());
    unmatched_rows_ = std::move(*unmatched);
  }
  return {};
}

Status BatchRunner::CreatePartitions(VersionedStore* store) {
  joins_.clear();
  for (const std::unique_ptr<RowOutput>& output : outputs_) {
    SymmetricHashJoin::Options options;
    options.on_error = options_.on_error;
    options.durable = options_.durable;
    options.activity = options_.activity;
    options.abandoned = options_.abandoned;
    options.unmatched_rows = unmatched_rows_.get();
    options.partition = static_cast<int>(joins_.size());
    options.budget = options_.budget;
    for (const Side side : kBothSides) {
      if (!options_.durable) break;
      const Result<uint32_t> lineage = store->NextLineage();
      if (!lineage) return tl::unexpected(lineage.error());
      options.lineages[Index(side)] = *lineage;
    }
    Result<std::unique_ptr<SymmetricHashJoin>> join =
        SymmetricHashJoin::Create(*plan_.join, output.get(), *output_plan_, options);
    if (!join) return tl::unexpected(join.error());
    joins_.push_back(std::move(*join));
  }
  return {};
}

Status BatchRunner::RestoreSide(VersionedStore* store, const BatchCommit& commit, Side side) {
  const uint32_t num_partitions = static_cast<uint32_t>(joins_.size());
  return store->ReadSide(commit.batch_id, static_cast<uint8_t>(side), [&](StateRows run) -> Status {
    KeyWords words;
    words.words = run.words;
    const std::vector<std::vector<int32_t>> rows = RouteRows(words, run.num_rows, num_partitions);
    for (size_t partition = 0; partition < joins_.size(); ++partition) {
      SideState& state = joins_[partition]->state(side);
      state.Restore(run, rows[partition]);
      if (Status kept = state.spill_status(); !kept) return kept;
    }
    return {};
  });
}

Status BatchRunner::Restore(VersionedStore* store, const BatchCommit* commit) {
  if (!plan_.join) return {};
  if (Status created = CreatePartitions(store); !created) return created;
  if (commit == nullptr) return {};
  for (const Side side : kBothSides) {
    if (Status restored = RestoreSide(store, *commit, side); !restored) return restored;
    for (const std::unique_ptr<SymmetricHashJoin>& join : joins_) {
      join->state(side).RestoreThreshold(commit->thresholds[Index(side)]);
    }
  }
  return {};
}

Result<std::vector<std::vector<BatchRunner::RoutedSlice>>> BatchRunner::Arrive(
    const BatchPlan& batch, const std::vector<BatchSlices>& slices,
    const EvaluationContext& context, BatchOutcome* outcome) {
  std::vector<std::vector<RoutedSlice>> routed(stages_.size());
  outcome->arrivals.resize(slices.size());
  for (size_t table = 0; table < slices.size(); ++table) {
    const std::vector<ReadSlice>& table_slices = slices[table].slices;
    routed[table].resize(table_slices.size());
    const auto arrive = [&](size_t index) -> Status {
      if (Status wanted = options_.abandoned->Check(); !wanted) return wanted;
      Result<Arrivals> arrivals = stages_[table]->Arrive(
          table_slices[index].rows, batch.late_watermark, options_.on_error, context);
      if (!arrivals) {
        Error error = arrivals.error();
        error.place.source_offset = table_slices[index].end;
        return tl::unexpected(std::move(error));
      }
      RoutedSlice& slice = routed[table][index];
      slice.rows =
          RouteRows(arrivals->keys, arrivals->num_rows, static_cast<uint32_t>(outputs_.size()));
      slice.arrivals = std::move(*arrivals);
      options_.activity->Advance(BatchPhase::kFiltering, table_slices[index].rows.num_rows);
      return {};
    };
    // A partition that is alone leaves the other threads to the readers and to RunPartition.
    Status status;
    if (outputs_.size() > 1) {
      status = pool_->RunAll(table_slices.size(), arrive);
    } else {
      for (size_t index = 0; status && index < table_slices.size(); ++index) status = arrive(index);
    }
    if (!status) return tl::unexpected(status.error());
    for (const RoutedSlice& slice : routed[table]) {
      outcome->arrivals[table].Add(slice.arrivals.counts);
    }
    outcome->row_errors += outcome->arrivals[table].dropped_for_errors;
  }
  return routed;
}

int64_t BatchRunner::CountArrivals(const std::vector<RoutedSlice>& slices) {
  int64_t rows = 0;
  for (const RoutedSlice& slice : slices) rows += slice.arrivals.num_rows;
  return rows;
}

Status BatchRunner::WriteLateRows(const BatchPlan& batch,
                                  const std::vector<std::vector<RoutedSlice>>& routed,
                                  const EvaluationContext& context) const {
  if (late_rows_ == nullptr) return {};
  for (size_t table = 0; table < routed.size(); ++table) {
    for (const RoutedSlice& slice : routed[table]) {
      ReportedRows rows;
      rows.input = table;
      rows.columns = slice.arrivals.late_columns;
      rows.num_rows = slice.arrivals.num_late;
      rows.watermark = batch.late_watermark;
      rows.batch_id = batch.batch_id;
      if (Status written = late_rows_->Write(0, rows, context); !written) return written;
    }
  }
  return {};
}

Status BatchRunner::RunSingle(const std::vector<std::vector<RoutedSlice>>& routed) {
  for (const RoutedSlice& slice : routed[0]) {
    if (Status wanted = options_.abandoned->Check(); !wanted) return wanted;
    const Arrivals& arrivals = slice.arrivals;
    if (Status written = outputs_[0]->Write(arrivals.columns, arrivals.num_rows); !written) {
      return written;
    }
    options_.activity->Advance(BatchPhase::kJoining, arrivals.num_rows);
  }
  return {};
}

// Probes with the new rows of a side and, unless another thread does, stores them.
Status BatchRunner::JoinSlices(size_t partition, Side side, const std::vector<RoutedSlice>& slices,
                               bool stores) {
  SymmetricHashJoin& join = *joins_[partition];
  for (const RoutedSlice& slice : slices) {
    // Rows that cannot match have no partition; the first one takes them.
    if (partition == 0) {
      if (Status taken = join.TakeUnmatched(side, slice.arrivals); !taken) return taken;
    }
    const std::vector<int32_t>& rows = slice.rows[partition];
    Status joined = join.Probe(side, slice.arrivals, rows);
    if (joined && stores) joined = join.Store(side, slice.arrivals, rows);
    if (!joined) return joined;
    options_.activity->Advance(BatchPhase::kJoining, std::ssize(rows));
  }
  return {};
}

Status BatchRunner::StoreSlices(size_t partition, Side side,
                                const std::vector<RoutedSlice>& slices) {
  for (const RoutedSlice& slice : slices) {
    if (Status wanted = options_.abandoned->Check(); !wanted) return wanted;
    Status stored = joins_[partition]->Store(side, slice.arrivals, slice.rows[partition]);
    if (!stored) return stored;
  }
  return {};
}

Status BatchRunner::RunPartition(size_t partition, const BatchPlan& batch,
                                 const std::vector<std::vector<RoutedSlice>>& routed,
                                 const EvaluationContext& context) {
  SymmetricHashJoin& join = *joins_[partition];
  join.BeginBatch(batch.batch_id, batch.watermark, context);
  const Side first = SymmetricHashJoin::FirstSide(plan_.join->type);
  for (const Side side : {first, Other(first)}) {
    const std::vector<RoutedSlice>& slices = routed[Index(side)];
    const bool is_shared = joins_.size() == 1 && CountArrivals(slices) >= kSharedRowsMin &&
                           (join.stores_apart(side) || emits_apart(join));
    Status joined = is_shared ? ShareSide(partition, side, slices)
                              : JoinSlices(partition, side, slices, /*stores=*/true);
    if (!joined) return joined;
  }
  return {};
}

// One thread looks for pairs; others store the rows, where that need not wait, and emit the pairs.
Status BatchRunner::ShareSide(size_t partition, Side side, const std::vector<RoutedSlice>& slices) {
  SymmetricHashJoin& join = *joins_[partition];
  const bool stores_apart = join.stores_apart(side);
  const bool shares_pairs = emits_apart(join);
  if (shares_pairs) join.OpenPairs();
  return pool_->RunAll(3, [&](size_t task) -> Status {
    if (task == 0) {
      Status joined = JoinSlices(partition, side, slices, !stores_apart);
      Status closed = join.ClosePairs();
      return joined ? closed : joined;
    }
    if (task == 1) return stores_apart ? StoreSlices(partition, side, slices) : Status();
    if (shares_pairs) join.DrainPairs();
    return {};
  });
}

Status BatchRunner::RunPartitions(const BatchPlan& batch,
                                  const std::vector<std::vector<RoutedSlice>>& routed,
                                  const EvaluationContext& context) {
  // The pool's threads share the work of a partition that is alone (RunPartition).
  if (joins_.size() == 1) return RunPartition(0, batch, routed, context);
  return pool_->RunAll(joins_.size(), [&](size_t partition) {
    return RunPartition(partition, batch, routed, context);
  });
}

void BatchRunner::Sum(BatchOutcome* outcome) const {
  for (const std::unique_ptr<RowOutput>& output : outputs_) {
    outcome->num_output_rows += output->num_rows_written();
    outcome->row_errors += output->num_row_errors();
  }
  for (const std::unique_ptr<SymmetricHashJoin>& join : joins_) {
    outcome->join.updated += join->counts().updated;
    outcome->join.removed += join->counts().removed;
    outcome->join.padded += join->counts().padded;
    outcome->row_errors += join->counts().row_errors;
  }
  if (late_rows_ != nullptr) {
    outcome->num_late_rows_written = late_rows_->num_rows();
    outcome->row_errors += late_rows_->num_row_errors();
  }
  if (unmatched_rows_ != nullptr) {
    outcome->num_unmatched_rows_written = unmatched_rows_->num_rows();
    outcome->row_errors += unmatched_rows_->num_row_errors();
  }
}

Result<BatchOutcome> BatchRunner::Run(const BatchPlan& batch,
                                      const std::vector<BatchSlices>& slices) {
  BatchOutcome outcome;
  EvaluationContext context;
  context.processing_time = batch.processing_time;
  context.zone = options_.zone;
  for (const std::unique_ptr<RowOutput>& output : outputs_) output->BeginBatch(context);
  for (const auto& report : {late_rows_.get(), unmatched_rows_.get()}) {
    if (report != nullptr) report->BeginBatch();
  }

  const auto started = std::chrono::steady_clock::now();
  ActivityRecorder& activity = *options_.activity;
  activity.BeginPhase(BatchPhase::kFiltering, ProgressUnit::kRows, CountRows(slices));
  Result<std::vector<std::vector<RoutedSlice>>> routed = Arrive(batch, slices, context, &outcome);
  if (!routed) return tl::unexpected(routed.error());
  int64_t num_arrived = 0;
  for (const std::vector<RoutedSlice>& table : *routed) num_arrived += CountArrivals(table);
  activity.BeginPhase(BatchPhase::kJoining, ProgressUnit::kRows, num_arrived);
  Status status = WriteLateRows(batch, *routed, context);
  if (status && !plan_.join) {
    status = RunSingle(*routed);
  } else if (status) {
    status = RunPartitions(batch, *routed, context);
  }
  if (!status) return tl::unexpected(status.error());
  outcome.updates_micros = MicrosSince(started);

  const auto removal_started = std::chrono::steady_clock::now();
  activity.BeginPhase(BatchPhase::kEvicting);
  status = pool_->RunAll(
      joins_.size(), [&](size_t partition) { return joins_[partition]->EndBatch(batch.flush); });
  if (!status) return tl::unexpected(status.error());
  outcome.removals_micros = MicrosSince(removal_started);
  Sum(&outcome);
  return outcome;
}

std::vector<SideDelta> BatchRunner::TakeDeltas() {
  std::vector<SideDelta> deltas;
  for (const std::unique_ptr<SymmetricHashJoin>& join : joins_) {
    for (const Side side : kBothSides) {
      SideDelta delta = join->state(side).TakeDelta();
      delta.side = static_cast<uint8_t>(side);
      if (!delta.empty()) deltas.push_back(std::move(delta));
    }
  }
  return deltas;
}

bool BatchRunner::has_eviction_predicate() const {
  return plan_.join && (plan_.join->side(Side::kLeft).eviction_offset.has_value() ||
                        plan_.join->side(Side::kRight).eviction_offset.has_value());
}

std::optional<EventTime> BatchRunner::Threshold(Side side,
                                                std::optional<Watermark> watermark) const {
  if (!plan_.join) return std::nullopt;
  return SymmetricHashJoin::Threshold(*plan_.join, side, watermark);
}

int64_t BatchRunner::num_state_rows(Side side) const {
  int64_t rows = 0;
  for (const std::unique_ptr<SymmetricHashJoin>& join : joins_)
    rows += join->state(side).num_rows();
  return rows;
}

int64_t BatchRunner::side_bytes(Side side) const {
  int64_t bytes = 0;
  for (const std::unique_ptr<SymmetricHashJoin>& join : joins_) {
    bytes += join->state(side).memory_bytes() + join->state(side).spilled_bytes();
  }
  return bytes;
}

std::optional<EventTime> BatchRunner::oldest_time(Side side) const {
  std::optional<EventTime> oldest;
  for (const std::unique_ptr<SymmetricHashJoin>& join : joins_) {
    const std::optional<EventTime> time = join->state(side).oldest_time();
    if (time && (!oldest || *time < *oldest)) oldest = time;
  }
  return oldest;
}

int64_t BatchRunner::SumOfSides(int64_t (SideState::*figure)() const) const {
  int64_t sum = 0;
  for (const std::unique_ptr<SymmetricHashJoin>& join : joins_) {
    for (const Side side : kBothSides) sum += (join->state(side).*figure)();
  }
  return sum;
}

int64_t BatchRunner::state_memory_bytes() const { return SumOfSides(&SideState::memory_bytes); }
int64_t BatchRunner::state_index_bytes() const { return SumOfSides(&SideState::index_bytes); }
int64_t BatchRunner::state_spilled_bytes() const { return SumOfSides(&SideState::spilled_bytes); }

}  // namespace braid
