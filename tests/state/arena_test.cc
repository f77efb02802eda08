#include "state/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace braid {
namespace {

constexpr size_t kBlock = size_t{256} << 10;

// Fills the heap part, so that further blocks come from regions.
std::vector<void*> FillHeap(Arena* arena) {
  std::vector<void*> blocks;
  while (arena->num_regions() == 0) blocks.push_back(arena->Allocate(kBlock));
  return blocks;
}

TEST(ArenaTest, SmallStatesTakeWhatTheyNeedFromTheHeap) {
  Arena arena;
  void* block = arena.Allocate(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0U);
  EXPECT_EQ(arena.reserved_bytes(), 128);
  EXPECT_EQ(arena.num_regions(), 0);
  arena.Free(block, 100);
  EXPECT_EQ(arena.reserved_bytes(), 0);
}

TEST(ArenaTest, LargeStatesTakeBlocksOfRegions) {
  Arena arena;
  std::vector<void*> blocks = FillHeap(&arena);
  for (int i = 0; i < 20; ++i) blocks.push_back(arena.Allocate(kBlock));
  EXPECT_EQ(arena.num_regions(), 3) << "21 blocks of 256 KiB";
  const std::set<void*> distinct(blocks.begin(), blocks.end());
  EXPECT_EQ(distinct.size(), blocks.size());
  for (void* block : blocks) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0U);
    std::memset(block, 0xab, kBlock);
  }
  for (void* block : blocks) arena.Free(block, kBlock);
  arena.ReleaseSpare();
  EXPECT_EQ(arena.reserved_bytes(), 0);
}

TEST(ArenaTest, EveryBlockSizeFillsItsRegions) {
  for (size_t bytes = Arena::kBlockBytesMin; bytes <= Arena::kBlockBytesMax; bytes *= 2) {
    Arena arena;
    const std::vector<void*> heap = FillHeap(&arena);
    std::vector<void*> blocks;
    const size_t count = 2 * Arena::kRegionBytes / bytes;
    for (size_t i = 0; i < count; ++i) blocks.push_back(arena.Allocate(bytes));
    EXPECT_EQ(arena.num_regions(), 3) << bytes;
    const std::set<void*> distinct(blocks.begin(), blocks.end());
    EXPECT_EQ(distinct.size(), count);
    for (void* block : blocks) std::memset(block, 1, bytes);
    for (void* block : blocks) arena.Free(block, bytes);
    for (void* block : heap) arena.Free(block, kBlock);
    arena.ReleaseSpare();
    EXPECT_EQ(arena.reserved_bytes(), 0);
  }
}

TEST(ArenaTest, FreedBlocksAreUsedBeforeTheSystemIsAsked) {
  Arena arena;
  std::vector<void*> blocks = FillHeap(&arena);
  for (int i = 0; i < 40; ++i) blocks.push_back(arena.Allocate(kBlock));
  const int64_t reserved = arena.reserved_bytes();
  for (int round = 0; round < 200; ++round) {
    arena.Free(blocks[20], kBlock);
    blocks.erase(blocks.begin() + 20);
    blocks.push_back(arena.Allocate(kBlock));
    EXPECT_EQ(arena.reserved_bytes(), reserved);
  }
  for (void* block : blocks) arena.Free(block, kBlock);
  EXPECT_LE(arena.num_regions(), 3) << "few spare regions stay";
}

TEST(ArenaTest, ZeroedMemoryIsZeroWhateverItsSize) {
  for (const size_t bytes : {size_t{1}, size_t{4096}, size_t{3} << 20}) {
    const ZeroedMemory memory(bytes);
    EXPECT_GE(memory.bytes(), bytes);
    const char* data = static_cast<const char*>(memory.data());
    EXPECT_EQ(std::count(data, data + bytes, 0), static_cast<std::ptrdiff_t>(bytes));
  }
  ZeroedMemory moved(100);
  ZeroedMemory other = std::move(moved);
  other = ZeroedMemory(50);
  EXPECT_EQ(other.bytes(), 50U);
}

}  // namespace
}  // namespace braid
