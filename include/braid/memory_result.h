// A table in memory that a query writes: what a test finds the output in. It outlives the query and
// may be written on after a restart.
//
// Thread rule: any number of threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "braid/export.h"
#include "braid/row_batch.h"

namespace braid {

// What a query has published: rows by batch id, every batch once.
class BRAID_EXPORT MemoryResult {
 public:
  // Ids of the published batches, rising; empty batches count.
  std::vector<int64_t> batch_ids() const;

  // The rows of a batch by partition, then in the order written; empty if it is not published.
  std::vector<RowBatch> Batch(int64_t batch_id) const;

  // All rows, in the order of their batches.
  std::vector<RowBatch> Rows() const;
  int64_t num_rows() const;

  // Waits until the batch is published; false if that takes longer than `timeout`.
  bool AwaitBatch(int64_t batch_id, std::chrono::milliseconds timeout) const;

 private:
  friend class MemorySink;

  mutable std::mutex mutex_;
  mutable std::condition_variable published_;
  std::map<int64_t, std::vector<RowBatch>> batches_;
};

}  // namespace braid
