#include "engine/compare/mode_run.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "engine/microbatch/elapsed.h"
#include "engine/perrecord/per_record_query.h"

namespace braid {

namespace {

// Of all threads of the process.
int64_t ProcessorMicros() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1'000'000 + used.tv_nsec / 1'000;
}

std::string OperatorName(const StreamPlan& plan) {
  if (!plan.join) return "no join";
  const std::optional<PerRecordPlan>& per_record = plan.join->per_record;
  return per_record ? PerRecordOperatorName(per_record->chosen) : "symmetric hash join";
}

}  // namespace

ModeRun::~ModeRun() = default;

tl::unexpected<Error> ModeRun::InMode(const Error& error) const {
  Error named = error;
  named.message = fmt::format("in {} mode: {}", ModeName(mode_), error.message);
  return tl::unexpected(std::move(named));
}

Result<std::unique_ptr<ModeRun>> ModeRun::Prepare(Mode mode, std::string_view text,
                                                  JobOptions options) {
  std::unique_ptr<ModeRun> run(new ModeRun(mode));
  ModeRun* const self = run.get();
  options.defaults.emplace_back("execution.end-of-input", Option{"flush", {}});
  options.settings.emplace_back("execution.mode", Option{ModeName(mode), {}});
  options.ignores_checkpoint = true;
  options.sink = CollectInto(run->rows_);
  options.late_rows_sink = CollectInto(run->late_rows_);
  options.tells_event_time = true;
  options.block_listener = [self](const BlockNews& news) { self->TakeBlock(news); };
  options.planner = [self](const BoundQuery& query,
                           const Settings& settings) -> Result<StreamPlan> {
    Result<ComparePlan> planned = PlanComparison(query, settings);
    if (!planned) return tl::unexpected(planned.error());
    self->plan_ = std::move(*planned);
    return self->plan_.plan;
  };
  Result<std::unique_ptr<Job>> job = Job::Prepare(text, options);
  if (!job) return run->InMode(job.error());
  run->job_ = std::move(*job);
  run->figures_.operator_name = OperatorName(run->plan_.plan);
  return run;
}

Status ModeRun::CheckInput() {
  const Result<std::vector<std::unique_ptr<Source>>> sources = job_->MakeSources();
  if (!sources) return InMode(sources.error());
  const std::optional<Trigger>& trigger = job_->settings().trigger;
  const bool until_latest = trigger && trigger->kind == Trigger::Kind::kAvailableNow;
  for (const std::unique_ptr<Source>& source : *sources) {
    // What is there now can be read again of files alone.
    const bool ends = source->is_finite() || (until_latest && !source->location().empty());
    if (!ends) {
      return Fail(ErrorCode::kInvalidOption,
                  fmt::format("{} does not end: compare reads the same input twice. Write some of "
                              "it to a file first, or of a watched folder read what there is now "
                              "with --trigger available-now",
                              source->description()));
    }
    if (!source->can_replay()) {
      return Fail(ErrorCode::kInvalidOption,
                  fmt::format("{} cannot be read twice, once in each mode: write it to a file "
                              "first",
                              source->description()));
    }
  }
  return {};
}

void ModeRun::TakeBlock(const BlockNews& news) {
  samples_.Add({news.event_time, news.watermark, news.num_state_rows, news.state_bytes});
}

void ModeRun::TakeProgress(const BatchProgress& progress) {
  figures_.num_output_rows += progress.num_output_rows;
  figures_.num_row_errors += progress.num_row_errors;
  figures_.tables.resize(progress.sources.size());
  for (size_t table = 0; table < progress.sources.size(); ++table) {
    const SourceProgress& source = progress.sources[table];
    figures_.tables[table].name = source.table;
    figures_.tables[table].num_rows += source.num_input_rows;
    if (mode_ == Mode::kMicroBatch) figures_.num_late += source.num_late_rows;
  }
  if (mode_ == Mode::kPerRecord) {
    // Rows that a join gives to the next one can be late there, too.
    if (progress.state) figures_.num_late += progress.state->num_rows_dropped_by_watermark;
    return;
  }
  if (progress.event_time_max) {
    event_time_ =
        event_time_ ? std::max(*event_time_, *progress.event_time_max) : *progress.event_time_max;
  }
  batch_times_[progress.batch_id] = event_time_ ? event_time_->micros : kNoEventTime;
  StateSample sample{event_time_, progress.watermark, 0, 0};
  if (progress.state) {
    sample.state_rows = progress.state->num_rows_total;
    sample.state_bytes = progress.state->memory_used_bytes;
  }
  samples_.Add(sample);
}

Status ModeRun::Run() {
  const int64_t wall = SteadyMicros();
  const int64_t processor = ProcessorMicros();
  Status run = job_->Open();
  if (run) {
    job_->running().SetProgressListener(
        [this](const BatchProgress& progress) { TakeProgress(progress); });
    run = job_->Run();
  }
  if (!run) return InMode(run.error());
  job_.reset();
  figures_.wall_micros = SteadyMicros() - wall;
  figures_.processor_micros = ProcessorMicros() - processor;
  figures_.samples = samples_.samples();
  figures_.state_rows_max = samples_.state_rows_max();
  figures_.state_bytes_max = samples_.state_bytes_max();
  return {};
}

ResultRows ModeRun::TakeResult() {
  const bool by_batch = mode_ == Mode::kMicroBatch;
  return {&plan_, std::move(rows_), by_batch ? std::optional(batch_times_) : std::nullopt};
}

LateRows ModeRun::TakeLateRows() { return {plan_, *late_rows_}; }

}  // namespace braid
