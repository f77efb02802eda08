#include "engine/compare/result_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "braid/value.h"
#include "engine/compare/delay_figures.h"

namespace braid {

namespace {

constexpr uint64_t kContentSeed = 0;

int64_t EmissionTime(const CollectedRows::Block& block, int64_t row, int column,
                     const std::optional<BatchTimes>& batch_times) {
  if (!batch_times) return block.rows.Int64(column, row);
  const auto found = batch_times->find(block.batch_id);
  return found == batch_times->end() ? kNoEventTime : found->second;
}

}  // namespace

ResultRows::ResultRows(const ComparePlan* plan, std::shared_ptr<const CollectedRows> rows,
                       const std::optional<BatchTimes>& batch_times)
    : plan_(plan), rows_(std::move(rows)) {
  const auto size = static_cast<size_t>(rows_->num_rows());
  digests_.reserve(size);
  kinds_.reserve(size);
  emitted_.reserve(size);
  if (rows_->has_changes()) is_addition_.reserve(size);
  for (const CollectedRows::Block& block : rows_->blocks()) AddBlock(block, batch_times);
}

void ResultRows::AddBlock(const CollectedRows::Block& block,
                          const std::optional<BatchTimes>& batch_times) {
  const RowBatch& rows = block.rows;
  std::vector<int> content(static_cast<size_t>(plan_->num_columns));
  std::iota(content.begin(), content.end(), 0);
  std::vector<RowDigest> digests;
  AppendDigests(rows, content, kContentSeed, &digests);
  const int time_column = plan_->plan.output.num_columns();
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    digests_.push_back({digests[static_cast<size_t>(row)], block.first_row + row});
    if (rows_->has_changes()) is_addition_.push_back(IsAccumulation(rows.change_kind(row)));
    const RowKind kind = KindOf(rows, row);
    const int64_t emitted = EmissionTime(block, row, time_column, batch_times);
    kinds_.push_back(kind);
    emitted_.push_back(emitted);
    int64_t newest = kNoEventTime;
    for (size_t side = 0; side < 2; ++side) {
      const std::optional<EventTime> time = RowTime(side, rows, row);
      if (time) newest = std::max(newest, time->micros);
    }
    if (newest == kNoEventTime || emitted == kNoEventTime) continue;
    delays_[static_cast<size_t>(kind)].push_back(emitted - newest);
  }
}

bool ResultRows::Holds(size_t side, const RowBatch& rows, int64_t row) const {
  const SideColumns& columns = plan_->result[side];
  if (!plan_->may_be_missing[side]) return true;
  if (columns.present >= 0) return !rows.IsNull(columns.present, row);
  return columns.time < 0 || !rows.IsNull(columns.time, row);
}

std::optional<EventTime> ResultRows::RowTime(size_t side, const RowBatch& rows, int64_t row) const {
  const int column = plan_->result[side].time;
  if (column < 0 || rows.IsNull(column, row)) return std::nullopt;
  return rows.Time(column, row);
}

RowKind ResultRows::KindOf(const RowBatch& rows, int64_t row) const {
  if (!IsAccumulation(rows.change_kind(row))) return RowKind::kRetracted;
  const std::optional<JoinPlan>& join = plan_->plan.join;
  if (join && join->type == JoinType::kLeftAnti) return RowKind::kPadded;
  return Holds(0, rows, row) && Holds(1, rows, row) ? RowKind::kMatched : RowKind::kPadded;
}

std::vector<NumberedDigest> ResultRows::TakeFinalRows() {
  std::vector<NumberedDigest> rows = std::move(digests_);
  SortDigests(&rows);
  if (rows_->has_changes()) ApplyChanges(is_addition_, &rows);
  return rows;
}

std::array<DelayFigures, kNumRowKinds> ResultRows::MakeDelays() {
  std::array<DelayFigures, kNumRowKinds> figures;
  for (size_t kind = 0; kind < kNumRowKinds; ++kind) {
    figures[kind] = FiguresOf(std::exchange(delays_[kind], {}));
  }
  return figures;
}

std::vector<std::string> ResultRows::Values(int64_t row) const {
  const CollectedRows::Place place = rows_->PlaceOf(row);
  std::vector<std::string> values;
  for (int column = 0; column < plan_->num_columns; ++column) {
    values.push_back(FormatValue(ValueAt(place.block->rows.column(column), place.row)));
  }
  return values;
}

}  // namespace braid
