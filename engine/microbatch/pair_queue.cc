#include "engine/microbatch/pair_queue.h"

namespace braid {

void PairQueue::Open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  status_ = {};
}

bool PairQueue::EmitOne() {
  const std::lock_guard emitting(emitting_);
  PairBlock block;
  {
    const std::lock_guard lock(mutex_);
    if (blocks_.empty()) return false;
    block = std::move(blocks_.front());
    blocks_.pop_front();
    if (!status_) return true;  // What follows an error is not to be seen.
  }
  Status emitted = emit_(block);
  block.matches.Clear();
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(block.matches));
  if (!emitted) status_ = std::move(emitted);
  return true;
}

Status PairQueue::Put(Side side, const Arrivals& arrivals, Matches* matches) {
  PairBlock block{side, &arrivals, std::move(*matches)};
  size_t num_waiting = 0;
  Status status;
  {
    const std::lock_guard lock(mutex_);
    *matches = {};
    if (!spare_.empty()) {
      *matches = std::move(spare_.back());
      spare_.pop_back();
    }
    blocks_.push_back(std::move(block));
    num_waiting = open_ ? blocks_.size() : kBlocksMax;
    status = status_;
  }
  if (num_waiting < kBlocksMax) {
    has_blocks_.notify_one();
    return status;
  }
  EmitOne();
  const std::lock_guard lock(mutex_);
  return status_;
}

Status PairQueue::Flush() {
  while (EmitOne()) {
  }
  const std::lock_guard lock(mutex_);
  return status_;
}

Status PairQueue::Close() {
  Status flushed = Flush();
  const std::lock_guard lock(mutex_);
  open_ = false;
  has_blocks_.notify_one();
  return flushed;
}

void PairQueue::Drain() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      has_blocks_.wait(lock, [this] { return !open_ || !blocks_.empty(); });
      if (!open_ && blocks_.empty()) return;
    }
    EmitOne();
  }
}

}  // namespace braid
