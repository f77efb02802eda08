// Memory for the arrays of chunks. Large states take blocks of a power of two out of regions of
// 2 MiB that the kernel may back with huge pages (madvise works on no smaller ones); small states
// take theirs from the heap, so that a state of ten rows costs what ten rows need.
//
// Blocks are not zeroed. A freed block is used again before the system is asked; a region without
// used blocks goes back to the system, but for a few spare ones.
//
// Ownership: whoever allocates frees with the same size. Out of memory ends the program.
// Thread rule: one thread at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace braid {

class Arena {
 public:
  static constexpr size_t kRegionBytes = size_t{2} << 20;
  static constexpr size_t kBlockBytesMin = size_t{16} << 10;
  static constexpr size_t kBlockBytesMax = size_t{1} << 20;
  // Below this many used bytes blocks come from the heap, as long as there are no regions.
  static constexpr size_t kHeapBytesMax = size_t{4} << 20;

  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Aligned to 64 bytes. O(1).
  void* Allocate(size_t bytes);
  // `block` may be null.
  void Free(void* block, size_t bytes);

  // Gives the spare regions back too.
  void ReleaseSpare();

  // What the system gave: used and free blocks of all regions, and the blocks from the heap.
  int64_t reserved_bytes() const {
    return static_cast<int64_t>(regions_.size() * kRegionBytes + heap_bytes_);
  }
  int64_t num_regions() const { return static_cast<int64_t>(regions_.size()); }

 private:
  struct Region;
  using RegionPointer = std::unique_ptr<Region>;

  std::vector<Region*>& PartlyFree(size_t block_bytes);
  Region* NewRegion();
  void DropRegion(Region* region);
  void RemoveFromPartlyFree(Region* region);

  boost::unordered_flat_map<uintptr_t, RegionPointer> regions_;  // By address.
  std::vector<Region*> partly_free_[7];                          // 16 KiB .. 1 MiB.
  std::vector<Region*> spare_;
  size_t heap_bytes_ = 0;
};

// A zeroed array of its own: from huge pages when it is large.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  explicit ZeroedMemory(size_t bytes);
  ~ZeroedMemory();
  ZeroedMemory(ZeroedMemory&& other) noexcept;
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
  bool mapped_ = false;
};

}  // namespace braid
