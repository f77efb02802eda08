#include "braid/memory_result.h"

#include "state/rows/longest_wait.h"

namespace braid {

std::vector<int64_t> MemoryResult::batch_ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<int64_t> ids;
  for (const auto& [id, rows] : batches_) ids.push_back(id);
  return ids;
}

std::vector<RowBatch> MemoryResult::Batch(int64_t batch_id) const {
  const std::lock_guard lock(mutex_);
  const auto batch = batches_.find(batch_id);
  return batch == batches_.end() ? std::vector<RowBatch>() : batch->second;
}

std::vector<RowBatch> MemoryResult::Rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<RowBatch> all;
  for (const auto& [id, rows] : batches_) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

int64_t MemoryResult::num_rows() const {
  const std::lock_guard lock(mutex_);
  int64_t count = 0;
  for (const auto& [id, batches] : batches_) {
    for (const RowBatch& rows : batches) count += rows.num_rows();
  }
  return count;
}

bool MemoryResult::AwaitBatch(int64_t batch_id, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return published_.wait_for(lock, WaitAtMost(timeout),
                             [&] { return batches_.contains(batch_id); });
}

}  // namespace braid
