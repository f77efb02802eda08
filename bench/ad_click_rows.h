// The rows of the ad-click workload in memory: impressions (left) and clicks (right) in arrival
// order, up to 4 s late, a click within 60 s for three impressions in ten.
#pragma once

#include <cstdint>
#include <vector>

#include "braid/row_batch.h"
#include "state/rows/key_word.h"

namespace braid {

// Columns of one side of one batch.
struct AdClickSide {
  KeyWords keys;
  Column times;
  std::vector<Column> payload;  // Left: campaign, price. Right: user.
  std::vector<int32_t> rows;    // All of them.
  int64_t time_max = 0;         // Microseconds; largest so far, earlier batches included.
};

struct AdClickBatch {
  AdClickSide left;
  AdClickSide right;
};

struct AdClickRows {
  std::vector<AdClickBatch> batches;
  int64_t num_rows = 0;     // Both sides.
  int64_t num_matches = 0;  // Pairs with right.time - left.time in [0 s, 60 s].
};

// `num_left` impressions, `batch_rows` of them a batch. The same rows for the same arguments.
AdClickRows MakeAdClickRows(int64_t num_left, int64_t batch_rows);

}  // namespace braid
