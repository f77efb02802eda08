// Sorts rows by buckets of the upper bits of their keys: two passes over memory instead of a
// comparison sort, since spread keys are even.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/advise/keyed_row.h"

namespace braid {

// The `count` bits of a key below its `skipped` upper ones. REQUIRES: count >= 1.
constexpr uint64_t KeyBits(uint64_t key, int skipped, int count) {
  return (key << skipped) >> (64 - count);
}

// Copies `rows` to `to` in the order of their KeyBits; rows of one bucket keep their order.
// *ends becomes where each bucket ends. O(rows + 2^count). REQUIRES: `to` is as long as `rows`.
void ScatterToBuckets(std::span<const KeyedRow> rows, int skipped, int count,
                      std::span<KeyedRow> to, std::vector<uint32_t>* ends);

// Sorts rows whose `skipped` upper key bits are equal into `to`. `ends` is working space.
void SortBucket(std::span<const KeyedRow> rows, int skipped, std::span<KeyedRow> to,
                std::vector<uint32_t>* ends);

}  // namespace braid
