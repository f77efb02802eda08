#include "engine/microbatch/activity_recorder.h"

#include <algorithm>

namespace braid {

QueryActivity ActivityRecorder::activity() const {
  const std::lock_guard lock(mutex_);
  QueryActivity activity = activity_;
  if (!joining_ && output_) {
    activity = *output_;
    activity.is_trigger_active = activity_.is_trigger_active;
    activity.is_data_available = activity_.is_data_available;
    activity.is_paused = activity_.is_paused;
  }
  if (activity.total > 0) activity.done = std::min(activity.done, activity.total);
  return activity;
}

void ActivityRecorder::BeginTrigger() {
  const std::lock_guard lock(mutex_);
  activity_.is_trigger_active = true;
}

void ActivityRecorder::EndTrigger(int64_t next_batch) {
  const std::lock_guard lock(mutex_);
  const QueryActivity before = activity_;
  activity_ = {};
  activity_.is_data_available = before.is_data_available;
  activity_.is_paused = before.is_paused;
  activity_.batch_id = next_batch;
  joining_ = true;
  output_.reset();
  batches_.clear();
}

void ActivityRecorder::SetDataAvailable(bool available) {
  const std::lock_guard lock(mutex_);
  activity_.is_data_available = available;
}

void ActivityRecorder::SetPaused(bool paused) {
  const std::lock_guard lock(mutex_);
  activity_.is_paused = paused;
}

void ActivityRecorder::BeginBatch(int64_t batch_id, int64_t num_input_rows) {
  const std::lock_guard lock(mutex_);
  activity_.batch_id = batch_id;
  activity_.num_input_rows = num_input_rows;
  activity_.num_output_rows = 0;
  if (batches_.size() == kBatchesKept) batches_.pop_front();
  batches_.push_back({batch_id, num_input_rows, 0});
}

void ActivityRecorder::BeginPhase(BatchPhase phase, ProgressUnit unit, int64_t total) {
  const std::lock_guard lock(mutex_);
  activity_.phase = phase;
  activity_.unit = unit;
  activity_.done = 0;
  activity_.total = total;
}

void ActivityRecorder::Advance(BatchPhase phase, int64_t count) {
  const std::lock_guard lock(mutex_);
  if (activity_.phase == phase) activity_.done += count;
}

void ActivityRecorder::AddTotal(BatchPhase phase, int64_t count) {
  const std::lock_guard lock(mutex_);
  if (activity_.phase == phase) activity_.total += count;
}

void ActivityRecorder::AddOutputRows(int64_t count) {
  const std::lock_guard lock(mutex_);
  activity_.num_output_rows += count;
  if (!batches_.empty()) batches_.back().num_output_rows += count;
}

void ActivityRecorder::BeginOutput(int64_t batch_id, BatchPhase phase) {
  const std::lock_guard lock(mutex_);
  while (!batches_.empty() && batches_.front().batch_id < batch_id) batches_.pop_front();
  output_.emplace();
  output_->batch_id = batch_id;
  output_->phase = phase;
  if (batches_.empty()) return;
  output_->num_input_rows = batches_.front().num_input_rows;
  output_->num_output_rows = batches_.front().num_output_rows;
}

void ActivityRecorder::SetJoining(bool joining) {
  const std::lock_guard lock(mutex_);
  joining_ = joining;
}

}  // namespace braid
