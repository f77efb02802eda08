// What the partitions have written of a batch, until a sink publishes it whole.
//
// Thread rule: Add at the same time for different partitions; all else by one thread.
#pragma once

#include <cstddef>
#include <vector>

#include "braid/row_batch.h"

namespace braid {

class WrittenRows {
 public:
  void SetPartitions(int count) { rows_.resize(static_cast<size_t>(count)); }

  void Clear() {
    for (std::vector<RowBatch>& rows : rows_) rows.clear();
  }

  void Add(int partition, const RowBatch& rows) {
    if (rows.num_rows() > 0) rows_[static_cast<size_t>(partition)].push_back(rows);
  }

  // By partition, then in the order written.
  std::vector<RowBatch> InOrder() const {
    std::vector<RowBatch> all;
    for (const std::vector<RowBatch>& rows : rows_) all.insert(all.end(), rows.begin(), rows.end());
    return all;
  }

 private:
  std::vector<std::vector<RowBatch>> rows_;  // By partition.
};

}  // namespace braid
