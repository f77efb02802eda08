#include "state/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "state/rows/check.h"

namespace braid {

namespace {

constexpr size_t kAlignment = 64;

size_t RoundUp(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

// Maps zeroed memory at a multiple of 2 MiB. REQUIRES: bytes is a multiple of 2 MiB.
void* MapHuge(size_t bytes) {
  const size_t padded = bytes + Arena::kRegionBytes;
  void* mapped = mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  BRAID_CHECK(mapped != MAP_FAILED, "out of memory");
  const uintptr_t address = reinterpret_cast<uintptr_t>(mapped);
  const uintptr_t aligned = RoundUp(address, Arena::kRegionBytes);
  if (aligned > address) munmap(mapped, aligned - address);
  const size_t behind = address + padded - (aligned + bytes);
  if (behind > 0) munmap(reinterpret_cast<void*>(aligned + bytes), behind);
  void* memory = reinterpret_cast<void*>(aligned);
  // A refusal costs speed only.
  (void)madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

struct Arena::Region {
  char* memory = nullptr;
  size_t block_bytes = 0;
  size_t num_free = 0;
  size_t list_position = 0;          // In its partly-free list.
  uint64_t free_blocks[2] = {0, 0};  // At most 128 blocks.

  size_t num_blocks() const { return kRegionBytes / block_bytes; }

  void Split(size_t bytes) {
    block_bytes = bytes;
    num_free = num_blocks();
    free_blocks[0] = num_free >= 64 ? ~uint64_t{0} : (uint64_t{1} << num_free) - 1;
    free_blocks[1] = num_free == 128 ? ~uint64_t{0} : 0;
  }
  void* Take() {
    const size_t word = free_blocks[0] != 0 ? 0 : 1;
    const size_t bit = static_cast<size_t>(std::countr_zero(free_blocks[word]));
    free_blocks[word] &= free_blocks[word] - 1;
    --num_free;
    return memory + (word * 64 + bit) * block_bytes;
  }
  void Return(void* block) {
    const size_t index = static_cast<size_t>(static_cast<char*>(block) - memory) / block_bytes;
    BRAID_DCHECK((free_blocks[index / 64] >> (index % 64) & 1) == 0, "block freed twice");
    free_blocks[index / 64] |= uint64_t{1} << (index % 64);
    ++num_free;
  }
};

Arena::Arena() = default;

Arena::~Arena() {
  for (const auto& [address, region] : regions_) munmap(region->memory, kRegionBytes);
}

std::vector<Arena::Region*>& Arena::PartlyFree(size_t block_bytes) {
  return partly_free_[std::countr_zero(block_bytes) - std::countr_zero(kBlockBytesMin)];
}

Arena::Region* Arena::NewRegion() {
  auto region = std::make_unique<Region>();
  region->memory = static_cast<char*>(MapHuge(kRegionBytes));
  Region* result = region.get();
  regions_.emplace(reinterpret_cast<uintptr_t>(result->memory), std::move(region));
  return result;
}

void Arena::DropRegion(Region* region) {
  munmap(region->memory, kRegionBytes);
  regions_.erase(reinterpret_cast<uintptr_t>(region->memory));
}

void Arena::RemoveFromPartlyFree(Region* region) {
  std::vector<Region*>& list = PartlyFree(region->block_bytes);
  Region* last = list.back();
  list[region->list_position] = last;
  last->list_position = region->list_position;
  list.pop_back();
}

void* Arena::Allocate(size_t bytes) {
  const bool block =
      std::has_single_bit(bytes) && bytes >= kBlockBytesMin && bytes <= kBlockBytesMax;
  // A state that has grown keeps to its regions, whose pages are there already.
  if (!block || (regions_.empty() && heap_bytes_ + bytes <= kHeapBytesMax)) {
    const size_t rounded = RoundUp(std::max<size_t>(bytes, 1), kAlignment);
    void* memory = std::aligned_alloc(kAlignment, rounded);
    BRAID_CHECK(memory != nullptr, "out of memory");
    heap_bytes_ += rounded;
    return memory;
  }
  std::vector<Region*>& list = PartlyFree(bytes);
  if (list.empty()) {
    Region* region = nullptr;
    if (spare_.empty()) {
      region = NewRegion();
    } else {
      region = spare_.back();
      spare_.pop_back();
    }
    region->Split(bytes);
    region->list_position = 0;
    list.push_back(region);
  }
  Region* region = list.back();
  void* memory = region->Take();
  if (region->num_free == 0) list.pop_back();
  return memory;
}

void Arena::Free(void* block, size_t bytes) {
  if (block == nullptr) return;
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  const auto found = regions_.find(address / kRegionBytes * kRegionBytes);
  if (found == regions_.end()) {
    heap_bytes_ -= RoundUp(std::max<size_t>(bytes, 1), kAlignment);
    std::free(block);
    return;
  }
  Region* region = found->second.get();
  BRAID_DCHECK(region->block_bytes == bytes, "block freed with another size");
  if (region->num_free == 0) {
    std::vector<Region*>& list = PartlyFree(region->block_bytes);
    region->list_position = list.size();
    list.push_back(region);
  }
  region->Return(block);
  if (region->num_free < region->num_blocks()) return;
  RemoveFromPartlyFree(region);
  if (spare_.size() < 2 + regions_.size() / 8) {
    spare_.push_back(region);
  } else {
    DropRegion(region);
  }
}

void Arena::ReleaseSpare() {
  for (Region* region : spare_) DropRegion(region);
  spare_.clear();
}

ZeroedMemory::ZeroedMemory(size_t bytes) : bytes_(bytes), mapped_(bytes >= Arena::kRegionBytes) {
  if (mapped_) {
    bytes_ = RoundUp(bytes, Arena::kRegionBytes);
    data_ = MapHuge(bytes_);
  } else {
    data_ = std::calloc(std::max<size_t>(bytes, 1), 1);
    BRAID_CHECK(data_ != nullptr, "out of memory");
  }
}

ZeroedMemory::~ZeroedMemory() {
  if (data_ == nullptr) return;
  if (mapped_) {
    munmap(data_, bytes_);
  } else {
    std::free(data_);
  }
}

ZeroedMemory::ZeroedMemory(ZeroedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      mapped_(other.mapped_) {}

ZeroedMemory& ZeroedMemory::operator=(ZeroedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

}  // namespace braid
