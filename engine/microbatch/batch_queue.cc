#include "engine/microbatch/batch_queue.h"

#include <algorithm>

namespace braid {

Status BatchQueue::Put(Step step, int64_t num_bytes) {
  const bool begins = std::holds_alternative<BeginStep>(step);
  const auto may_go_on = [&] {
    if (abandoned_) return true;
    return begins ? num_batches_ < kBatchesMax : num_bytes == 0 || num_bytes_ < kBytesMax;
  };
  std::unique_lock lock(mutex_);
  if (!may_go_on()) {
    activity_->SetJoining(false);
    has_room_.wait(lock, may_go_on);
    activity_->SetJoining(true);
  }
  if (abandoned_) return Fail(ErrorCode::kCancelled, "the batches in line were given up");
  if (begins) ++num_batches_;
  num_bytes_ += num_bytes;
  steps_.push_back(std::move(step));
  has_steps_.notify_one();
  return {};
}

Status BatchQueue::Begin(const BatchPlan& plan, bool is_logged) {
  return Put(BeginStep{plan, is_logged}, 0);
}

Status BatchQueue::Write(Rows rows) {
  const int64_t num_bytes = std::max<int64_t>(rows.rows.byte_size(), 1);
  return Put(std::move(rows), num_bytes);
}

Status BatchQueue::Publish(int64_t batch_id) { return Put(PublishStep{batch_id}, 0); }

Status BatchQueue::Commit(JoinedBatch batch) { return Put(std::move(batch), 0); }

void BatchQueue::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  activity_->SetJoining(false);
  has_steps_.notify_one();
}

void BatchQueue::Open() {
  const std::lock_guard lock(mutex_);
  closed_ = false;
  activity_->SetJoining(true);
  // A batch that failed while it was joined was never committed.
  num_batches_ = 0;
}

void BatchQueue::Abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  steps_.clear();
  has_room_.notify_all();
}

void BatchQueue::NoteCommitted() {
  const std::lock_guard lock(mutex_);
  --num_batches_;
  has_room_.notify_all();
}

Status BatchQueue::Drain(BatchOutput* output) {
  std::vector<Step> steps;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      has_steps_.wait(lock, [this] { return closed_ || !steps_.empty(); });
      if (steps_.empty()) return {};
      steps = std::exchange(steps_, {});
      num_bytes_ = 0;
      has_room_.notify_all();
    }
    if (Status taken = Take(std::move(steps), output); !taken) {
      Abandon();
      return taken;
    }
  }
}

Status BatchQueue::Take(std::vector<Step> steps, BatchOutput* output) {
  std::vector<Rows> rows;
  for (Step& step : steps) {
    if (auto* written = std::get_if<Rows>(&step)) {
      rows.push_back(std::move(*written));
      continue;
    }
    if (Status status = WriteAll(&rows); !status) return status;
    Status status;
    if (const auto* begun = std::get_if<BeginStep>(&step)) {
      running_batch_ = begun->plan.batch_id;
      activity_->BeginOutput(running_batch_, BatchPhase::kPlanning);
      status = output->Begin(begun->plan, begun->is_logged);
    } else if (const auto* published = std::get_if<PublishStep>(&step)) {
      activity_->BeginOutput(running_batch_, BatchPhase::kPublishing);
      status = output->Publish(published->batch_id);
    } else {
      activity_->BeginOutput(running_batch_, BatchPhase::kCommitting);
      status = output->Commit(std::move(std::get<JoinedBatch>(step)));
      NoteCommitted();
    }
    if (!status) return status;
  }
  return WriteAll(&rows);
}

// In order within each partition.
Status BatchQueue::WriteAll(std::vector<Rows>* rows) {
  if (rows->empty()) return {};
  activity_->BeginOutput(running_batch_, BatchPhase::kPublishing);
  int num_partitions = 0;
  for (const Rows& part : *rows) num_partitions = std::max(num_partitions, part.partition + 1);
  const auto write = [rows](size_t partition) -> Status {
    for (Rows& part : *rows) {
      if (static_cast<size_t>(part.partition) != partition) continue;
      if (Status written = part.sink->Write(part.partition, part.rows); !written) return written;
      part.rows = {};
    }
    return {};
  };
  Status status = writers_->RunAll(static_cast<size_t>(num_partitions), write);
  rows->clear();
  if (!status) status.error().place.batch = running_batch_;
  return status;
}

}  // namespace braid
