#include "engine/perrecord/bulk_interval_join.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>
#include <utility>

namespace braid {

namespace {

// Pairs of a group at which groups become smaller.
constexpr size_t kGroupPairsMax = 32'768;
// Pairs of several steps at which a group begins again with fewer of them: rows of a key that has
// very many find so many before groups have become small. This, not the number of steps, bounds the
// memory.
constexpr size_t kUndonePairs = 8 * kGroupPairsMax;
// From so many pairs of a record on they are given out all at once.
constexpr size_t kManyPairs = 8;
// Rows that leave at one step until it is looked how many results wait to be given out.
constexpr size_t kLeavingMax = 1'024;

// The stable order of items by a number below `num_buckets`; ends[n] is where those of n end.
template <typename Item, typename NumberOf>
void OrderBy(const std::vector<Item>& items, size_t num_buckets, const NumberOf& number_of,
             std::vector<uint32_t>* ends, std::vector<Item>* ordered) {
  ends->assign(num_buckets + 1, 0);
  for (const Item& item : items) ++(*ends)[number_of(item) + 1];
  for (size_t bucket = 0; bucket < num_buckets; ++bucket) (*ends)[bucket + 1] += (*ends)[bucket];
  ordered->resize(items.size());
  for (const Item& item : items) (*ordered)[(*ends)[number_of(item)]++] = item;
}

// Leaving rows by their timers. Those of a group lie close together: mostly one pass counts them.
template <typename Item>
void OrderByTimers(std::vector<Item>* items, std::vector<uint32_t>* ends,
                   std::vector<Item>* ordered) {
  ordered->clear();
  if (items->empty()) return;
  const auto earlier = [](const Item& one, const Item& two) { return one.timer < two.timer; };
  const auto [first, last] = std::minmax_element(items->begin(), items->end(), earlier);
  const int64_t earliest = first->timer;
  const uint64_t range = static_cast<uint64_t>(last->timer) - static_cast<uint64_t>(earliest);
  if (range > items->size() * 4 + 1'024) {
    std::sort(items->begin(), items->end(), earlier);
    return std::swap(*items, *ordered);
  }
  OrderBy(
      *items, static_cast<size_t>(range) + 1,
      [earliest](const Item& item) { return static_cast<size_t>(item.timer - earliest); }, ends,
      ordered);
}

}  // namespace

void BulkIntervalJoin::GroupRows::Clear() {
  rows.clear();
  ids.clear();
  steps.clear();
  unseen_other.clear();
  now.clear();
  stored.clear();
  matched.clear();
}

bool BulkIntervalJoin::Takes(const JoinPlan& plan, const PerRecordOptions& options) {
  return plan.per_record->chosen == PerRecordOperator::kRowTimeInterval &&
         !plan.per_record->is_empty_window() && plan.type != JoinType::kLeftSemi &&
         plan.type != JoinType::kLeftAnti && options.min_cleanup_interval_ms == 0 &&
         !options.step_by_step;
}

BulkIntervalJoin::BulkIntervalJoin(const JoinPlan& plan, const PerRecordOptions& options)
    : PerRecordJoin(plan, options),
      times_(*plan.per_record, options),
      output_delay_ms_(times_.OutputDelay()),
      overstaying_{OverstayingRows(options.durable), OverstayingRows(options.durable)},
      group_steps_(options.group_steps_max) {}

Result<Column> BulkIntervalJoin::TimesOf(Side side, const RecordBlock& block) {
  return *block.sides[Index(side)].rows->time;
}

Status BulkIntervalJoin::Run(const RecordBlock& block) {
  RefreshOverstaying();
  for (const Side side : kBothSides) {
    overtaken_[Index(side)].clear();
    next_overtaken_[Index(side)] = 0;
    unstored_removed_[Index(side)] = 0;
    state(side).FindOvertaken(rows_[Index(side)], &overtaken_[Index(side)]);
  }
  const std::span<const RecordStep> steps = block.steps;
  for (size_t first = 0; first < steps.size();) {
    const size_t count = std::min(group_steps_, steps.size() - first);
    is_last_group_ = first + count == steps.size();
    const Result<bool> run = RunGroup(steps.subspan(first, count), static_cast<int32_t>(first));
    if (!run) return tl::unexpected(run.error());
    if (!*run) {
      group_steps_ = std::max<size_t>(1, count / 8);
      continue;
    }
    first += count;
    if (found_.size() > kGroupPairsMax) {
      group_steps_ = std::max<size_t>(1, group_steps_ / 4);
    } else if (found_.size() < kGroupPairsMax / 4) {
      group_steps_ = std::min(options_.group_steps_max, group_steps_ * 2);
    }
  }
  return {};
}

Result<bool> BulkIntervalJoin::RunGroup(std::span<const RecordStep> steps, int32_t first_step) {
  const JoinClock clock = clock_;
  const int64_t num_null_times = num_null_times_;
  const std::array<RowId, 2> unseen_before = unseen();
  ReadSteps(steps);
  RemoveUnstored();
  const bool may_be_undone = !FollowOverstaying() && steps.size() > 1;
  found_.clear();
  const size_t pairs_max = may_be_undone ? kUndonePairs : std::numeric_limits<size_t>::max();
  for (const Side side : kBothSides) {
    if (FindPairs(side, pairs_max)) continue;
    clock_ = clock;
    num_null_times_ = num_null_times;
    SetUnseen(unseen_before);
    return false;
  }
  if (is_abandoned()) return tl::unexpected(options_.abandoned->Check().error());
  OrderPairs();
  if (Status decided = DecidePairs(); !decided) return tl::unexpected(decided.error());
  MarkPairs();
  for (const Leaving& row : scanned_) Remove(row.side, row.row);
  unordered_leaving_.clear();
  for (const Side side : kBothSides) FindLeaving(side);
  OrderLeaving();
  if (Status emitted = EmitSteps(first_step); !emitted) return tl::unexpected(emitted.error());
  return true;
}

// What each row of the group sees: the watermark, and the rows before it.
void BulkIntervalJoin::ReadSteps(std::span<const RecordStep> steps) {
  for (GroupRows& rows : groups_) rows.Clear();
  rises_.clear();
  step_rows_.assign(steps.size(), {});
  for (size_t i = 0; i < steps.size(); ++i) {
    const RecordStep& step = steps[i];
    const int32_t number = static_cast<int32_t>(i);
    if (step.type == RecordStep::Type::kClock) {
      clock_.millis = std::max(clock_.millis, step.millis);
      continue;
    }
    if (step.type == RecordStep::Type::kRow) ReadRow(step, number);
    if (step.millis == kUnsetMillis || !NoteWatermark(step.side, step.millis)) continue;
    rises_.push_back({number, clock_.watermark()});
  }
}

void BulkIntervalJoin::ReadRow(const RecordStep& step, int32_t number) {
  GroupRows& mine = group(step.side);
  step_rows_[static_cast<size_t>(number)] = {static_cast<int32_t>(mine.rows.size()), step.side};
  mine.rows.push_back(step.row);
  mine.ids.push_back(RowOf(step));
  mine.steps.push_back(number);
  mine.unseen_other.push_back(Unseen(Other(step.side)));
  mine.now.push_back(clock_.watermark());
  mine.matched.push_back(0);
  const bool has_time = HasTime(step.side, step.row);
  if (!has_time) ++num_null_times_;
  const bool stored =
      has_time && times_.IsStored(step.side, TimeOf(step.side, step.row), clock_.watermark());
  mine.stored.push_back(stored ? 1 : 0);
  MarkSeen(step);
}

void BulkIntervalJoin::RemoveUnstored() {
  for (const Side side : kBothSides) {
    const GroupRows& mine = group(side);
    RowId& removed = unstored_removed_[Index(side)];
    for (size_t i = 0; i < mine.rows.size(); ++i) {
      if (mine.stored[i] == 0 && mine.ids[i] >= removed) Remove(side, mine.ids[i]);
    }
    if (!mine.ids.empty()) removed = std::max(removed, mine.ids.back() + 1);
  }
}

// Goes through the rows of the group one by one, if any of them may overstay, or meet one that
// does.
bool BulkIntervalJoin::FollowOverstaying() {
  scanned_.clear();
  bool any = false;
  for (const Side side : kBothSides) {
    departures_[Index(side)].clear();
    const std::vector<RowId>& overtaken = overtaken_[Index(side)];
    const size_t next = next_overtaken_[Index(side)];
    any = any || !overstaying_[Index(side)].empty() ||
          (next < overtaken.size() && overtaken[next] < Unseen(side));
  }
  if (!any) return false;
  for (size_t i = 0; i < step_rows_.size(); ++i) {
    if (step_rows_[i].index < 0) continue;
    const Side side = step_rows_[i].side;
    const size_t index = static_cast<size_t>(step_rows_[i].index);
    const int32_t row = group(side).rows[index];
    if (!HasTime(side, row)) continue;
    const uint64_t word = WordAt(side, row);
    ScanOverstaying(static_cast<int32_t>(i), Other(side), word, group(side).now[index]);
    if (group(side).stored[index] != 0) NoteStored(side, index, word);
  }
  for (const Side side : kBothSides) {
    if (rises_.empty()) break;
    for (const uint64_t word : overstaying_[Index(side)].Due(rises_.back().now)) {
      Depart(side, word);
    }
  }
  return true;
}

// A record of the other side takes the rows of its key out that have expired.
void BulkIntervalJoin::ScanOverstaying(int32_t step, Side side, uint64_t word, int64_t now) {
  OverstayingRows& overstaying = overstaying_[Index(side)];
  const OverstayingRows::Key* const key = overstaying.Find(word);
  if (key == nullptr) return;
  const int64_t timer = key->timer;
  if (timer <= now) return Depart(side, word);
  const int64_t expired_max = times_.ExpiredMax(side, now);
  const bool any = std::any_of(key->rows.begin(), key->rows.end(),
                               [&](const auto& row) { return row.time <= expired_max; });
  if (!any) return;
  for (const OverstayingRows::Row& row : overstaying.Take(word)) {
    if (row.time > expired_max) {
      overstaying.Add(word, timer, row);
      continue;
    }
    departures_[Index(side)][row.row] = {step, timer};
    scanned_.push_back({step, row.row, timer, word, side});
  }
}

// A row is stored: does the timer of its key, if it has one, come later than its own would?
void BulkIntervalJoin::NoteStored(Side side, size_t index, uint64_t word) {
  const GroupRows& mine = group(side);
  const RowId row = mine.ids[index];
  const int64_t now = mine.now[index];
  const std::vector<RowId>& overtaken = overtaken_[Index(side)];
  size_t& next = next_overtaken_[Index(side)];
  while (next < overtaken.size() && overtaken[next] < row) ++next;
  const bool may_be_overtaken = next < overtaken.size() && overtaken[next] == row;
  OverstayingRows& overstaying = overstaying_[Index(side)];
  const OverstayingRows::Key* key = overstaying.Find(word);
  if (key != nullptr && key->timer <= now) {
    Depart(side, word);
    key = nullptr;
  }
  std::optional<int64_t> timer;
  if (key != nullptr) {
    timer = key->timer;
  } else if (may_be_overtaken) {
    const std::optional<int64_t> oldest =
        state(side).OldestOf(word, row, times_.ExpiredMax(side, now));
    if (oldest) timer = times_.TimerOf(side, *oldest);
  }
  const int64_t time = TimeOf(side, mine.rows[index]);
  if (!timer || *timer <= times_.TimerOf(side, time)) return;
  overstaying.Add(word, *timer, {state(side).IdOf(row), row, time});
}

// The timer of a key fires within the group.
void BulkIntervalJoin::Depart(Side side, uint64_t word) {
  OverstayingRows& overstaying = overstaying_[Index(side)];
  const int64_t timer = overstaying.Find(word)->timer;
  for (const OverstayingRows::Row& row : overstaying.Take(word)) {
    departures_[Index(side)][row.row] = {StepOf(timer), timer};
  }
}

// RowIds of overstaying rows may have changed since the last block.
void BulkIntervalJoin::RefreshOverstaying() {
  for (const Side side : kBothSides) {
    SideState& stored = state(side);
    if (stored.num_renamings() == num_renamings_[Index(side)]) continue;
    num_renamings_[Index(side)] = stored.num_renamings();
    std::vector<FoundRow> found;
    overstaying_[Index(side)].VisitAll([&](uint64_t word, OverstayingRows::Key* key) {
      found.clear();
      KeyScan all;
      all.word = word;
      stored.Find(all, &found);
      for (OverstayingRows::Row& row : key->rows) {
        for (const FoundRow& candidate : found) {
          if (stored.IdOf(candidate.row) == row.id) row.row = candidate.row;
        }
      }
    });
  }
}

// Whether a row that has expired is still there for the record of the step.
bool BulkIntervalJoin::Overstays(Side side, RowId row, int32_t step) const {
  const auto departure = departures_[Index(side)].find(row);
  if (departure != departures_[Index(side)].end()) return step <= departure->second.step;
  const OverstayingRows::Key* const key = overstaying_[Index(side)].Find(state(side).WordOf(row));
  return key != nullptr && std::any_of(key->rows.begin(), key->rows.end(),
                                       [row](const auto& stays) { return stays.row == row; });
}

// The stored rows that the records of one side find on the other.
bool BulkIntervalJoin::FindPairs(Side side, size_t pairs_max) {
  const GroupRows& mine = group(side);
  if (mine.rows.empty()) return true;
  const Side other = Other(side);
  const Arrivals& records = *block_->sides[Index(side)].rows;
  ArrivingRows arriving;
  arriving.keys = &records.keys;
  arriving.times = &*records.time;
  arriving.rows = mine.rows;
  const Interval lower = {-times_.size(other)};
  const Interval upper = {times_.size(side)};
  ProbeCursor cursor;
  bool done = false;
  while (!done && !is_abandoned()) {
    matches_.Clear();
    done = state(other).Probe(arriving, lower, upper, &cursor, &matches_);
    const std::span<const int32_t> found(matches_.arriving);
    for (size_t first = 0; first < found.size();) {
      size_t end = first + 1;
      while (end < found.size() && found[end] == found[first]) ++end;
      const size_t index = static_cast<size_t>(found[first] - mine.rows[0]);
      TakeFound(side, index, lower, std::span(matches_.stored).subspan(first, end - first));
      first = end;
    }
    if (found_.size() > pairs_max) return false;
  }
  return true;
}

// Of the rows that a record finds, those that came before it and have not left.
void BulkIntervalJoin::TakeFound(Side side, size_t index, Interval lower,
                                 std::span<const RowId> stored) {
  const GroupRows& mine = group(side);
  const Side other = Other(side);
  const RowId unseen_other = mine.unseen_other[index];
  const int32_t step = mine.steps[index];
  const int64_t expired_max = times_.ExpiredMax(other, mine.now[index]);
  // A record that is not late finds no row that has expired.
  const bool is_late = SaturatingAdd(TimeOf(side, mine.rows[index]), lower.micros) <= expired_max;
  for (const RowId row : stored) {
    if (row >= unseen_other) continue;
    if (is_late && state(other).TimeOf(row) <= expired_max && !Overstays(other, row, step)) {
      continue;
    }
    found_.push_back({step, row});
  }
}

bool BulkIntervalJoin::CameBefore(Side side, RowId first, RowId second) const {
  if (state(side).num_renamings() == 0) return first < second;
  return state(side).IdOf(first) < state(side).IdOf(second);
}

// By step, and in the order in which the stored rows came.
void BulkIntervalJoin::OrderPairs() {
  OrderBy(
      found_, step_rows_.size(), [](const Pair& pair) { return static_cast<size_t>(pair.step); },
      &step_ends_, &pairs_);
  for (size_t first = 0; first < pairs_.size();) {
    const size_t step = static_cast<size_t>(pairs_[first].step);
    const size_t end = step_ends_[step];
    if (end - first > 1) {
      OrderByArrival(Other(step_rows_[step].side), std::span(pairs_).subspan(first, end - first));
    }
    first = end;
  }
}

// Pairs of one step, each with another stored row. A record of a hot key finds thousands, whose ids
// lie close together: they are marked and read off in order.
void BulkIntervalJoin::OrderByArrival(Side side, std::span<Pair> pairs) {
  RowId first = pairs.front().stored;
  RowId last = first;
  for (const Pair& pair : pairs) {
    first = std::min(first, pair.stored);
    last = std::max(last, pair.stored);
  }
  const size_t num_words = (last - first) / 64 + 1;
  if (state(side).num_renamings() != 0 || num_words > 4 * pairs.size()) {
    std::sort(pairs.begin(), pairs.end(), [this, side](const Pair& one, const Pair& two) {
      return CameBefore(side, one.stored, two.stored);
    });
    return;
  }
  found_rows_.assign(num_words, 0);
  for (const Pair& pair : pairs) {
    const RowId distance = pair.stored - first;
    found_rows_[distance / 64] |= uint64_t{1} << (distance % 64);
  }
  auto pair = pairs.begin();
  for (size_t word = 0; word < num_words; ++word) {
    for (uint64_t bits = found_rows_[word]; bits != 0; bits &= bits - 1) {
      const RowId distance =
          static_cast<RowId>(word * 64) + static_cast<RowId>(std::countr_zero(bits));
      (pair++)->stored = first + distance;
    }
  }
}

bool BulkIntervalJoin::AnySharesWordOfNull() const {
  return std::any_of(kBothSides.begin(), kBothSides.end(), [this](Side side) {
    const std::vector<int32_t>& rows = group(side).rows;
    return std::any_of(rows.begin(), rows.end(), [this, side](int32_t row) {
      return SharesWordOfNull(side, WordAt(side, row));
    });
  });
}

// Keeps the pairs that fulfill the whole ON condition.
Status BulkIntervalJoin::DecidePairs() {
  const bool judges_all = has_hashed_keys() || has_condition();
  judged_.clear();
  if (!judges_all && !AnySharesWordOfNull()) return {};
  std::vector<RowId> left;
  std::vector<RowId> right;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const StepRow& row = step_rows_[static_cast<size_t>(pairs_[i].step)];
    const GroupRows& mine = group(row.side);
    const size_t index = static_cast<size_t>(row.index);
    if (!judges_all && !SharesWordOfNull(row.side, WordAt(row.side, mine.rows[index]))) continue;
    judged_.push_back(i);
    left.push_back(row.side == Side::kLeft ? mine.ids[index] : pairs_[i].stored);
    right.push_back(row.side == Side::kLeft ? pairs_[i].stored : mine.ids[index]);
  }
  if (judged_.empty()) return {};
  errors_.clear();
  std::vector<Verdict> verdicts(judged_.size());
  Evaluate(left, right, verdicts);
  size_t kept = 0;
  size_t next = 0;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    Verdict verdict = Verdict::kYes;
    if (next < judged_.size() && judged_[next] == i) verdict = verdicts[next++];
    if (verdict == Verdict::kError) {
      if (Status met = MeetRowError(); !met) return met;
    }
    if (verdict == Verdict::kYes) pairs_[kept++] = pairs_[i];
  }
  pairs_.resize(kept);
  return {};
}

void BulkIntervalJoin::MarkPairs() {
  if (!tells_unmatched(Side::kLeft) && !tells_unmatched(Side::kRight)) return;
  std::array<std::vector<RowId>, 2> matched;
  for (const Pair& pair : pairs_) {
    const StepRow& row = step_rows_[static_cast<size_t>(pair.step)];
    GroupRows& mine = group(row.side);
    const size_t index = static_cast<size_t>(row.index);
    mine.matched[index] = 1;
    matched[Index(row.side)].push_back(mine.ids[index]);
    matched[Index(Other(row.side))].push_back(pair.stored);
  }
  for (const Side side : kBothSides) {
    if (plan_.tracks_matches(side)) state(side).MarkMatched(matched[Index(side)]);
  }
}

// The step at which a timer fires. REQUIRES: it does within the group.
int32_t BulkIntervalJoin::StepOf(int64_t timer) const {
  const auto rise =
      std::lower_bound(rises_.begin(), rises_.end(), timer,
                       [](const Rise& one, int64_t millis) { return one.now < millis; });
  return rise == rises_.end() ? rises_.back().step : rise->step;
}

// Takes out what leaves up to the last watermark of the group.
void BulkIntervalJoin::FindLeaving(Side side) {
  if (rises_.empty() && tells_unmatched(side)) return;
  const int64_t expired_max = times_.ExpiredMax(side, clock_.watermark());
  if (expired_max == std::numeric_limits<int64_t>::min()) return;
  const EventTime threshold = {SaturatingAdd(expired_max, 1)};
  const auto& departures = departures_[Index(side)];
  // Of rows that leave without a word, many are evicted at a time.
  if (!tells_unmatched(side) && departures.empty() && !is_last_group_) return;
  std::vector<RowId> rows;
  if (overstaying_[Index(side)].empty() && departures.empty()) {
    rows = state(side).EvictBelow(threshold, tells_unmatched(side)).rows;
  } else {
    rows = state(side).RemoveBelow(threshold, overstaying_[Index(side)].RowIds());
  }
  if (!tells_unmatched(side)) return;
  for (const RowId row : rows) {
    if (row >= Unseen(side)) continue;  // It has not come yet, and will not be stored.
    Leaving leaving;
    leaving.side = side;
    leaving.row = row;
    leaving.word = state(side).WordOf(row);
    leaving.matched = state(side).IsMatched(row);
    const auto departure = departures.find(row);
    leaving.timer = departure != departures.end() ? departure->second.timer
                                                  : times_.TimerOf(side, state(side).TimeOf(row));
    unordered_leaving_.push_back(leaving);
  }
}

// By step, and within a step in the order in which timers fire. Of rows that had a partner, of
// which nothing is to be said, only the timers count.
void BulkIntervalJoin::OrderLeaving() {
  OrderByTimers(&unordered_leaving_, &timer_ends_, &leaving_);
  size_t rise = 0;
  for (Leaving& row : leaving_) {
    while (rise + 1 < rises_.size() && rises_[rise].now < row.timer) ++rise;
    row.step = rises_[rise].step;
  }
  size_t kept = 0;
  for (size_t first = 0; first < leaving_.size();) {
    size_t end = first + 1;
    while (end < leaving_.size() && leaving_[end].step == leaving_[first].step) ++end;
    const std::span<Leaving> rows(leaving_.data() + first, end - first);
    const bool reorders = rows.front().timer != rows.back().timer && ShareTimers(rows);
    const size_t begin = kept;
    for (const Leaving& row : rows) {
      leaving_[kept] = row;
      kept += row.matched ? 0 : 1;
    }
    OrderLeavingOfStep(std::span(leaving_).subspan(begin, kept - begin), reorders);
    first = end;
  }
  leaving_.resize(kept);
}

// Timers fire by time, right before left; that of a key takes all of its rows that have expired.
void BulkIntervalJoin::OrderLeavingOfStep(std::span<Leaving> rows, bool by_timer) {
  if (by_timer) {
    std::sort(rows.begin(), rows.end(),
              [](const Leaving& one, const Leaving& two) { return one.timer < two.timer; });
  }
  for (size_t first = 0; first < rows.size();) {
    size_t end = first + 1;
    while (end < rows.size() && rows[end].timer == rows[first].timer) ++end;
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first),
              rows.begin() + static_cast<std::ptrdiff_t>(end),
              [this](const Leaving& one, const Leaving& two) {
                if (one.side != two.side) return one.side == Side::kRight;
                if (one.word != two.word) return one.word < two.word;
                return CameBefore(one.side, one.row, two.row);
              });
    first = end;
  }
}

// Gives rows of one key and side the earliest of their timers; returns whether there were such
// rows. Most keys have one row: a row whose bit no other row has set needs no closer look.
bool BulkIntervalJoin::ShareTimers(std::span<Leaving> rows) {
  const size_t num_bits = std::bit_ceil(rows.size() * 16);
  const int shift = 64 - std::countr_zero(num_bits);
  const auto bit_of = [shift](const Leaving& row) {
    return static_cast<size_t>(MixKeyWord(row.word + Index(row.side)) >> shift);
  };
  once_.assign(num_bits, false);
  twice_.assign(num_bits, false);
  for (const Leaving& row : rows) {
    const size_t bit = bit_of(row);
    (once_[bit] ? twice_ : once_)[bit] = true;
  }
  std::vector<Leaving*> sharing;
  for (Leaving& row : rows) {
    if (twice_[bit_of(row)]) sharing.push_back(&row);
  }
  std::sort(sharing.begin(), sharing.end(), [](const Leaving* one, const Leaving* two) {
    return std::tuple(one->side, one->word, one->timer) <
           std::tuple(two->side, two->word, two->timer);
  });
  bool any = false;
  for (size_t i = 1; i < sharing.size(); ++i) {
    const Leaving& before = *sharing[i - 1];
    if (before.side != sharing[i]->side || before.word != sharing[i]->word) continue;
    sharing[i]->timer = before.timer;
    any = true;
  }
  return any;
}

// Says of a row that leaves that it never had a partner.
void BulkIntervalJoin::Leave(int32_t step_number, Side side, RowId row, int64_t watermark) {
  if (pads(side)) EmitPadded(step_number, side, row, ChangeKind::kInsert);
  ReportUnmatched(side, row, watermark);
}

Status BulkIntervalJoin::EmitSteps(int32_t first_step) {
  const bool tells = tells_unmatched(Side::kLeft) || tells_unmatched(Side::kRight);
  size_t pair = 0;
  size_t given = 0;
  size_t scanned = 0;
  size_t leaving = 0;
  size_t rise = 0;
  for (size_t i = 0; i < step_rows_.size(); ++i) {
    const int32_t step = static_cast<int32_t>(i);
    const int32_t number = first_step + step;
    EmitPairs(step, number, &pair, &scanned);
    if (tells) EmitUnstored(step, number);
    if (pair - given >= kGroupPairsMax) {
      given = pair;
      if (Status ended = EndGroup(); !ended) return ended;
    }
    if (rise == rises_.size() || rises_[rise].step != step) continue;
    const int64_t now = rises_[rise++].now;
    for (; leaving < leaving_.size() && leaving_[leaving].step == step; ++leaving) {
      const Leaving& row = leaving_[leaving];
      Leave(number, row.side, row.row, now);
      if (leaving % kLeavingMax != 0) continue;
      if (Status ended = EndGroup(); !ended) return ended;
    }
    EmitWatermark(number, SaturatingAdd(now, -output_delay_ms_));
  }
  return EndGroup();
}

// The pairs of a record, and between them the expired rows that it takes out.
void BulkIntervalJoin::EmitPairs(int32_t step, int32_t step_number, size_t* pair, size_t* scanned) {
  const StepRow& own = step_rows_[static_cast<size_t>(step)];
  const auto leave_before = [&](RowId stored) {
    const Side other = Other(own.side);
    for (; *scanned < scanned_.size() && scanned_[*scanned].step == step; ++*scanned) {
      const RowId row = scanned_[*scanned].row;
      if (stored != kNoRow && !CameBefore(other, row, stored)) return;
      if (!tells_unmatched(other) || state(other).IsMatched(row)) continue;
      Leave(step_number, other, row, group(own.side).now[static_cast<size_t>(own.index)]);
    }
  };
  const size_t first = *pair;
  while (*pair < pairs_.size() && pairs_[*pair].step == step) ++*pair;
  const std::span<const Pair> pairs(pairs_.data() + first, *pair - first);
  if (scanned_.empty() && pairs.size() >= kManyPairs) {
    stored_rows_.clear();
    for (const Pair& each : pairs) stored_rows_.push_back(each.stored);
    const RowId row = group(own.side).ids[static_cast<size_t>(own.index)];
    return EmitPairsOf(step_number, own.side, row, stored_rows_);
  }
  for (const Pair& each : pairs) {
    if (!scanned_.empty()) leave_before(each.stored);
    const RowId row = group(own.side).ids[static_cast<size_t>(own.index)];
    EmitPair(step_number, own.side, row, each.stored, ChangeKind::kInsert);
  }
  if (!scanned_.empty()) leave_before(kNoRow);
}

// A record that is not stored, and never had a partner.
void BulkIntervalJoin::EmitUnstored(int32_t step, int32_t step_number) {
  const StepRow& own = step_rows_[static_cast<size_t>(step)];
  if (own.index < 0 || !tells_unmatched(own.side)) return;
  const GroupRows& mine = group(own.side);
  const size_t index = static_cast<size_t>(own.index);
  if (mine.stored[index] != 0 || mine.matched[index] != 0) return;
  Leave(step_number, own.side, mine.ids[index], mine.now[index]);
}

std::optional<int64_t> BulkIntervalJoin::NeededWatermark(Side side) const {
  const std::optional<int64_t> oldest = OldestTime(side);
  if (!oldest) return std::nullopt;
  return times_.TimerOf(side, *oldest);
}

// Rows below it have left without being named one by one.
std::optional<EventTime> BulkIntervalJoin::Threshold(Side side) const {
  const int64_t expired_max = times_.ExpiredMax(side, clock_.watermark());
  if (expired_max == std::numeric_limits<int64_t>::min()) return std::nullopt;
  int64_t threshold = SaturatingAdd(expired_max, 1);
  overstaying_[Index(side)].VisitAll([&](uint64_t /*word*/, const OverstayingRows::Key& key) {
    for (const OverstayingRows::Row& row : key.rows) threshold = std::min(threshold, row.time);
  });
  return EventTime{threshold};
}

// One a key and side; the left and the right one of one key at one time are one.
std::vector<int64_t> BulkIntervalJoin::timer_times() const {
  std::vector<std::pair<int64_t, uint64_t>> timers;
  for (const Side side : kBothSides) {
    boost::unordered_flat_map<uint64_t, int64_t> by_word;
    for (const RowId row : state(side).LiveRows()) {
      const int64_t timer = times_.TimerOf(side, state(side).TimeOf(row));
      const auto [place, is_new] = by_word.emplace(state(side).WordOf(row), timer);
      if (!is_new) place->second = std::min(place->second, timer);
    }
    for (const auto& [word, timer] : by_word) {
      const OverstayingRows::Key* const key = overstaying_[Index(side)].Find(word);
      timers.emplace_back(key != nullptr ? key->timer : timer, word);
    }
  }
  std::sort(timers.begin(), timers.end());
  timers.erase(std::unique(timers.begin(), timers.end()), timers.end());
  std::vector<int64_t> times;
  for (const auto& [timer, word] : timers) times.push_back(timer);
  return times;
}

int64_t BulkIntervalJoin::memory_bytes() const {
  return PerRecordJoin::memory_bytes() + overstaying_[0].memory_bytes() +
         overstaying_[1].memory_bytes();
}

void BulkIntervalJoin::TakeOperatorDeltas(std::array<SideDelta, 2>* deltas) {
  for (const Side side : kBothSides) {
    (*deltas)[Index(side)].timers = overstaying_[Index(side)].TakeChanges();
  }
}

// Timers of keys without overstaying rows follow from their rows; checkpoints may hold them.
Status BulkIntervalJoin::RestoreOperator(VersionedStore* store, int64_t version) {
  for (const Side side : kBothSides) {
    const Result<std::vector<TimerChange>> timers = store->ReadTimers(version, StoreSide(side));
    if (!timers) return tl::unexpected(timers.error());
    for (const TimerChange& timer : *timers) {
      if (timer.time_ms && *timer.time_ms > clock_.watermark()) {
        RestoreTimer(side, timer.word, *timer.time_ms);
      }
    }
    overstaying_[Index(side)].TakeChanges();
    num_renamings_[Index(side)] = state(side).num_renamings();
  }
  return {};
}

void BulkIntervalJoin::RestoreTimer(Side side, uint64_t word, int64_t timer) {
  std::vector<FoundRow> found;
  KeyScan all;
  all.word = word;
  state(side).Find(all, &found);
  std::erase_if(found,
                [&](const FoundRow& row) { return times_.TimerOf(side, row.time) >= timer; });
  std::sort(found.begin(), found.end(), [&](const FoundRow& one, const FoundRow& two) {
    return CameBefore(side, one.row, two.row);
  });
  for (const FoundRow& row : found) {
    overstaying_[Index(side)].Add(word, timer, {state(side).IdOf(row.row), row.row, row.time});
  }
}

}  // namespace braid
