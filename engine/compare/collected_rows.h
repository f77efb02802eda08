// The rows that a run writes, kept in memory in the blocks in which they came.
//
// A row's number counts all rows of the run in the order in which they came.
//
// Thread rule: as Sink; all else by one thread when the run is over.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "braid/connector.h"
#include "braid/row_batch.h"
#include "braid/sink.h"

namespace braid {

class CollectedRows {
 public:
  struct Block {
    RowBatch rows;
    int64_t batch_id = 0;
    int64_t first_row = 0;  // The number of its first row.
  };
  struct Place {
    const Block* block = nullptr;
    int64_t row = 0;  // In the block.
  };

  void Add(const RowBatch& rows, int64_t batch_id);

  const std::vector<Block>& blocks() const { return blocks_; }
  int64_t num_rows() const { return num_rows_; }
  bool has_changes() const { return has_changes_; }
  // Logarithmic in the blocks. REQUIRES: row < num_rows().
  Place PlaceOf(int64_t row) const;

 private:
  std::mutex mutex_;
  std::vector<Block> blocks_;
  int64_t num_rows_ = 0;
  bool has_changes_ = false;
};

// Sinks that write to `rows`, whatever the table. They take changes.
SinkFactory CollectInto(std::shared_ptr<CollectedRows> rows);

}  // namespace braid
