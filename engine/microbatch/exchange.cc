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
  std::vector<uint32_t> partition_of(static_cast<size_t>(num_rows));
  std::vector<size_t> counts(num_partitions);
  for (size_t row = 0; row < partition_of.size(); ++row) {
    partition_of[row] = PartitionOf(keys.words[row], num_partitions);
    ++counts[partition_of[row]];
  }
  std::vector<int32_t*> ends(num_partitions);
  for (uint32_t partition = 0; partition < num_partitions; ++partition) {
    partitions[partition].resize(counts[partition]);
    ends[partition] = partitions[partition].data();
  }
  for (size_t row = 0; row < partition_of.size(); ++row) {
    *ends[partition_of[row]]++ = static_cast<int32_t>(row);
  }
  return partitions;
}

}  // namespace braid
