#include "engine/microbatch/partition_pool.h"

namespace braid {

PartitionPool::PartitionPool(int threads) {
  for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

PartitionPool::~PartitionPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  round_started_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PartitionPool::RunTasks(std::unique_lock<std::mutex>* lock) {
  while (next_ < count_) {
    const size_t index = next_++;
    ++running_;
    lock->unlock();
    Status result = (*task_)(index);
    lock->lock();
    results_[index] = std::move(result);
    --running_;
  }
  if (running_ == 0) round_ended_.notify_all();
}

void PartitionPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    round_started_.wait(lock, [this] { return stopping_ || next_ < count_; });
    if (stopping_) return;
    RunTasks(&lock);
  }
}

Status PartitionPool::RunAll(size_t count, const std::function<Status(size_t)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  count_ = count;
  next_ = 0;
  results_.assign(count, Status());
  if (count > 1) round_started_.notify_all();
  RunTasks(&lock);
  round_ended_.wait(lock, [this] { return running_ == 0 && next_ >= count_; });
  count_ = 0;
  next_ = 0;
  task_ = nullptr;
  for (Status& result : results_) {
    if (!result) return std::move(result);
  }
  return {};
}

}  // namespace braid
