// Rows of two workloads in memory, in arrival order, up to 4 s late. A pair matches when the right
// row comes at most a window after the left one.
//
// Thread rule: immutable once made.
#pragma once

#include <cstdint>
#include <vector>

#include "braid/row_batch.h"
#include "state/rows/key_word.h"

namespace braid {

// Columns of one side of one batch.
struct WorkloadSide {
  KeyWords keys;
  Column times;
  std::vector<Column> payload;  // A number; left also a price.
  std::vector<int32_t> rows;    // All of them.
  int64_t time_max = 0;         // Microseconds; largest so far, earlier batches included.
};

struct WorkloadBatch {
  WorkloadSide left;
  WorkloadSide right;
};

struct WorkloadRows {
  std::vector<WorkloadBatch> batches;
  int64_t num_rows = 0;     // Both sides.
  int64_t num_matches = 0;  // Pairs with right.time - left.time in [0, window].
};

// Impressions (left, `num_left`, 10,000 a second, `batch_rows` of them a batch) and clicks, within
// the window for three impressions in ten. The same rows for the same arguments.
WorkloadRows MakeAdClickRows(int64_t num_left, int64_t batch_rows, int64_t window_seconds);

// Auctions (left, `num_left`, 1,000 a second, `batch_rows` of them a batch) and bids (10,000 a
// second) on 100 ids that are alive at a time, the newest the hottest; half of the auctions list a
// live id again.
WorkloadRows MakeAuctionRows(int64_t num_left, int64_t batch_rows, int64_t window_seconds);

}  // namespace braid
