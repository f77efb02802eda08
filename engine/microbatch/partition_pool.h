// Runs one task a partition on a few threads, the caller's included.
//
// Thread rule: RunAll by one thread at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "braid/error.h"

namespace braid {

class PartitionPool {
 public:
  // `threads` in all; 1 runs everything on the caller's thread.
  explicit PartitionPool(int threads);
  ~PartitionPool();
  PartitionPool(const PartitionPool&) = delete;
  PartitionPool& operator=(const PartitionPool&) = delete;

  // Runs task(0) … task(count - 1) and returns when all have ended; the error of the first that
  // failed, by index.
  Status RunAll(size_t count, const std::function<Status(size_t)>& task);

 private:
  void Work();
  // Takes and runs tasks of the current round until none is left.
  void RunTasks(std::unique_lock<std::mutex>* lock);

  std::mutex mutex_;
  std::condition_variable round_started_;
  std::condition_variable round_ended_;
  const std::function<Status(size_t)>* task_ = nullptr;
  size_t count_ = 0;
  size_t next_ = 0;
  size_t running_ = 0;
  std::vector<Status> results_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace braid
