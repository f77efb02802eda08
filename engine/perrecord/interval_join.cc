#include "engine/perrecord/interval_join.h"

#include <algorithm>
#include <utility>

#include "engine/perrecord/clock_times.h"

namespace braid {

namespace {

// Timers whose memory is asked for at one time.
constexpr size_t kPrefetchedTimersMax = 1024;

}  // namespace

IntervalJoin::IntervalJoin(const JoinPlan& plan, const PerRecordOptions& options)
    : StepJoin(plan, options),
      is_processing_time_(plan.per_record->chosen == PerRecordOperator::kProcessingTimeInterval),
      is_empty_(plan.per_record->is_empty_window()),
      times_(*plan.per_record, options),
      timers_(options.durable) {
  if (!is_empty_ && !is_processing_time_) {
    output_delay_ms_ = times_.OutputDelay();
  }
}

Result<Column> IntervalJoin::TimesOf(Side side, const RecordBlock& block) {
  if (is_processing_time_) return ClockTimes(side, block, clock_.millis);
  return *block.sides[Index(side)].rows->time;
}

std::optional<int64_t> IntervalJoin::TimeOf(const RecordStep& step) const {
  if (is_processing_time_) return state(step.side).TimeOf(RowOf(step));
  const Column& times = *block_->sides[Index(step.side)].rows->time;
  if (times.IsNull(step.row)) return std::nullopt;
  return times.Values<int64_t>()[static_cast<size_t>(step.row)];
}

std::optional<int64_t> IntervalJoin::NeededWatermark(Side side) const {
  if (is_processing_time_) return std::nullopt;
  const std::optional<int64_t> oldest = OldestTime(side);
  if (!oldest) return std::nullopt;
  return times_.TimerOf(side, *oldest);
}

void IntervalJoin::Scan(std::span<const RecordStep> steps, std::span<StepScans> scans) {
  if (is_empty_) return;
  // Expired rows are looked for with the last watermark of the group: Apply looks again.
  JoinClock last = clock_;
  for (const RecordStep& step : steps) {
    if (step.type == RecordStep::Type::kClock) {
      last.millis = std::max(last.millis, step.millis);
    } else {
      int64_t& input = last.input_watermarks[Index(step.side)];
      input = std::max(input, step.millis);
    }
  }
  const int64_t now = is_processing_time_ ? last.millis : last.watermark();
  const std::array<int64_t, 2> expired = {times_.ExpiredMax(Side::kLeft, now),
                                          times_.ExpiredMax(Side::kRight, now)};
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].type != RecordStep::Type::kRow) continue;
    const std::optional<int64_t> time = TimeOf(steps[i]);
    if (!time) continue;
    const Side other = Other(steps[i].side);
    timers_.Prefetch(steps[i].side, WordOf(steps[i]));
    scans[i].partners = true;
    scans[i].partner.earliest = SaturatingAdd(*time, -times_.size(other));
    scans[i].partner.latest = SaturatingAdd(*time, times_.size(steps[i].side));
    scans[i].partner.expired_max = expired[Index(other)];
  }
  timers_.PeekDue(now, kPrefetchedTimersMax, &due_);
  PrefetchTimers(due_);
}

Status IntervalJoin::Apply(std::span<const RecordStep> steps, int32_t first_step) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const RecordStep& step = steps[i];
    const int32_t number = first_step + static_cast<int32_t>(i);
    if (step.type == RecordStep::Type::kClock) {
      if (step.millis <= clock_.millis) continue;
      clock_.millis = step.millis;
      if (is_processing_time_) FireTimers(number, step.millis);
      continue;
    }
    if (step.type == RecordStep::Type::kRow) {
      if (Status applied = ApplyRow(step, i, number); !applied) return applied;
    }
    if (step.millis == kUnsetMillis || !NoteWatermark(step.side, step.millis)) continue;
    AdvanceTime(number, clock_.watermark());
  }
  return {};
}

void IntervalJoin::AdvanceTime(int32_t step_number, int64_t now) {
  if (!is_processing_time_) FireTimers(step_number, now);
  EmitWatermark(step_number, SaturatingAdd(now, -output_delay_ms_));
}

Status IntervalJoin::ApplyRow(const RecordStep& step, size_t step_in_group, int32_t step_number) {
  const Side me = step.side;
  const RowId row = RowOf(step);
  const std::optional<int64_t> time = TimeOf(step);
  MarkSeen(step);
  if (!time) ++num_null_times_;
  if (!time || is_empty_) {  // It cannot match, and nobody waits for it.
    Leave(step_number, me, row, /*matched=*/false);
    return {};
  }
  const Result<bool> matched = JoinPartners(step, step_in_group, step_number);
  if (!matched) return tl::unexpected(matched.error());
  const bool decided = *matched && me == Side::kLeft && (is_semi() || is_anti());
  if (decided && is_semi()) EmitPadded(step_number, me, row, ChangeKind::kInsert);
  const bool waits = times_.IsStored(me, *time, now());
  if (!waits || (decided && !keeps_decided())) {
    Leave(step_number, me, row, *matched);
    return {};
  }
  if (*matched && plan_.tracks_matches(me)) state(me).MarkMatched({&row, 1});
  timers_.SetIfNone(me, WordOf(step), times_.TimerOf(me, *time));
  return {};
}

// A row leaves state, or never enters it: padded or reported if it never had a partner.
void IntervalJoin::Leave(int32_t step_number, Side side, RowId row, bool matched) {
  if (!matched) {
    if (pads(side)) EmitPadded(step_number, side, row, ChangeKind::kInsert);
    ReportUnmatched(side, row, clock_.watermark());
  }
  Remove(side, row);
}

// SEMI and ANTI: the first match of a stored left row.
void IntervalJoin::MatchLeft(int32_t step_number, RowId left) {
  if (state(Side::kLeft).IsMatched(left)) return;
  if (is_semi()) EmitPadded(step_number, Side::kLeft, left, ChangeKind::kInsert);
  if (keeps_decided()) {
    state(Side::kLeft).MarkMatched({&left, 1});
  } else {
    Remove(Side::kLeft, left);
  }
}

// Emits the pairs of a row with the stored ones, and removes of those what has expired. Returns
// whether there was a pair.
Result<bool> IntervalJoin::JoinPartners(const RecordStep& step, size_t step_in_group,
                                        int32_t step_number) {
  const Side other = Other(step.side);
  const int64_t expired_max = times_.ExpiredMax(other, now());
  bool matched = false;
  for (const Candidate& candidate : Partners(step_in_group)) {
    Result<bool> joins = Joins(other, candidate);
    if (!joins) return joins;
    if (*joins) {
      matched = true;
      if (!is_semi() && !is_anti()) {
        EmitPair(step_number, step.side, RowOf(step), candidate.row, ChangeKind::kInsert);
      } else if (other == Side::kLeft) {
        MatchLeft(step_number, candidate.row);
      }
      const bool is_there = state(other).IsAlive(candidate.row);
      if (is_there && plan_.tracks_matches(other)) state(other).MarkMatched({&candidate.row, 1});
    }
    if (candidate.time > expired_max || !state(other).IsAlive(candidate.row)) continue;
    Leave(step_number, other, candidate.row, IsMatched(other, candidate.row));
  }
  return matched;
}

// Memory that the timers touch when they fire comes into the cache, for all side by side.
void IntervalJoin::PrefetchTimers(std::span<const Timer> timers) {
  for (std::vector<uint64_t>& words : due_words_) words.clear();
  for (const Timer& timer : timers) {
    const Side side = static_cast<Side>(timer.side);
    timers_.Prefetch(side, timer.word);
    due_words_[Index(side)].push_back(timer.word);
  }
  for (const Side side : kBothSides) {
    state(side).Prefetch(due_words_[Index(side)]);
  }
}

void IntervalJoin::FireTimers(int32_t step_number, int64_t now) {
  timers_.PopDue(now, &due_);
  const std::span<const Timer> due = due_;
  for (size_t first = 0; first < due.size(); first += kPrefetchedTimersMax) {
    const auto some = due.subspan(first, std::min(kPrefetchedTimersMax, due.size() - first));
    if (due.size() > kPrefetchedTimersMax) PrefetchTimers(some);  // Else Scan did.
    for (const Timer& timer : some) FireTimer(step_number, timer, now);
  }
}

// A due timer removes the expired rows of its key and side, and is set again for the earliest row
// left.
void IntervalJoin::FireTimer(int32_t step_number, const Timer& timer, int64_t now) {
  const Side side = static_cast<Side>(timer.side);
  KeyScan expired;
  expired.word = timer.word;
  expired.before = Unseen(side);
  expired.earliest = 1;
  expired.latest = 0;
  expired.expired_max = times_.ExpiredMax(side, now);
  FindInOrder(side, expired, &found_);
  for (const FoundRow& row : found_) {
    Leave(step_number, side, row.row, IsMatched(side, row.row));
  }
  const std::optional<int64_t> oldest = state(side).OldestOf(timer.word, Unseen(side));
  if (oldest) timers_.SetIfNone(side, timer.word, times_.TimerOf(side, *oldest));
}

void IntervalJoin::TakeOperatorDeltas(std::array<SideDelta, 2>* deltas) {
  for (const Side side : kBothSides) {
    (*deltas)[Index(side)].timers = timers_.TakeChanges(side);
  }
}

Status IntervalJoin::RestoreOperator(VersionedStore* store, int64_t version) {
  for (const Side side : kBothSides) {
    const Result<std::vector<TimerChange>> timers = store->ReadTimers(version, StoreSide(side));
    if (!timers) return tl::unexpected(timers.error());
    timers_.Restore(side, *timers);
    SetMissingTimers(side);
  }
  return {};
}

// A run without a minimal clean-up interval may have left timers out: those of the earliest rows.
void IntervalJoin::SetMissingTimers(Side side) {
  std::vector<std::pair<int64_t, uint64_t>> rows;
  for (const RowId row : state(side).LiveRows()) {
    rows.emplace_back(state(side).TimeOf(row), state(side).WordOf(row));
  }
  std::sort(rows.begin(), rows.end());
  for (const auto& [time, word] : rows) {
    timers_.SetIfNone(side, word, times_.TimerOf(side, time));
  }
}

}  // namespace braid
