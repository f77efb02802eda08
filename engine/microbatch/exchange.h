// Routes rows to partitions by their key words, so that equal keys of both sides meet in one.
//
// Thread rule: a free function over immutable arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "state/rows/key_word.h"

namespace braid {

// Row numbers of each partition, rising. One partition gets all rows.
std::vector<std::vector<int32_t>> RouteRows(const KeyWords& keys, int64_t num_rows,
                                            uint32_t num_partitions);

}  // namespace braid
