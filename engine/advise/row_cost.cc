#include "engine/advise/row_cost.h"

#include <numeric>
#include <vector>

#include "engine/microbatch/symmetric_hash_join.h"
#include "state/rows/entry_bytes.h"

namespace braid {

namespace {

// Eight chunks of state: so many that what the last one leaves free no longer counts.
constexpr int64_t kSampleRows = 1 << 17;
// Below two chunks it would count, and the rows are added up instead.
constexpr int64_t kMeasuredRowsMin = 1 << 15;

}  // namespace

RowCost::RowCost(const JoinPlan& plan, Side side)
    : state_(SymmetricHashJoin::StateOptions(plan, side, {})) {}

void RowCost::Sample(const Arrivals& arrivals) {
  if (num_rows_ >= kSampleRows || arrivals.num_rows == 0) return;
  std::vector<int32_t> rows(static_cast<size_t>(arrivals.num_rows));
  std::iota(rows.begin(), rows.end(), 0);
  ArrivingRows arriving;
  arriving.keys = &arrivals.keys;
  arriving.times = arrivals.time ? &*arrivals.time : nullptr;
  arriving.payload = arrivals.payload;
  arriving.rows = rows;
  state_.Append(arriving, {});
  num_rows_ += arrivals.num_rows;
  for (const Column& column : arrivals.payload) payload_bytes_ += column.byte_size();
}

double RowCost::bytes_per_row() const {
  if (num_rows_ == 0) return 0;
  const auto num_rows = static_cast<double>(num_rows_);
  if (num_rows_ < kMeasuredRowsMin) {
    return static_cast<double>(kEntryBytes) + static_cast<double>(payload_bytes_) / num_rows;
  }
  return static_cast<double>(state_.memory_bytes()) / num_rows;
}

}  // namespace braid
