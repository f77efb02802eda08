#include "engine/perrecord/step_join.h"

#include <algorithm>
#include <numeric>

namespace braid {

namespace {

// Steps of one group, and candidates after which it is cut short.
constexpr size_t kGroupStepsMax = 128;
constexpr size_t kGroupCandidatesMax = 32'768;

}  // namespace

Status StepJoin::Run(const RecordBlock& block) {
  const std::span<const RecordStep> steps = block.steps;
  for (size_t first = 0; first < steps.size();) {
    const auto ahead = steps.subspan(first, std::min(kGroupStepsMax, steps.size() - first));
    const size_t count = Collect(ahead);
    Decide();
    const std::span<const RecordStep> group = ahead.first(count);
    DecideSame(group);
    if (Status applied = Apply(group, static_cast<int32_t>(first)); !applied) return applied;
    first += count;
    if (Status ended = EndGroup(); !ended) return ended;
  }
  return {};
}

// Finds the candidates of steps from the front; returns of how many.
size_t StepJoin::Collect(std::span<const RecordStep> steps) {
  scans_.assign(steps.size(), {});
  std::array<RowId, 2> unseen = {Unseen(Side::kLeft), Unseen(Side::kRight)};
  for (size_t i = 0; i < steps.size(); ++i) {
    const RecordStep& step = steps[i];
    if (step.type != RecordStep::Type::kRow) continue;
    const std::vector<RowId>& ids = rows_[Index(step.side)];
    const size_t next = PlaceOf(step) + 1;
    scans_[i].partner.word = scans_[i].own.word = WordOf(step);
    scans_[i].partner.before = unseen[Index(Other(step.side))];
    scans_[i].own.before = RowOf(step);
    unseen[Index(step.side)] = next < ids.size() ? ids[next] : kRowIdEnd;
  }
  Scan(steps, scans_);
  FindCandidates(steps);
  ChoosePairs(steps);
  return ranges_.size();
}

// The state that the scans walk comes into the cache, for all of the group side by side.
void StepJoin::PrefetchScans(std::span<const RecordStep> steps) {
  for (std::vector<uint64_t>& words : scanned_words_) words.clear();
  for (size_t i = 0; i < steps.size(); ++i) {
    const Side own = steps[i].side;
    if (scans_[i].partners) scanned_words_[Index(Other(own))].push_back(scans_[i].partner.word);
    if (scans_[i].same) scanned_words_[Index(own)].push_back(scans_[i].own.word);
  }
  for (const Side side : kBothSides) {
    state(side).Prefetch(scanned_words_[Index(side)]);
  }
}

void StepJoin::FindInOrder(Side side, const KeyScan& scan, std::vector<FoundRow>* found) {
  found->clear();
  SideState& stored = state(side);
  stored.Find(scan, found);
  if (found->size() < 2) return;
  const auto came_before = [&stored](const FoundRow& first, const FoundRow& second) {
    return stored.IdOf(first.row) < stored.IdOf(second.row);
  };
  // A short chain is found newest first.
  if (came_before(found->back(), found->front())) std::reverse(found->begin(), found->end());
  if (!std::is_sorted(found->begin(), found->end(), came_before)) {
    std::sort(found->begin(), found->end(), came_before);
  }
}

void StepJoin::FindCandidates(std::span<const RecordStep> steps) {
  PrefetchScans(steps);
  const auto take = [this] {
    for (const FoundRow& row : found_) {
      candidates_.push_back({row.row, row.time, Verdict::kNo});
    }
  };
  ranges_.clear();
  candidates_.clear();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i > 0 && candidates_.size() > kGroupCandidatesMax) break;
    const StepScans& scan = scans_[i];
    Ranges range;
    range.partners = static_cast<uint32_t>(candidates_.size());
    if (scan.partners) {
      FindInOrder(Other(steps[i].side), scan.partner, &found_);
      take();
    }
    range.same = static_cast<uint32_t>(candidates_.size());
    if (scan.same) {
      FindInOrder(steps[i].side, scan.own, &found_);
      take();
    }
    range.end = static_cast<uint32_t>(candidates_.size());
    ranges_.push_back(range);
  }
}

// The pairs whose verdict Decide must find; the other candidates within reach have it already.
void StepJoin::ChoosePairs(std::span<const RecordStep> steps) {
  pairs_.clear();
  pair_left_.clear();
  pair_right_.clear();
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const RecordStep& step = steps[i];
    if (ranges_[i].partners == ranges_[i].same) continue;
    const RecordSide& records = block_->sides[Index(step.side)];
    if (!records.rows->keys.IsLinkable(step.row)) continue;
    const RowId own = RowOf(step);
    const KeyScan& scan = scans_[i].partner;
    const bool is_null_word = SharesWordOfNull(step.side, scan.word);
    for (Candidate& candidate : Partners(i)) {
      if (candidate.time < scan.earliest || candidate.time > scan.latest) continue;
      candidate.verdict = Verdict::kYes;
      if (!has_hashed_keys() && !has_condition() && !is_null_word) continue;
      pairs_.push_back(&candidate);
      pair_left_.push_back(step.side == Side::kLeft ? own : candidate.row);
      pair_right_.push_back(step.side == Side::kLeft ? candidate.row : own);
    }
  }
}

std::span<StepJoin::Candidate> StepJoin::Partners(size_t step_in_group) {
  const Ranges& range = ranges_[step_in_group];
  return {candidates_.data() + range.partners, range.same - range.partners};
}

std::span<StepJoin::Candidate> StepJoin::Same(size_t step_in_group) {
  const Ranges& range = ranges_[step_in_group];
  return {candidates_.data() + range.same, range.end - range.same};
}

void StepJoin::Decide() {
  errors_.clear();
  if (!pairs_.empty()) SetVerdicts(pair_left_, pair_right_, pairs_);
}

void StepJoin::SetVerdicts(std::span<const RowId> left, std::span<const RowId> right,
                           std::span<Candidate* const> pairs) {
  verdicts_.resize(pairs.size());
  Evaluate(left, right, verdicts_);
  for (size_t pair = 0; pair < pairs.size(); ++pair) pairs[pair]->verdict = verdicts_[pair];
}

void StepJoin::Judge(Side side, RowId row, std::span<Candidate> candidates) {
  std::vector<Candidate*> pairs;
  std::vector<RowId> own(candidates.size(), row);
  std::vector<RowId> other;
  for (Candidate& candidate : candidates) {
    pairs.push_back(&candidate);
    other.push_back(candidate.row);
  }
  if (pairs.empty()) return;
  const bool is_left = side == Side::kLeft;
  SetVerdicts(is_left ? own : other, is_left ? other : own, pairs);
}

// Rows of a side that are the same row as one that arrives: by primary key, or by all columns.
void StepJoin::DecideSame(std::span<const RecordStep> steps) {
  for (const Side side : kBothSides) {
    std::vector<RowId> own;
    std::vector<RowId> stored;
    std::vector<Candidate*> pairs;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].side != side) continue;
      for (Candidate& candidate : Same(i)) {
        own.push_back(RowOf(steps[i]));
        stored.push_back(candidate.row);
        pairs.push_back(&candidate);
      }
    }
    if (pairs.empty()) continue;
    std::vector<int> identity = plan_.per_record->primary_key[Index(side)];
    if (identity.empty()) {
      identity.resize(plan_.side(side).payload_expressions.size());
      std::iota(identity.begin(), identity.end(), 0);
    }
    std::vector<Column> own_columns;
    std::vector<Column> stored_columns;
    for (const int column : identity) {
      own_columns.push_back(state(side).GatherPayload(column, own));
      stored_columns.push_back(state(side).GatherPayload(column, stored));
    }
    const std::vector<uint8_t> null_safe(identity.size(), 1);
    std::vector<int32_t> kept(pairs.size());
    std::iota(kept.begin(), kept.end(), 0);
    std::vector<int32_t> same = kept;
    KeepEqualKeys(own_columns, stored_columns, null_safe, &same, &kept);
    for (const int32_t pair : kept) {
      pairs[static_cast<size_t>(pair)]->verdict = Verdict::kYes;
    }
  }
}

Result<bool> StepJoin::Joins(Side side, const Candidate& candidate) {
  if (candidate.verdict == Verdict::kNo) return false;
  if (!state(side).IsAlive(candidate.row)) return false;
  if (candidate.verdict == Verdict::kYes) return true;
  if (Status met = MeetRowError(); !met) return tl::unexpected(met.error());
  return false;
}

}  // namespace braid
