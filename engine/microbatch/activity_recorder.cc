#include "engine/microbatch/activity_recorder.h"

#include <algorithm>

namespace braid {

QueryActivity ActivityRecorder::activity() const {
  const std::lock_guard lock(mutex_);
  QueryActivity activity = activity_;
  if (activity.total > 0) activity.done = std::min(activity.done, activity.total);
  return activity;
}

void ActivityRecorder::BeginTrigger() {
  const std::lock_guard lock(mutex_);
  activity_.is_trigger_active = true;
}

void ActivityRecorder::EndTrigger(int64_t next_batch) {
  const std::lock_guard lock(mutex_);
  const bool available = activity_.is_data_available;
  activity_ = {};
  activity_.is_data_available = available;
  activity_.batch_id = next_batch;
}

void ActivityRecorder::SetDataAvailable(bool available) {
  const std::lock_guard lock(mutex_);
  activity_.is_data_available = available;
}

void ActivityRecorder::BeginBatch(int64_t batch_id, int64_t num_input_rows) {
  const std::lock_guard lock(mutex_);
  activity_.batch_id = batch_id;
  activity_.num_input_rows = num_input_rows;
  activity_.num_output_rows = 0;
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
}

}  // namespace braid
