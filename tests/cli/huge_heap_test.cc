#include "engine/cli/huge_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace braid {
namespace {

// Blocks of many sizes, all in use at a time; whether each keeps what was written to it.
bool BlocksKeepTheirBytes(uint8_t seed) {
  std::vector<std::vector<uint8_t>> blocks;
  for (size_t bytes = 16; bytes <= size_t{64} << 20; bytes *= 4) {
    blocks.emplace_back(bytes, static_cast<uint8_t>(seed + blocks.size()));
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const uint8_t written = static_cast<uint8_t>(seed + i);
    if (std::count(blocks[i].begin(), blocks[i].end(), written) != std::ssize(blocks[i])) {
      return false;
    }
  }
  return true;
}

TEST(HugeHeapTest, AllThreadsHaveMemoryFromIt) {
  UseHugeHeap();
  UseHugeHeap();  // Once more changes nothing.
  EXPECT_TRUE(BlocksKeepTheirBytes(1));
  bool is_kept = false;
  std::thread thread([&is_kept] { is_kept = BlocksKeepTheirBytes(100); });
  EXPECT_TRUE(BlocksKeepTheirBytes(50));
  thread.join();
  EXPECT_TRUE(is_kept);
}

}  // namespace
}  // namespace braid
