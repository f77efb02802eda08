#include "engine/microbatch/micro_batch_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "engine/microbatch/elapsed.h"
#include "engine/microbatch/former_output.h"
#include "engine/microbatch/query_identity.h"
#include "engine/plan/interval_text.h"
#include "state/rows/check.h"
#include "state/rows/time_zone.h"

namespace braid {

namespace {

// Also the work of one partition can be shared.
constexpr int kThreadsMin = 2;

}  // namespace

MicroBatchQuery::MicroBatchQuery(std::shared_ptr<const StreamPlan> plan, OutputSinks sinks,
                                 std::shared_ptr<VersionedStore> store, Clock* clock,
                                 const MicroBatchOptions& options)
    : plan_(std::move(plan)),
      sinks_(std::move(sinks)),
      store_(std::move(store)),
      clock_(clock),
      options_(options),
      run_id_(NewIdentifier()),
      pool_(std::max(options.parallelism, kThreadsMin)),
      finisher_(&sinks_, store_, options.durable) {}

MicroBatchQuery::~MicroBatchQuery() = default;

Result<std::unique_ptr<MicroBatchQuery>> MicroBatchQuery::Create(
    std::shared_ptr<const StreamPlan> plan, std::vector<std::unique_ptr<Source>> sources,
    OutputSinks sinks, std::shared_ptr<VersionedStore> store, Clock* clock,
    const MicroBatchOptions& options) {
  std::unique_ptr<MicroBatchQuery> query(
      new MicroBatchQuery(std::move(plan), std::move(sinks), std::move(store), clock, options));
  const bool runs_ahead =
      options.plans_ahead &&
      std::all_of(sources.begin(), sources.end(),
                  [](const std::unique_ptr<Source>& source) { return source->is_finite(); });
  Status created = query->CreateRunner(runs_ahead);
  if (created) created = query->CreateReaders(std::move(sources));
  if (!created) return tl::unexpected(created.error());
  return query;
}

Status MicroBatchQuery::CreateRunner(bool runs_ahead) {
  output_ = &finisher_;
  OutputSinks* sinks = &sinks_;
  if (runs_ahead) {
    writers_ = std::make_unique<PartitionPool>(options_.parallelism);
    queue_ = std::make_unique<BatchQueue>(writers_.get(), &activity_);
    output_ = queue_.get();
    const auto queued = [this](const std::unique_ptr<Sink>& sink) -> std::unique_ptr<Sink> {
      if (sink == nullptr) return nullptr;
      return std::make_unique<QueuedSink>(sink.get(), queue_.get());
    };
    queued_sinks_.result = queued(sinks_.result);
    queued_sinks_.late_rows = queued(sinks_.late_rows);
    queued_sinks_.unmatched_rows = queued(sinks_.unmatched_rows);
    sinks = &queued_sinks_;
  }
  BatchRunner::Options runner_options;
  runner_options.num_partitions = options_.parallelism;
  runner_options.on_error = options_.on_row_error;
  runner_options.durable = options_.durable;
  runner_options.zone = options_.zone;
  runner_options.budget = options_.state_budget;
  runner_options.activity = &activity_;
  runner_options.abandoned = &abandoned_;
  runner_options.late_rows = sinks->late_rows.get();
  runner_options.unmatched_rows = sinks->unmatched_rows.get();
  Result<std::unique_ptr<BatchRunner>> runner =
      BatchRunner::Create(*plan_, sinks->result.get(), &pool_, runner_options);
  if (!runner) return tl::unexpected(runner.error());
  runner_ = std::move(*runner);
  return {};
}

const InputPlan& MicroBatchQuery::input(size_t table) const {
  return plan_->join ? plan_->join->sides[table].input : *plan_->single;
}

Status MicroBatchQuery::CreateReaders(std::vector<std::unique_ptr<Source>> sources) {
  table_names_ = TableNames(*plan_);
  BRAID_CHECK(sources.size() == table_names_.size(), "one source a table");
  std::vector<WatermarkTracker::Table> watermarked;
  for (size_t table = 0; table < sources.size(); ++table) {
    const WatermarkOptions moves =
        options_.watermarks.empty() ? WatermarkOptions() : options_.watermarks[table];
    const std::optional<WatermarkDefinition>& watermark = input(table).watermark;
    watermark_index_.push_back(std::nullopt);
    if (watermark) {
      watermark_index_.back() = watermarked.size();
      watermarked.push_back({table_names_[table], watermark->delay, moves.idle_timeout});
    }
    EvaluationContext context;
    context.zone = options_.zone;
    readers_.push_back(std::make_unique<SliceReader>(std::move(sources[table]),
                                                     &runner_->stage(table), context,
                                                     SliceReader::Belief{clock_, moves.max_ahead}));
  }
  std::vector<Source*> read;
  for (const std::unique_ptr<SliceReader>& reader : readers_) read.push_back(&reader->source());
  finisher_.SetSources(std::move(read));
  tracker_.emplace(std::move(watermarked), options_.watermark_policy);
  offsets_.resize(readers_.size());
  return {};
}

Status MicroBatchQuery::OpenSinks() {
  SinkContext context;
  context.query_id = query_id_;
  context.query_name = options_.name;
  context.num_partitions = runner_->num_partitions();
  context.first_batch = next_batch_;
  context.retained_batches = options_.retain_versions;
  context.durable = options_.durable;
  if (Status taken = TakeBackFormerOutput(store_.get(), context); !taken) return taken;
  return sinks_.Open(context);
}

Status MicroBatchQuery::OpenReaders() {
  std::vector<BatchReader::Input> inputs;
  for (size_t table = 0; table < readers_.size(); ++table) {
    if (Status started = readers_[table]->Start(offsets_[table], options_.until_latest); !started) {
      return started;
    }
    BatchReader::Input input_state;
    input_state.reader = readers_[table].get();
    if (const std::optional<size_t> index = watermark_index(table)) {
      input_state.has_watermark = true;
      input_state.reached = tracker_->reached(*index);
    }
    inputs.push_back(input_state);
  }
  batch_reader_.emplace(std::move(inputs), &activity_, &abandoned_);
  tracker_->BeginIdleness(clock_->Now());
  return {};
}

Status MicroBatchQuery::Start() {
  Result<std::string> claimed =
      ClaimStore(store_.get(), *plan_, {options_.zone != nullptr ? options_.zone->name() : "UTC"});
  if (!claimed) return tl::unexpected(claimed.error());
  query_id_ = std::move(*claimed);
  Result<std::optional<VersionInfo>> latest = store_->LatestVersion();
  if (!latest) return tl::unexpected(latest.error());
  if (*latest) {
    last_commit_ = (*latest)->commit;
    finisher_.SetLastBatch(last_commit_->batch_id);
    next_batch_ = last_commit_->batch_id + 1;
    finished_ = last_commit_->finished;
    tracker_->Restore(*last_commit_);
    for (size_t table = 0; table < table_names_.size(); ++table) {
      const std::string* const end = last_commit_->source_end(table_names_[table]);
      if (end != nullptr) offsets_[table] = *end;
    }
  }
  const ActiveTrigger active(&activity_, &next_batch_);
  last_rows_.assign(readers_.size(), clock_->Now());
  const bool restores = last_commit_.has_value() && !finished_;
  Status status = runner_->Restore(store_.get(), restores ? &*last_commit_ : nullptr);
  if (status) status = OpenSinks();
  if (!status) return status;
  Result<std::optional<BatchPlan>> pending = store_->PendingPlan();
  if (!pending) return tl::unexpected(pending.error());
  status = *pending ? RunPending(std::move(**pending)) : OpenReaders();
  if (status && finished_) status = CheckFinished();
  if (!status) return status;
  TellStarted();
  // What the batch that ran again has planned goes first.
  if (finished_ || planned_ || !no_data_due()) return {};
  PlanNoData(clock_->Now());
  return RunJoins([this] { return RunPlanned(); });
}

Status MicroBatchQuery::RunJoins(const std::function<Status()>& run) {
  if (queue_ == nullptr) return run();
  queue_->Open();
  Status joined;
  std::thread joins([&] {
    joined = run();
    queue_->Close();
  });
  Status finished = queue_->Drain(&finisher_);
  joins.join();
  // Batches come in order: what failed in the output was before what failed in the joins.
  return finished ? joined : finished;
}

void MicroBatchQuery::TellStarted() {
  if (started_listener_) std::exchange(started_listener_, nullptr)();
}

// A crash left a planned batch: its rows are read again and it runs as it was planned. The readers
// are opened behind it first: what follows from the batch depends on what comes after its rows.
Status MicroBatchQuery::RunPending(BatchPlan pending) {
  PlannedBatch batch;
  batch.logged = true;
  batch.slices.resize(pending.no_data || pending.flush ? 0 : readers_.size());
  activity_.BeginBatch(pending.batch_id, 0);
  activity_.BeginPhase(BatchPhase::kReading, ProgressUnit::kBytes);
  for (const OffsetRange& range : pending.sources) {
    const auto found = std::find(table_names_.begin(), table_names_.end(), range.table);
    if (found == table_names_.end()) {
      return Fail(ErrorCode::kConflict, fmt::format("the checkpoint's planned batch {} reads table "
                                                    "{}, which the query does not",
                                                    pending.batch_id, range.table));
    }
    const size_t table = static_cast<size_t>(found - table_names_.begin());
    offsets_[table] = range.end;
    if (range.end == range.start) continue;
    if (Status wanted = abandoned_.Check(); !wanted) return wanted;
    Status replayed = readers_[table]->Replay(range.start, range.end, range.replay,
                                              pending.processing_time, &batch.slices[table].slices);
    if (!replayed) return replayed;
    for (const ReadSlice& slice : batch.slices[table].slices) {
      activity_.Advance(BatchPhase::kReading, slice.num_bytes);
    }
  }
  batch.plan = std::move(pending);
  // It may be one that the last commit did not know of yet: tables had become idle since.
  if (batch.plan.watermark && !batch.plan.flush) tracker_->RaiseTo(*batch.plan.watermark);
  NoteReached(batch.slices);
  planned_ = std::move(batch);
  if (Status opened = OpenReaders(); !opened) return opened;
  TellStarted();
  Status ran = RunJoins([this] { return RunPlanned(); });
  // Not from when the batch was planned, which may be long ago.
  tracker_->BeginIdleness(clock_->Now());
  return ran;
}

// How far in event time the tables have been read with these rows.
void MicroBatchQuery::NoteReached(const std::vector<BatchSlices>& slices) {
  for (size_t table = 0; table < slices.size(); ++table) {
    const std::optional<size_t> index = watermark_index(table);
    if (!index) continue;
    for (const ReadSlice& slice : slices[table].slices) {
      if (slice.rows.typical_time) tracker_->Reach(*index, *slice.rows.typical_time);
    }
  }
}

Status MicroBatchQuery::CheckFinished() {
  for (size_t table = 0; table < readers_.size(); ++table) {
    const Result<SliceReader::Found> found = readers_[table]->Peek(true);
    if (!found) return tl::unexpected(found.error());
    if (*found == SliceReader::Found::kSlice) {
      return RefuseInputAfterFlush(table_names_[table], options_.checkpoint, store_.get());
    }
  }
  return {};
}

BatchPlan MicroBatchQuery::NextPlan(EventTime now) const {
  BatchPlan plan;
  plan.batch_id = next_batch_;
  plan.watermark = tracker_->current();
  plan.late_watermark = tracker_->late();
  plan.processing_time = now;
  return plan;
}

// Plans a batch of what the sources may give now; false if there is nothing.
Result<bool> MicroBatchQuery::PlanData(bool wait, EventTime now) {
  const int64_t started = SteadyMicros();
  if (options_.state_limits.pauses()) {
    std::vector<uint8_t> paused = PausedTables();
    activity_.SetPaused(!paused.empty());
    batch_reader_->SetPaused(std::move(paused));
  }
  Result<std::optional<std::vector<BatchSlices>>> slices = batch_reader_->Collect(wait);
  if (!slices) return tl::unexpected(slices.error());
  if (Status wanted = abandoned_.Check(); !wanted) return tl::unexpected(wanted.error());
  if (wait || *slices) activity_.SetDataAvailable(slices->has_value());
  if (!*slices) return false;
  PlannedBatch batch;
  batch.reading_micros = SteadyMicros() - started;
  batch.plan = NextPlan(now);
  batch.slices = std::move(**slices);
  for (size_t table = 0; table < batch.slices.size(); ++table) {
    OffsetRange range;
    range.table = table_names_[table];
    range.start = offsets_[table];
    range.end = offsets_[table];
    for (const ReadSlice& slice : batch.slices[table].slices) {
      range.end = slice.end;
      range.replay += slice.replay;
    }
    batch.plan.sources.push_back(std::move(range));
  }
  planned_ = std::move(batch);
  return true;
}

void MicroBatchQuery::PlanNoData(EventTime now) {
  PlannedBatch batch;
  batch.plan = NextPlan(now);
  batch.plan.no_data = true;
  planned_ = std::move(batch);
}

void MicroBatchQuery::PlanFlush(EventTime now) {
  PlanNoData(now);
  planned_->plan.flush = true;
  planned_->plan.watermark = Watermark::Infinity();
}

bool MicroBatchQuery::no_data_due() const {
  if (!last_commit_.has_value() || !tracker_->moved() || !runner_->has_eviction_predicate()) {
    return false;
  }
  // A query that is paused has nothing else that could make room.
  return options_.no_data_batches || (options_.state_limits.pauses() && is_over_limit());
}

StateSize MicroBatchQuery::state_size() const {
  StateSize size;
  if (!plan_->join) return size;
  for (const Side side : kBothSides) {
    size.sides.push_back({table_names_[Index(side)], runner_->num_state_rows(side)});
  }
  if (options_.state_limits.bytes_max) {
    size.bytes = runner_->state_memory_bytes() + runner_->state_spilled_bytes();
  }
  return size;
}

bool MicroBatchQuery::is_over_limit() const {
  return options_.state_limits.any() && IsExceeded(options_.state_limits, state_size());
}

std::vector<Side> MicroBatchQuery::SidesThatStay() const {
  std::vector<Side> sides;
  for (const Side side : kBothSides) {
    if (plan_->join && !plan_->join->side(side).eviction_offset) sides.push_back(side);
  }
  return sides;
}

bool MicroBatchQuery::stays_over_limit() const {
  if (!options_.state_limits.any()) return false;
  StateSize size;
  for (const Side side : SidesThatStay()) {
    size.sides.push_back({table_names_[Index(side)], runner_->num_state_rows(side)});
    if (options_.state_limits.bytes_max) size.bytes += runner_->side_bytes(side);
  }
  return IsExceeded(options_.state_limits, size);
}

std::vector<uint8_t> MicroBatchQuery::PausedTables() const {
  if (!is_over_limit()) return {};
  std::vector<uint8_t> paused(readers_.size(), 1);
  if (!runner_->has_eviction_predicate() || stays_over_limit()) return paused;
  const std::optional<size_t> holder = tracker_->holding_back();
  for (size_t table = 0; table < readers_.size(); ++table) {
    const std::optional<size_t> index = watermark_index(table);
    if (!index) continue;
    // Under `max`, and while all are idle, any table may be the one that moves the watermark.
    const bool any_moves = options_.watermark_policy == WatermarkPolicy::kMax || !holder;
    if (any_moves || holder == index) paused[table] = 0;
  }
  return paused;
}

Status MicroBatchQuery::CheckStateLimit() const {
  const StateLimits& limits = options_.state_limits;
  if (limits.pauses() || finished_ || runner_->limit_reached() || !is_over_limit()) return {};
  return RefuseState(limits, state_size(), waiting().held_back_by);
}

Status MicroBatchQuery::CheckPause() {
  if (!options_.state_limits.pauses()) return {};
  const std::vector<uint8_t> paused = PausedTables();
  std::vector<std::string> waiting_tables;
  for (size_t table = 0; table < paused.size(); ++table) {
    const Result<bool> ended = batch_reader_->Ended(table);
    if (!ended) return tl::unexpected(ended.error());
    if (*ended) continue;
    if (paused[table] == 0) return {};  // It may give rows yet.
    waiting_tables.push_back(table_names_[table]);
  }
  if (waiting_tables.empty()) return {};
  const std::string held_back_by = waiting().held_back_by;
  std::string reason = "no time bound of the join lets rows leave";
  if (runner_->has_eviction_predicate() && stays_over_limit()) {
    const JoinSidePlan& side = plan_->join->side(SidesThatStay().front());
    reason =
        fmt::format("rows of {} never leave: {}", FormatName(side.input.alias), side.eviction_text);
  } else if (runner_->has_eviction_predicate()) {
    reason = held_back_by.empty()
                 ? "no other table with a watermark has rows to read"
                 : fmt::format("the watermark waits for table {}, which has ended", held_back_by);
  }
  return RefuseToWait(options_.state_limits, state_size(), waiting_tables, reason);
}

Result<MicroBatchQuery::Ran> MicroBatchQuery::RunTrigger() {
  if (finished_) return Ran::kEnd;
  const ActiveTrigger active(&activity_, &next_batch_);
  Ran ran = Ran::kNothing;
  const Status status = RunJoins([&]() -> Status {
    bool again = true;
    while (again) {
      const Result<Ran> one = RunOneTrigger();
      if (!one) return tl::unexpected(one.error());
      ran = *one;
      again = queue_ != nullptr && ran == Ran::kBatches && !interrupted_ && !limit_reached();
    }
    return {};
  });
  if (!status) return tl::unexpected(status.error());
  return ran;
}

Result<MicroBatchQuery::Ran> MicroBatchQuery::RunOneTrigger() {
  bool ran = false;
  if (!planned_) {
    const EventTime now = clock_->Now();
    const Result<bool> planned = PlanData(true, now);
    if (!planned) return tl::unexpected(planned.error());
    if (!*planned) {
      NoteActivity({}, now);
      tracker_->Recompute();
      if (no_data_due()) PlanNoData(now);
    }
  }
  if (!planned_) {
    if (Status able = CheckPause(); !able) return tl::unexpected(able.error());
  }
  if (planned_) {
    ran = true;
    if (Status status = RunPlanned(); !status) return tl::unexpected(status.error());
  }
  if (planned_) return Ran::kBatches;  // The next one is logged already.
  const Result<bool> ended = batch_reader_->AllEnded();
  if (!ended) return tl::unexpected(ended.error());
  if (!*ended) return ran ? Ran::kBatches : Ran::kNothing;
  if (options_.end_of_input == EndOfInput::kFlush && !runner_->limit_reached()) {
    PlanFlush(clock_->Now());
    if (Status status = RunPlanned(); !status) return tl::unexpected(status.error());
  }
  return Ran::kEnd;
}

// Runs the planned batch and the no-data batches that follow it.
Status MicroBatchQuery::RunPlanned() {
  bool again = true;
  while (again) {
    PlannedBatch batch = std::move(*planned_);
    planned_.reset();
    const int64_t batch_id = batch.plan.batch_id;
    activity_.BeginBatch(batch_id, CountRows(batch.slices));
    activity_.BeginPhase(BatchPhase::kPlanning);
    if (Status begun = output_->Begin(batch.plan, batch.logged); !begun) return begun;
    const int64_t started = SteadyMicros();
    const Result<BatchOutcome> outcome = runner_->Run(batch.plan, batch.slices);
    if (!outcome) {
      Error error = outcome.error();
      error.place.batch = batch_id;
      return tl::unexpected(std::move(error));
    }
    const int64_t running_micros = SteadyMicros() - started;
    if (Status wanted = abandoned_.Check(); !wanted) return wanted;
    activity_.BeginPhase(BatchPhase::kPublishing);
    if (Status published = output_->Publish(batch_id); !published) return published;
    activity_.BeginPhase(BatchPhase::kCommitting);
    Result<JoinedBatch> joined = CloseBatch(batch, *outcome);
    if (!joined) return tl::unexpected(joined.error());
    joined->running_micros = running_micros;
    if (Status committed = output_->Commit(std::move(*joined)); !committed) return committed;
    again = planned_.has_value() && planned_->plan.no_data;
  }
  // The next batch would only add to it, unless it is the one that evicts.
  return CheckStateLimit();
}

Status MicroBatchQuery::ObserveTimes(const PlannedBatch& batch) {
  for (size_t table = 0; table < batch.slices.size(); ++table) {
    const std::optional<size_t> index = watermark_index(table);
    if (!index) continue;
    for (const ReadSlice& slice : batch.slices[table].slices) {
      if (slice.rows.max_time) tracker_->Observe(*index, *slice.rows.max_time);
    }
  }
  NoteReached(batch.slices);
  // A finished finite source leaves the minimum, unless its last rows wait for a later run.
  if (options_.end_of_input != EndOfInput::kFlush) return {};
  for (size_t table = 0; table < readers_.size(); ++table) {
    const std::optional<size_t> index = watermark_index(table);
    if (!index || !readers_[table]->source().is_finite()) continue;
    const Result<bool> ended = batch_reader_->Ended(table);
    if (!ended) return tl::unexpected(ended.error());
    if (*ended) tracker_->Finish(*index);
  }
  return {};
}

// What the sources gave when they were asked at `now`, empty for nothing, says who is idle. A
// table that was not asked may have rows: it counts as active.
void MicroBatchQuery::NoteActivity(const std::vector<BatchSlices>& slices, EventTime now) {
  for (size_t table = 0; table < readers_.size(); ++table) {
    const std::optional<size_t> index = watermark_index(table);
    if (!index) continue;
    const bool gave_rows = !slices.empty() && CountRows(slices[table]) > 0;
    if (gave_rows || !batch_reader_->silent(table)) {
      tracker_->NoteActive(*index, now);
    } else {
      tracker_->NoteSilent(*index, now);
    }
  }
}

BatchCommit MicroBatchQuery::MakeCommit(const PlannedBatch& batch) const {
  BatchCommit commit;
  commit.batch_id = batch.plan.batch_id;
  commit.no_data = batch.plan.no_data;
  commit.finished = batch.plan.flush;
  commit.watermark = batch.plan.watermark;
  commit.next_watermark = tracker_->current();
  commit.tables = tracker_->Save();
  for (const Side side : kBothSides) {
    commit.thresholds[Index(side)] = runner_->Threshold(side, batch.plan.watermark);
    commit.num_state_rows[Index(side)] = runner_->num_state_rows(side);
  }
  commit.source_ends_table = table_names_;
  commit.source_ends = offsets_;
  return commit;
}

// Notes what the batch has changed, and plans the next one where that is known already.
Result<JoinedBatch> MicroBatchQuery::CloseBatch(const PlannedBatch& batch,
                                                const BatchOutcome& outcome) {
  const int64_t started = SteadyMicros();
  for (const OffsetRange& range : batch.plan.sources) {
    const auto found = std::find(table_names_.begin(), table_names_.end(), range.table);
    offsets_[static_cast<size_t>(found - table_names_.begin())] = range.end;
  }
  for (size_t table = 0; table < batch.slices.size(); ++table) {
    if (CountRows(batch.slices[table]) > 0) last_rows_[table] = batch.plan.processing_time;
  }
  if (Status observed = ObserveTimes(batch); !observed) return tl::unexpected(observed.error());
  // A batch without input has asked nobody.
  if (!batch.slices.empty()) NoteActivity(batch.slices, batch.plan.processing_time);
  if (!batch.plan.flush) tracker_->Advance();
  last_commit_ = MakeCommit(batch);
  next_batch_ = batch.plan.batch_id + 1;
  finished_ = batch.plan.flush;

  JoinedBatch joined;
  joined.commit = *last_commit_;
  joined.reading_micros = batch.reading_micros;
  if (options_.durable) joined.deltas = runner_->TakeDeltas();
  joined.closing_micros = SteadyMicros() - started;
  if (Status planned = PlanNext(); !planned) return tl::unexpected(planned.error());
  if (planned_ && options_.durable) {
    joined.next_plan = planned_->plan;
    planned_->logged = true;
  }
  if (finisher_.has_listener()) joined.progress = MakeProgress(batch, outcome);
  return joined;
}

// After a batch: the one without data that is due, or what there is to read already.
Status MicroBatchQuery::PlanNext() {
  if (finished_) return {};
  if (no_data_due()) {
    PlanNoData(clock_->Now());
  } else if (options_.plans_ahead) {
    const Result<bool> planned = PlanData(false, clock_->Now());
    if (!planned) return tl::unexpected(planned.error());
  }
  return {};
}

void MicroBatchQuery::SetRowsListener(const std::function<void()>& listener) {
  for (const std::unique_ptr<SliceReader>& reader : readers_) {
    reader->source().SetRowsListener(listener);
  }
}

void MicroBatchQuery::SetStartedListener(std::function<void()> listener) {
  started_listener_ = std::move(listener);
}

void MicroBatchQuery::SetProgressListener(std::function<void(const BatchProgress&)> listener) {
  finisher_.SetProgressListener(std::move(listener));
}

void MicroBatchQuery::Interrupt() {
  interrupted_ = true;
  for (const std::unique_ptr<SliceReader>& reader : readers_) reader->Interrupt();
  sinks_.Interrupt();
}

void MicroBatchQuery::Abandon() {
  abandoned_.Raise();
  if (queue_ != nullptr) queue_->Abandon();
}

std::optional<int64_t> MicroBatchQuery::last_batch() const { return finisher_.last_batch(); }

WaitingRows MicroBatchQuery::waiting() const {
  WaitingRows waiting;
  waiting.watermark = tracker_->current();
  const std::optional<size_t> holder = tracker_->holding_back();
  for (size_t table = 0; holder && table < watermark_index_.size(); ++table) {
    if (watermark_index_[table] != holder) continue;
    waiting.held_back_by = table_names_[table];
    waiting.holder_has_row_time = tracker_->table_watermark(*holder).has_value();
    waiting.holder_delay = input(table).watermark->delay;
  }
  if (!plan_->join) return waiting;
  for (const Side side : kBothSides) {
    waiting.rows[Index(side)] = runner_->num_state_rows(side);
    const std::optional<Interval>& offset = plan_->join->side(side).eviction_offset;
    const std::optional<EventTime> oldest = runner_->oldest_time(side);
    if (!offset || !oldest) continue;
    // The row leaves when time < watermark + offset: one microsecond later, in whole milliseconds.
    const EventTime leaves = *oldest - *offset + Interval{1};
    Watermark mark = WatermarkAfter(leaves, Interval{0});
    if (AtMicros(mark) < leaves) ++mark.millis;
    waiting.needed[Index(side)] = mark;
  }
  return waiting;
}

void MicroBatchQuery::ReportEventTimes(const PlannedBatch& batch, BatchProgress* progress) const {
  int64_t count = 0;
  double sum = 0;
  for (const BatchSlices& slices : batch.slices) {
    for (const ReadSlice& slice : slices.slices) {
      const ReadRows& rows = slice.rows;
      // Times that nobody believes are all later than those that are.
      if (!rows.max_time) continue;
      progress->event_time_min =
          std::min(progress->event_time_min.value_or(*rows.min_time), *rows.min_time);
      progress->event_time_max =
          std::max(progress->event_time_max.value_or(*rows.max_time), *rows.max_time);
      count += rows.time_count;
      sum += rows.time_sum_micros;
    }
  }
  if (count > 0) {
    progress->event_time_average = EventTime{std::llround(sum / static_cast<double>(count))};
  }
}

void MicroBatchQuery::ReportSources(const PlannedBatch& batch, const BatchOutcome& outcome,
                                    BatchProgress* progress) const {
  const std::optional<size_t> holder = tracker_->holding_back();
  std::vector<uint8_t> paused;
  if (options_.state_limits.pauses()) paused = PausedTables();
  for (size_t table = 0; table < readers_.size(); ++table) {
    SourceProgress source;
    source.description = readers_[table]->source().description();
    source.table = table_names_[table];
    source.start_offset = offsets_[table];
    for (const OffsetRange& range : batch.plan.sources) {
      if (range.table == source.table) source.start_offset = range.start;
    }
    source.end_offset = offsets_[table];
    source.latest_offset = readers_[table]->source().latest_offset();
    source.finished = readers_[table]->ended();
    const int64_t idle_micros = batch.plan.processing_time.micros - last_rows_[table].micros;
    source.idle_ms = std::max<int64_t>(0, idle_micros / 1000);
    source.backlog_bytes = readers_[table]->backlog_bytes();
    source.bad_records_location = readers_[table]->source().bad_records_location();
    if (table < outcome.arrivals.size()) source.num_late_rows = outcome.arrivals[table].late;
    if (table < batch.slices.size()) {
      source.num_input_rows = CountRows(batch.slices[table]);
      for (const ReadSlice& slice : batch.slices[table].slices) {
        source.num_bad_records += slice.num_bad_records;
        source.num_future_rows += slice.rows.num_ahead;
      }
    }
    if (const std::optional<size_t> index = watermark_index(table)) {
      source.max_event_time = tracker_->max_time(*index);
      source.watermark = tracker_->table_watermark(*index);
      source.holds_back = holder == index;
      source.idle = tracker_->idle(*index);
    }
    source.paused = !paused.empty() && paused[table] != 0;
    progress->num_input_rows += source.num_input_rows;
    progress->sources.push_back(std::move(source));
  }
}

void MicroBatchQuery::ReportState(const BatchOutcome& outcome, BatchProgress* progress) const {
  StateOperatorProgress state;
  state.num_left_rows = runner_->num_state_rows(Side::kLeft);
  state.num_right_rows = runner_->num_state_rows(Side::kRight);
  state.num_rows_total = state.num_left_rows + state.num_right_rows;
  state.num_rows_updated = outcome.join.updated;
  state.num_rows_removed = outcome.join.removed;
  for (const ArrivalCounts& counts : outcome.arrivals) {
    state.num_rows_dropped_by_watermark += counts.late;
    state.rows_null_time += counts.null_time;
    state.rows_null_key += counts.null_key;
  }
  state.num_padded_rows = outcome.join.padded;
  state.memory_used_bytes = runner_->state_memory_bytes();
  state.memory_index_bytes = runner_->state_index_bytes();
  state.spilled_bytes = runner_->state_spilled_bytes();
  state.num_shuffle_partitions = runner_->num_partitions();
  state.all_updates_ms = outcome.updates_micros / 1000;
  state.all_removals_ms = outcome.removals_micros / 1000;
  progress->state = std::move(state);
}

BatchProgress MicroBatchQuery::MakeProgress(const PlannedBatch& batch,
                                            const BatchOutcome& outcome) const {
  BatchProgress progress;
  progress.id = query_id_;
  progress.run_id = run_id_;
  progress.name = options_.name;
  progress.timestamp = batch.plan.processing_time;
  progress.batch_id = batch.plan.batch_id;
  progress.no_data = batch.plan.no_data;
  progress.flush = batch.plan.flush;
  progress.has_watermark = std::any_of(watermark_index_.begin(), watermark_index_.end(),
                                       [](const auto& index) { return index.has_value(); });
  progress.watermark = batch.plan.watermark;
  progress.late_watermark = batch.plan.late_watermark;
  progress.next_watermark = tracker_->current();
  ReportEventTimes(batch, &progress);
  ReportSources(batch, outcome, &progress);
  if (plan_->join) ReportState(outcome, &progress);
  progress.sink_description = sinks_.result->description();
  progress.num_output_rows = outcome.num_output_rows;
  progress.num_row_errors = outcome.row_errors;
  if (plan_->late_rows) progress.num_late_rows_written = outcome.num_late_rows_written;
  if (plan_->unmatched_rows) {
    progress.num_unmatched_rows_written = outcome.num_unmatched_rows_written;
  }
  return progress;
}

}  // namespace braid
