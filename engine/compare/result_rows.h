// What one mode gave, ready to be compared: a digest, a kind and the moment of each row.
//
// Ownership: the plan is borrowed, the rows are shared.
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/compare/collected_rows.h"
#include "engine/compare/compare_plan.h"
#include "engine/compare/comparison.h"
#include "engine/compare/row_match.h"

namespace braid {

// When nothing with a row time was read yet.
constexpr int64_t kNoEventTime = INT64_MIN;

// The largest row time read when each batch's rows came, by batch. Absent in per-record mode, where
// the rows say it themselves, in a column behind the plan's.
using BatchTimes = std::map<int64_t, int64_t>;

class ResultRows {
 public:
  // Linear.
  ResultRows(const ComparePlan* plan, std::shared_ptr<const CollectedRows> rows,
             const std::optional<BatchTimes>& batch_times);

  int64_t num_rows() const { return rows_->num_rows(); }
  RowKind kind(int64_t row) const { return kinds_[static_cast<size_t>(row)]; }
  // kNoEventTime if there was none.
  int64_t emitted_at(int64_t row) const { return emitted_[static_cast<size_t>(row)]; }
  // The final rows: what remains when the changes are applied. Once; sorted.
  std::vector<NumberedDigest> TakeFinalRows();
  std::array<DelayFigures, kNumRowKinds> MakeDelays();

  const ComparePlan& plan() const { return *plan_; }
  CollectedRows::Place PlaceOf(int64_t row) const { return rows_->PlaceOf(row); }
  // Whether the row holds one of the side.
  bool Holds(size_t side, const RowBatch& rows, int64_t row) const;
  std::optional<EventTime> RowTime(size_t side, const RowBatch& rows, int64_t row) const;
  std::vector<std::string> Values(int64_t row) const;

 private:
  void AddBlock(const CollectedRows::Block& block, const std::optional<BatchTimes>& batch_times);
  RowKind KindOf(const RowBatch& rows, int64_t row) const;

  const ComparePlan* plan_;
  std::shared_ptr<const CollectedRows> rows_;
  std::vector<NumberedDigest> digests_;
  std::vector<uint8_t> is_addition_;  // Of a changelog.
  std::vector<RowKind> kinds_;
  std::vector<int64_t> emitted_;
  std::array<std::vector<int64_t>, kNumRowKinds> delays_;
};

}  // namespace braid
