#include "state/payload_spill.h"

#include <algorithm>
#include <utility>

namespace braid {

namespace {

// An open chunk of this size is not closed before its time, however small the budget: chunks have
// numbers, and these are not without end.
constexpr int64_t kOpenBytesMin = 64 << 10;
constexpr int64_t kOpenStringBytesMin = 1 << 20;

// So many open chunks, one a side and partition, may fill the budget.
constexpr int64_t kOpenChunks = 64;

int64_t BytesOf(const Column& column) {
  if (!column.type().is_variable_width()) return column.length() * column.type().byte_width();
  return column.length() * 4 + column.offsets()[column.length()] - column.offsets()[0];
}

}  // namespace

uint64_t OpenStringBytesMax(const StateBudget& budget) {
  return static_cast<uint64_t>(std::max(kOpenStringBytesMin, budget.bytes_max() / kOpenChunks));
}

PayloadSpill::PayloadSpill(std::shared_ptr<StateBudget> budget)
    : budget_(std::move(budget)), file_(budget_->folder()) {}

PayloadSpill::~PayloadSpill() { Forget(); }

bool PayloadSpill::IsLargeOpen(int64_t payload_bytes) const {
  return payload_bytes > std::max(kOpenBytesMin, budget_->bytes_max() / kOpenChunks);
}

bool PayloadSpill::FindRead(std::span<const RowId> rows, std::vector<int32_t>* places) const {
  if (read_rows_.empty()) return false;
  places->clear();
  places->reserve(rows.size());
  for (const RowId row : rows) {
    const auto found = std::lower_bound(read_rows_.begin(), read_rows_.end(), row);
    if (found == read_rows_.end() || *found != row) return false;
    places->push_back(static_cast<int32_t>(found - read_rows_.begin()));
  }
  return true;
}

void PayloadSpill::KeepRead(std::vector<RowId> rows, std::vector<Column> columns) {
  Forget();
  read_rows_ = std::move(rows);
  read_columns_ = std::move(columns);
  for (const Column& column : read_columns_) read_bytes_ += BytesOf(column);
  budget_->Add(read_bytes_);
}

void PayloadSpill::Forget() {
  budget_->Add(-std::exchange(read_bytes_, 0));
  read_rows_.clear();
  read_columns_.clear();
}

}  // namespace braid
