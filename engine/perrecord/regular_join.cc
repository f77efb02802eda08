#include "engine/perrecord/regular_join.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "braid/column_builder.h"
#include "engine/perrecord/clock_times.h"

namespace braid {

namespace {

// Fingerprints fit into the 32-bit times of a chunk, whatever its base is.
constexpr uint64_t kFingerprintMask = 0x7fffffff;

}  // namespace

RegularJoin::RegularJoin(const JoinPlan& plan, const PerRecordOptions& options)
    : StepJoin(plan, options) {}

Result<Column> RegularJoin::TimesOf(Side side, const RecordBlock& block) {
  if (options_.state_ttl_ms) return ClockTimes(side, block, clock_.millis);
  const Arrivals& records = *block.sides[Index(side)].rows;
  return FingerprintsOf(side, records.payload, records.num_rows);
}

Column RegularJoin::RestoredTimes(Side side, const StateRows& run) const {
  if (options_.state_ttl_ms) return *run.times;
  return FingerprintsOf(side, run.payload, run.num_rows);
}

// Instead of times: what a row is found again by when it is taken back.
Column RegularJoin::FingerprintsOf(Side side, std::span<const Column> payload,
                                   int64_t num_rows) const {
  std::vector<Column> identity;
  for (const int column : plan_.per_record->primary_key[Index(side)]) {
    identity.push_back(payload[static_cast<size_t>(column)]);
  }
  if (identity.empty()) identity.assign(payload.begin(), payload.end());
  const std::vector<uint8_t> null_safe(identity.size(), 1);
  const KeyWords words = ComputeKeyWords(identity, null_safe, num_rows);
  ColumnBuilder builder(DataType::Timestamp(6));
  int64_t* fingerprints = builder.AppendUninitialized<int64_t>(num_rows);
  for (size_t row = 0; row < words.words.size(); ++row) {
    fingerprints[row] = static_cast<int64_t>(words.words[row] & kFingerprintMask);
  }
  return builder.Finish();
}

void RegularJoin::Scan(std::span<const RecordStep> steps, std::span<StepScans> scans) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].type != RecordStep::Type::kRow) continue;
    scans[i].partners = true;
    scans[i].same = !IsAccumulation(steps[i].kind) || has_primary_key(steps[i].side);
    if (!scans[i].same || options_.state_ttl_ms) continue;
    const int64_t fingerprint = state(steps[i].side).TimeOf(RowOf(steps[i]));
    scans[i].own.earliest = scans[i].own.latest = fingerprint;
  }
}

Status RegularJoin::Apply(std::span<const RecordStep> steps, int32_t first_step) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const RecordStep& step = steps[i];
    const int32_t number = first_step + static_cast<int32_t>(i);
    if (step.type == RecordStep::Type::kClock) {
      clock_.millis = std::max(clock_.millis, step.millis);
      if (options_.state_ttl_ms) ExpireRows(clock_.millis);
      continue;
    }
    if (step.type == RecordStep::Type::kRow) {
      if (Status applied = ApplyRow(step, i, number); !applied) return applied;
    }
    if (step.millis == kUnsetMillis || !NoteWatermark(step.side, step.millis)) continue;
    if (clock_.watermark() == kEndMillis) ReportRest();
    EmitWatermark(number, clock_.watermark());
  }
  return {};
}

Status RegularJoin::ApplyRow(const RecordStep& step, size_t step_in_group, int32_t step_number) {
  MarkSeen(step);
  if (Status taken = TakePartners(step, step_in_group); !taken) return taken;
  const bool left_only = is_semi() || is_anti();
  if (IsAccumulation(step.kind)) {
    left_only ? AccumulateSemi(step, step_number) : Accumulate(step, step_number);
    AddRow(step, step_in_group);
    return {};
  }
  // The row is removed first; what it joined with is retracted then.
  RemoveStored(step, step_in_group);
  left_only ? RetractSemi(step, step_number) : Retract(step, step_number);
  Remove(step.side, RowOf(step));
  return {};
}

Status RegularJoin::TakePartners(const RecordStep& step, size_t step_in_group) {
  partners_.clear();
  const Side other = Other(step.side);
  for (const Candidate& candidate : Partners(step_in_group)) {
    const Result<bool> joins = Joins(other, candidate);
    if (!joins) return tl::unexpected(joins.error());
    if (*joins) partners_.push_back(candidate.row);
  }
  return {};
}

void RegularJoin::Accumulate(const RecordStep& step, int32_t step_number) {
  const Side me = step.side;
  const Side other = Other(me);
  const RowId row = RowOf(step);
  if (partners_.empty() && pads(me)) EmitPadded(step_number, me, row, ChangeKind::kInsert);
  const ChangeKind kind = pads(me) || pads(other) ? ChangeKind::kInsert : step.kind;
  for (const RowId partner : partners_) {
    if (pads(other) && Degree(other, partner) == 0) {
      EmitPadded(step_number, other, partner, ChangeKind::kDelete);
    }
    EmitPair(step_number, me, row, partner, kind);
  }
}

void RegularJoin::Retract(const RecordStep& step, int32_t step_number) {
  const Side me = step.side;
  const Side other = Other(me);
  const RowId row = RowOf(step);
  if (partners_.empty() && pads(me)) EmitPadded(step_number, me, row, ChangeKind::kDelete);
  const ChangeKind kind = pads(me) ? ChangeKind::kDelete : step.kind;
  for (const RowId partner : partners_) {
    EmitPair(step_number, me, row, partner, kind);
    if (pads(other) && Degree(other, partner) == 0) {
      EmitPadded(step_number, other, partner, ChangeKind::kInsert);
    }
  }
}

// A left row is sent on while it has a partner (SEMI) or none (ANTI); the first partner of a stored
// left row decides anew.
void RegularJoin::AccumulateSemi(const RecordStep& step, int32_t step_number) {
  if (step.side == Side::kLeft) {
    if (partners_.empty() == is_anti()) EmitPadded(step_number, step.side, RowOf(step), step.kind);
    return;
  }
  const ChangeKind kind = is_semi() ? step.kind : ChangeKind::kDelete;
  for (const RowId partner : partners_) {
    if (Degree(Side::kLeft, partner) == 0) EmitPadded(step_number, Side::kLeft, partner, kind);
  }
}

// The same for the loss of the last partner.
void RegularJoin::RetractSemi(const RecordStep& step, int32_t step_number) {
  if (step.side == Side::kLeft) {
    if (partners_.empty() == is_anti()) EmitPadded(step_number, step.side, RowOf(step), step.kind);
    return;
  }
  const ChangeKind kind = is_semi() ? step.kind : ChangeKind::kInsert;
  for (const RowId partner : partners_) {
    if (Degree(Side::kLeft, partner) == 0) EmitPadded(step_number, Side::kLeft, partner, kind);
  }
}

// The row is in the state already; with a primary key it replaces the stored one silently.
void RegularJoin::AddRow(const RecordStep& step, size_t step_in_group) {
  const Side me = step.side;
  if (has_primary_key(me)) RemoveStored(step, step_in_group);
  if (tracks(Other(me))) {
    for (const RowId partner : partners_) AddDegree(Other(me), partner, 1);
  }
  if (tracks(me) && !partners_.empty()) {
    AddDegree(me, RowOf(step), static_cast<int64_t>(partners_.size()));
  }
}

// Removes one stored row that is the row of the step, if there is any.
void RegularJoin::RemoveStored(const RecordStep& step, size_t step_in_group) {
  const Side me = step.side;
  for (const Candidate& candidate : Same(step_in_group)) {
    if (candidate.verdict != Verdict::kYes || !state(me).IsAlive(candidate.row)) {
      continue;
    }
    if (has_primary_key(me)) {
      Forget(me, candidate.row);  // Its other columns may differ, and so its partners.
    } else if (tracks(Other(me))) {
      for (const RowId partner : partners_) AddDegree(Other(me), partner, -1);
    }
    ForgetDegree(me, candidate.row);
    Remove(me, candidate.row);
    return;
  }
}

// Takes a stored row out of the degrees of its partners.
void RegularJoin::Forget(Side side, RowId row) {
  const Side other = Other(side);
  if (!tracks(other)) return;
  KeyScan scan;
  scan.word = state(side).WordOf(row);
  scan.before = Unseen(other);
  found_.clear();
  state(other).Find(scan, &found_);
  std::vector<Candidate> candidates;
  for (const FoundRow& found : found_) candidates.push_back({found.row, found.time});
  Judge(side, row, candidates);
  for (const Candidate& candidate : candidates) {
    if (candidate.verdict == Verdict::kYes) AddDegree(other, candidate.row, -1);
  }
}

// A row lives as long after it was written as the time to live says.
void RegularJoin::ExpireRows(int64_t now) {
  const int64_t threshold = SaturatingAdd(SaturatingAdd(now, -*options_.state_ttl_ms), 1);
  for (const Side side : kBothSides) {
    const EvictionResult evicted = state(side).EvictBelow({SaturatingMultiply(threshold, 1'000)});
    if (!tracks(side)) continue;
    for (const RowId row : evicted.unmatched) {
      if (Degree(side, row) == 0) ReportUnmatched(side, row, clock_.watermark());
      ForgetDegree(side, row);
    }
  }
}

// At the end of both inputs: the rows that have no partner then.
void RegularJoin::ReportRest() {
  if (!plan_.reports_unmatched) return;
  for (const Side side : kBothSides) {
    for (const RowId row : state(side).LiveRows()) {
      if (row < Unseen(side) && Degree(side, row) == 0)
        ReportUnmatched(side, row, clock_.watermark());
    }
  }
}

int64_t RegularJoin::Degree(Side side, RowId row) const {
  const auto found = degrees_[Index(side)].find(state(side).IdOf(row));
  return found == degrees_[Index(side)].end() ? 0 : found->second;
}

void RegularJoin::AddDegree(Side side, RowId row, int64_t change) {
  const PersistentId id = state(side).IdOf(row);
  const auto place = degrees_[Index(side)].try_emplace(id, 0).first;
  place->second += change;
  if (place->second == 0) degrees_[Index(side)].erase(place);
  if (options_.durable) changed_[Index(side)].push_back(id);
}

void RegularJoin::ForgetDegree(Side side, RowId row) {
  if (!tracks(side)) return;
  const PersistentId id = state(side).IdOf(row);
  if (degrees_[Index(side)].erase(id) > 0 && options_.durable) {
    changed_[Index(side)].push_back(id);
  }
}

void RegularJoin::TakeOperatorDeltas(std::array<SideDelta, 2>* deltas) {
  for (const Side side : kBothSides) {
    std::vector<PersistentId> ids = std::exchange(changed_[Index(side)], {});
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const PersistentId id : ids) {
      const auto found = degrees_[Index(side)].find(id);
      const int64_t degree = found == degrees_[Index(side)].end() ? 0 : found->second;
      (*deltas)[Index(side)].counts.push_back({id, degree});
    }
  }
}

Status RegularJoin::RestoreOperator(VersionedStore* store, int64_t version) {
  for (const Side side : kBothSides) {
    const Result<std::vector<CountChange>> counts = store->ReadCounts(version, StoreSide(side));
    if (!counts) return tl::unexpected(counts.error());
    for (const CountChange& change : *counts) {
      if (change.count != 0) degrees_[Index(side)].emplace(change.id, change.count);
    }
  }
  return {};
}

int64_t RegularJoin::memory_bytes() const {
  int64_t bytes = StepJoin::memory_bytes();
  for (const auto& degrees : degrees_) {
    bytes +=
        static_cast<int64_t>(degrees.bucket_count() * (sizeof(std::pair<uint64_t, int64_t>) + 1));
  }
  return bytes;
}

}  // namespace braid
