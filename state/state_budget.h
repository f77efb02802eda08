// How much memory the payload columns of all sides and partitions of a query may take together
// (state.memory.budget), and where the rest goes. Entries, heads and marks, about 24 bytes a row,
// are not part of it.
//
// Each side state counts its own columns and puts its own chunks on disk. An open chunk stays in
// memory, so the sum may be above the budget by one open chunk a side and partition.
//
// Thread rule: any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace braid {

class StateBudget {
 public:
  // `folder`: where side states put their files.
  StateBudget(int64_t bytes_max, std::string folder)
      : bytes_max_(bytes_max), folder_(std::move(folder)) {}
  StateBudget(const StateBudget&) = delete;
  StateBudget& operator=(const StateBudget&) = delete;

  void Add(int64_t bytes) { used_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  int64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  int64_t bytes_max() const { return bytes_max_; }
  bool is_exceeded() const { return used_bytes() > bytes_max_; }
  const std::string& folder() const { return folder_; }

 private:
  const int64_t bytes_max_;
  const std::string folder_;
  std::atomic<int64_t> used_bytes_{0};
};

}  // namespace braid
