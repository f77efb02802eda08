#include "engine/microbatch/batch_finisher.h"

#include "engine/microbatch/elapsed.h"

namespace braid {

Status BatchFinisher::Begin(const BatchPlan& plan, bool is_logged) {
  const int64_t started = SteadyMicros();
  if (durable_ && !is_logged) {
    if (Status logged = store_->WritePlan(plan); !logged) return logged;
  }
  const int64_t logged = SteadyMicros();
  planning_micros_ = logged - started;
  Status begun = sinks_->BeginBatch(plan.batch_id);
  publishing_micros_ = SteadyMicros() - logged;
  return begun;
}

Status BatchFinisher::Publish(int64_t batch_id) {
  const int64_t started = SteadyMicros();
  Status published = sinks_->PublishBatch(batch_id);
  publishing_micros_ += SteadyMicros() - started;
  if (!published) published.error().place.batch = batch_id;
  return published;
}

Status BatchFinisher::Commit(JoinedBatch batch) {
  const int64_t started = SteadyMicros();
  if (durable_) {
    const BatchPlan* next_plan = batch.next_plan ? &*batch.next_plan : nullptr;
    Status committed = store_->Commit(batch.commit, batch.deltas, next_plan);
    if (!committed) return committed;
  }
  for (size_t source = 0; source < sources_.size(); ++source) {
    const std::string& end = batch.commit.source_ends[source];
    if (end.empty()) continue;
    if (Status told = sources_[source]->Commit(end); !told) return told;
  }
  last_batch_ = batch.commit.batch_id;
  Report(&batch, SteadyMicros() - started);
  return {};
}

void BatchFinisher::Report(JoinedBatch* batch, int64_t commit_micros) const {
  if (!listener_ || !batch->progress) return;
  BatchProgress& progress = *batch->progress;
  const int64_t adding_micros = batch->running_micros + publishing_micros_;
  commit_micros += batch->closing_micros;
  const int64_t micros = batch->reading_micros + planning_micros_ + adding_micros + commit_micros;
  progress.duration_ms["getBatch"] = batch->reading_micros / 1000;
  progress.duration_ms["walCommit"] = planning_micros_ / 1000;
  progress.duration_ms["addBatch"] = adding_micros / 1000;
  progress.duration_ms["commitOffsets"] = commit_micros / 1000;
  progress.duration_ms["triggerExecution"] = micros / 1000;
  progress.batch_duration_ms = micros / 1000;
  progress.input_rows_per_second = PerSecond(progress.num_input_rows, micros);
  progress.processed_rows_per_second = PerSecond(progress.num_input_rows, micros);
  if (progress.state) progress.state->commit_ms = commit_micros / 1000;
  listener_(progress);
}

}  // namespace braid
