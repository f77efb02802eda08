#include "engine/perrecord/datastream_join.h"

#include <algorithm>
#include <tuple>

namespace braid {

DataStreamJoin::DataStreamJoin(const JoinPlan& plan, const PerRecordOptions& options)
    : StepJoin(plan, options),
      lower_((-plan.per_record->upper).micros),
      upper_((-plan.per_record->lower).micros),
      waits_{std::max<int64_t>(upper_, 0), std::max<int64_t>(-lower_, 0)} {}

Result<Column> DataStreamJoin::TimesOf(Side side, const RecordBlock& block) {
  const Column& times = *block.sides[Index(side)].rows->time;
  if (times.null_count() == 0) return times;
  return Fail(ErrorCode::kInvalidInput,
              "a row has no row time (NULL), which the DataStream interval join does not take");
}

int64_t DataStreamJoin::TimerOf(Side side, int64_t time) const {
  return CeilToMillis(SaturatingAdd(time, waits_[Index(side)]));
}

void DataStreamJoin::Scan(std::span<const RecordStep> steps, std::span<StepScans> scans) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].type != RecordStep::Type::kRow) continue;
    const int64_t time = state(steps[i].side).TimeOf(RowOf(steps[i]));
    const bool is_left = steps[i].side == Side::kLeft;
    scans[i].partners = true;
    scans[i].partner.earliest = SaturatingAdd(time, is_left ? lower_ : -upper_);
    scans[i].partner.latest = SaturatingAdd(time, is_left ? upper_ : -lower_);
  }
}

Status DataStreamJoin::Apply(std::span<const RecordStep> steps, int32_t first_step) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const RecordStep& step = steps[i];
    const int32_t number = first_step + static_cast<int32_t>(i);
    if (step.type == RecordStep::Type::kClock) {
      clock_.millis = std::max(clock_.millis, step.millis);
      continue;
    }
    if (step.type == RecordStep::Type::kRow) {
      if (Status applied = ApplyRow(step, i, number); !applied) return applied;
    }
    if (step.millis == kUnsetMillis || !NoteWatermark(step.side, step.millis)) continue;
    CleanUp(clock_.watermark());
    EmitWatermark(number, clock_.watermark());
  }
  return {};
}

Status DataStreamJoin::ApplyRow(const RecordStep& step, size_t step_in_group, int32_t step_number) {
  const Side me = step.side;
  const RowId row = RowOf(step);
  const int64_t time = state(me).TimeOf(row);
  MarkSeen(step);
  const int64_t watermark = clock_.watermark();
  if (watermark != kUnsetMillis && time < AtMicros({watermark}).micros) {
    pending_.late.push_back({me, step.row, step_number, watermark});
    Remove(me, row);
    return {};
  }
  timers_.Add({TimerOf(me, time), WordOf(step), static_cast<uint8_t>(me)});
  for (const Candidate& candidate : Partners(step_in_group)) {
    const Result<bool> joins = Joins(Other(me), candidate);
    if (!joins) return tl::unexpected(joins.error());
    if (!*joins) continue;
    if (plan_.reports_unmatched) {
      state(me).MarkMatched({&row, 1});
      state(Other(me)).MarkMatched({&candidate.row, 1});
    }
    EmitPair(step_number, me, row, candidate.row, ChangeKind::kInsert);
    pending_.times.push_back(std::max(time, candidate.time));
  }
  return {};
}

// Each due timer removes the rows of its key and time.
void DataStreamJoin::CleanUp(int64_t now) {
  due_.clear();
  timers_.PopDue(now, &due_);
  for (const Timer& timer : due_) {
    const Side side = static_cast<Side>(timer.side);
    KeyScan expired;
    expired.word = timer.word;
    expired.before = Unseen(side);
    expired.earliest = 1;
    expired.latest = 0;
    expired.expired_max = SaturatingAdd(AtMicros({timer.millis}).micros, -waits_[Index(side)]);
    FindInOrder(side, expired, &found_);
    for (const FoundRow& row : found_) {
      if (plan_.reports_unmatched && !state(side).IsMatched(row.row)) {
        ReportUnmatched(side, row.row, clock_.watermark());
      }
      Remove(side, row.row);
    }
  }
}

// Rows of one key, side and time have one timer.
std::vector<int64_t> DataStreamJoin::timer_times() const {
  std::vector<std::tuple<int64_t, uint8_t, uint64_t, int64_t>> timers;
  for (const Side side : kBothSides) {
    for (const RowId row : state(side).LiveRows()) {
      const int64_t time = state(side).TimeOf(row);
      timers.emplace_back(TimerOf(side, time), static_cast<uint8_t>(side), state(side).WordOf(row),
                          time);
    }
  }
  std::sort(timers.begin(), timers.end());
  timers.erase(std::unique(timers.begin(), timers.end()), timers.end());
  std::vector<int64_t> times;
  for (const auto& timer : timers) times.push_back(std::get<0>(timer));
  return times;
}

Status DataStreamJoin::RestoreOperator(VersionedStore* /*store*/, int64_t /*version*/) {
  for (const Side side : kBothSides) {
    for (const RowId row : state(side).LiveRows()) {
      timers_.Add({TimerOf(side, state(side).TimeOf(row)), state(side).WordOf(row),
                   static_cast<uint8_t>(side)});
    }
  }
  return {};
}

}  // namespace braid
