#include "engine/advise/pair_filter.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace braid {

Result<std::optional<PairFilter>> PairFilter::Create(const JoinPlan& plan, const TimeZone* zone,
                                                     OnRowError on_error) {
  if (plan.post_join_filter == nullptr) return std::nullopt;
  const int num_left = plan.side(Side::kLeft).input.schema.num_columns();
  std::array<std::vector<int>, 2> side_columns;
  std::array<std::vector<int>, 2> positions;
  std::array<std::vector<DataType>, 2> types;
  for (const int column : ReferencedColumns(*plan.post_join_filter)) {
    const Side side = column < num_left ? Side::kLeft : Side::kRight;
    const int on_side = side == Side::kLeft ? column : column - num_left;
    side_columns[Index(side)].push_back(on_side);
    positions[Index(side)].push_back(column);
    types[Index(side)].push_back(
        plan.side(side).input.schema.fields[static_cast<size_t>(on_side)].type);
  }
  Result<Evaluator> evaluator = Evaluator::Create(plan.post_join_filter);
  if (!evaluator) return tl::unexpected(evaluator.error());
  Result<RecordFile> left = RecordFile::Create(std::move(side_columns[0]));
  if (!left) return tl::unexpected(left.error());
  Result<RecordFile> right = RecordFile::Create(std::move(side_columns[1]));
  if (!right) return tl::unexpected(right.error());
  PairFilter filter(std::move(*evaluator), {std::move(*left), std::move(*right)});
  filter.positions_ = std::move(positions);
  filter.types_ = std::move(types);
  filter.num_columns_ = num_left + plan.side(Side::kRight).input.schema.num_columns();
  filter.context_.zone = zone;
  filter.on_error_ = on_error;
  return filter;
}

Status PairFilter::Filter(std::vector<CandidatePair>* pairs) {
  std::vector<Column> columns(static_cast<size_t>(num_columns_));
  for (const Side side : {Side::kLeft, Side::kRight}) {
    std::vector<ColumnBuilder> builders;
    for (const DataType& type : types_[Index(side)]) builders.emplace_back(type);
    for (const CandidatePair& pair : *pairs) {
      records_[Index(side)].Read(pair.records[Index(side)], builders);
    }
    for (size_t index = 0; index < builders.size(); ++index) {
      columns[static_cast<size_t>(positions_[Index(side)][index])] = builders[index].Finish();
    }
  }
  std::vector<int32_t> kept(pairs->size());
  std::iota(kept.begin(), kept.end(), 0);
  context_.row_errors.clear();
  filter_.Filter(columns, &context_, &kept);
  std::vector<int32_t> failed;
  for (const RowError& error : context_.row_errors) {
    if (on_error_ == OnRowError::kFail) {
      return Fail(ErrorCode::kInvalidInput, error.message, error.place);
    }
    failed.push_back(static_cast<int32_t>(error.row));
  }
  std::sort(failed.begin(), failed.end());
  failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
  num_row_errors_ += static_cast<int64_t>(failed.size());
  std::erase_if(kept, [&failed](int32_t row) {
    return std::binary_search(failed.begin(), failed.end(), row);
  });
  for (size_t index = 0; index < kept.size(); ++index) {
    (*pairs)[index] = (*pairs)[static_cast<size_t>(kept[index])];
  }
  pairs->resize(kept.size());
  return {};
}

}  // namespace braid
