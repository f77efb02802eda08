#include "engine/compare/difference_finder.h"

#include <algorithm>

namespace braid {

namespace {

// Of both rows of a pair.
RowDigest PairOf(const RowDigest& left, const RowDigest& right) {
  // Both are digests already: any mixture that is not symmetric will do.
  constexpr uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  return {left.high * kOdd + right.high, left.low * kOdd + right.low};
}

// right - left of a pair that the mode takes, in microseconds; absent where it has no such range.
std::optional<std::pair<int64_t, int64_t>> RangeOf(const StreamPlan& plan) {
  if (!plan.join) return std::nullopt;
  const std::optional<PerRecordPlan>& per_record = plan.join->per_record;
  if (per_record) {
    const bool is_row_time = per_record->chosen == PerRecordOperator::kRowTimeInterval ||
                             per_record->chosen == PerRecordOperator::kDataStreamInterval;
    if (!is_row_time) return std::nullopt;
    return std::pair((-per_record->upper).micros, (-per_record->lower).micros);
  }
  const TimeRange& range = plan.join->time_range;
  if (!range.lower || !range.upper) return std::nullopt;
  return std::pair(range.lower->micros, range.upper->micros);
}

}  // namespace

DifferenceFinder::DifferenceFinder(std::array<const ResultRows*, 2> results,
                                   std::array<const LateRows*, 2> late,
                                   const std::array<std::vector<int64_t>, 2>& only)
    : results_(results), late_(late) {
  for (size_t mode = 0; mode < 2; ++mode) {
    only_[mode].reserve(only[mode].size());
    for (const int64_t row : only[mode]) only_[mode].push_back(Look(mode, row));
    AddOccurrences(mode);
  }
}

DifferenceFinder::OnlyRow DifferenceFinder::Look(size_t mode, int64_t row) const {
  const ResultRows& result = *results_[mode];
  const CollectedRows::Place place = result.PlaceOf(row);
  const RowBatch& rows = place.block->rows;
  OnlyRow looked;
  looked.row = row;
  looked.kind = result.kind(row);
  for (size_t side = 0; side < 2; ++side) {
    const SideColumns& columns = result.plan().result[side];
    if (!result.Holds(side, rows, place.row)) continue;
    looked.times[side] = result.RowTime(side, rows, place.row);
    if (looked.times[side]) looked.identity[side] = IdentityOf(side, columns, rows, place.row);
    if (!columns.keys.empty()) looked.keys[side] = KeysOf(columns, rows, place.row);
  }
  return looked;
}

void DifferenceFinder::AddOccurrences(size_t mode) {
  for (size_t index = 0; index < only_[mode].size(); ++index) {
    const OnlyRow& row = only_[mode][index];
    for (size_t side = 0; side < 2; ++side) {
      if (!row.identity[side]) continue;
      Occurrence& occurrence = occurrences_[mode][side][*row.identity[side]];
      int64_t& place = row.kind == RowKind::kPadded ? occurrence.unmatched : occurrence.matched;
      if (place < 0) place = static_cast<int64_t>(index);
    }
    if (row.identity[0] && row.identity[1]) {
      pairs_[mode].insert(PairOf(*row.identity[0], *row.identity[1]));
    }
  }
}

const DifferenceFinder::OnlyRow* DifferenceFinder::Counterpart(size_t mode, size_t side,
                                                               const OnlyRow& row,
                                                               bool matched) const {
  if (!row.identity[side]) return nullptr;
  const auto found = occurrences_[mode][side].find(*row.identity[side]);
  if (found == occurrences_[mode][side].end()) return nullptr;
  const int64_t index = matched ? found->second.matched : found->second.unmatched;
  return index < 0 ? nullptr : &only_[mode][static_cast<size_t>(index)];
}

bool DifferenceFinder::IsOnBoundary(const OnlyRow& pair) const {
  if (!pair.times[0] || !pair.times[1]) return false;
  const auto first = RangeOf(results_[0]->plan().plan);
  const auto second = RangeOf(results_[1]->plan().plan);
  if (!first || !second) return false;
  const int64_t distance = (*pair.times[1] - Interval{pair.times[0]->micros}).micros;
  const auto takes = [distance](const std::pair<int64_t, int64_t>& range) {
    return range.first <= distance && distance <= range.second;
  };
  return takes(*first) != takes(*second);
}

std::optional<DifferenceReason> DifferenceFinder::LateReason(size_t other,
                                                             const OnlyRow& row) const {
  for (size_t side = 0; side < 2; ++side) {
    if (!row.identity[side] || !late_[other]->Contains(side, *row.identity[side])) continue;
    return late_[other]->WasAtWatermark(side, *row.identity[side]) ? DifferenceReason::kAtWatermark
                                                                   : DifferenceReason::kLate;
  }
  return std::nullopt;
}

// A row of the other side with the keys of this one.
bool DifferenceFinder::IsKeyLate(size_t mode, const OnlyRow& row) const {
  for (size_t side = 0; side < 2; ++side) {
    if (row.keys[side] && late_[mode]->ContainsKeys(1 - side, *row.keys[side])) return true;
  }
  return false;
}

DifferenceReason DifferenceFinder::ReasonOfUnmatched(size_t mode, const OnlyRow& row) const {
  const size_t other = 1 - mode;
  for (size_t side = 0; side < 2; ++side) {
    const OnlyRow* pair = Counterpart(other, side, row, /*matched=*/true);
    if (pair == nullptr) continue;
    if (LateReason(mode, *pair)) return DifferenceReason::kPartnerLate;
    return IsOnBoundary(*pair) ? DifferenceReason::kBoundary : DifferenceReason::kPaddedEarly;
  }
  return IsKeyLate(mode, row) ? DifferenceReason::kPartnerLate : DifferenceReason::kUnknown;
}

DifferenceReason DifferenceFinder::ReasonOfMatched(size_t mode, const OnlyRow& row) const {
  const size_t other = 1 - mode;
  const bool is_pair = row.identity[0] && row.identity[1];
  if (is_pair && pairs_[other].contains(PairOf(*row.identity[0], *row.identity[1]))) {
    return DifferenceReason::kOtherContent;
  }
  if (IsOnBoundary(row)) return DifferenceReason::kBoundary;
  for (size_t side = 0; side < 2; ++side) {
    if (Counterpart(other, side, row, /*matched=*/false) != nullptr) {
      return DifferenceReason::kPaddedEarly;
    }
  }
  // A row of SEMI tells of no partner.
  if (!is_pair) return IsKeyLate(other, row) ? DifferenceReason::kLate : DifferenceReason::kUnknown;
  // Neither was late, and the range takes them: one was gone when the other came.
  const bool has_range = RangeOf(results_[other]->plan().plan).has_value();
  return has_range ? DifferenceReason::kStateGone : DifferenceReason::kUnknown;
}

DifferenceReason DifferenceFinder::ReasonOf(size_t mode, const OnlyRow& row) const {
  if (const auto late = LateReason(1 - mode, row)) return *late;
  return row.kind == RowKind::kPadded ? ReasonOfUnmatched(mode, row) : ReasonOfMatched(mode, row);
}

OnlyRows DifferenceFinder::Describe(size_t mode, int64_t num_rows) const {
  OnlyRows described;
  described.count = static_cast<int64_t>(only_[mode].size());
  for (const OnlyRow& row : only_[mode]) {
    const DifferenceReason reason = ReasonOf(mode, row);
    ++described.by_reason[static_cast<size_t>(reason)][static_cast<size_t>(row.kind)];
    if (static_cast<int64_t>(described.rows.size()) >= num_rows) continue;
    DifferingRow& shown = described.rows.emplace_back();
    shown.reason = reason;
    shown.kind = row.kind;
    shown.row_times = row.times;
    const int64_t emitted = results_[mode]->emitted_at(row.row);
    if (emitted != kNoEventTime) shown.emitted_at = EventTime{emitted};
    shown.values = results_[mode]->Values(row.row);
  }
  return described;
}

}  // namespace braid
