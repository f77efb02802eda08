#include "engine/microbatch/exchange.h"

#include <numeric>

namespace braid {

std::vector<std::vector<int32_t>> RouteRows(const KeyWords& keys, int64_t num_rows,
                                            uint32_t num_partitions) {
  std::vector<std::vector<int32_t>> partitions(num_partitions);
  if (num_partitions == 1) {
    partitions[0].resize(static_cast<size_t>(num_rows));
    std::iota(partitions[0].begin(), partitions[0].end(), 0);
    return partitions;
  }
  for (std::vector<int32_t>& rows : partitions) {
    rows.reserve(static_cast<size_t>(num_rows) / num_partitions + 64);
  }
  for (int64_t row = 0; row < num_rows; ++row) {
    const uint64_t word = keys.words[static_cast<size_t>(row)];
    partitions[PartitionOf(word, num_partitions)].push_back(static_cast<int32_t>(row));
  }
  return partitions;
}

}  // namespace braid
