#include "engine/microbatch/watermark_tracker.h"

#include <algorithm>
#include <utility>

namespace braid {

WatermarkTracker::WatermarkTracker(std::vector<Table> tables, WatermarkPolicy policy)
    : tables_(std::move(tables)), policy_(policy), states_(tables_.size()) {}

void WatermarkTracker::Observe(size_t table, EventTime time) {
  std::optional<EventTime>& max_time = states_[table].max_time;
  if (!max_time || time > *max_time) max_time = time;
}

void WatermarkTracker::Finish(size_t table) {
  states_[table].finished = true;
  states_[table].idle = false;
}

void WatermarkTracker::BeginIdleness(EventTime now) {
  for (size_t table = 0; table < tables_.size(); ++table) NoteActive(table, now);
}

void WatermarkTracker::NoteActive(size_t table, EventTime now) {
  states_[table].active = now;
  states_[table].idle = false;
}

void WatermarkTracker::NoteSilent(size_t table, EventTime now) {
  const std::optional<Interval>& timeout = tables_[table].idle_timeout;
  // Once idle, only a row makes it active: a clock that is set back does not.
  if (timeout && states_[table].active + *timeout <= now) states_[table].idle = true;
}

std::optional<Watermark> WatermarkTracker::table_watermark(size_t table) const {
  const State& state = states_[table];
  std::optional<Watermark> mark = state.restored;
  if (state.max_time) {
    mark = std::max(mark.value_or(WatermarkAfter(*state.max_time, tables_[table].delay)),
                    WatermarkAfter(*state.max_time, tables_[table].delay));
  }
  return mark;
}

std::optional<Watermark> WatermarkTracker::Smallest() const {
  std::optional<Watermark> smallest;
  for (size_t table = 0; table < tables_.size(); ++table) {
    if (left_out(table)) continue;
    const std::optional<Watermark> mark = table_watermark(table);
    if (!mark) return std::nullopt;
    smallest = std::min(smallest.value_or(*mark), *mark);
  }
  return smallest;
}

std::optional<Watermark> WatermarkTracker::Largest() const {
  std::optional<Watermark> largest;
  for (size_t table = 0; table < tables_.size(); ++table) {
    // Unset orders before every watermark.
    largest = std::max(largest, table_watermark(table));
  }
  return largest;
}

std::optional<Watermark> WatermarkTracker::Combine() const {
  if (policy_ == WatermarkPolicy::kMax) return Largest();
  bool any_idle = false;
  bool all_out = true;
  for (size_t table = 0; table < tables_.size(); ++table) {
    any_idle = any_idle || states_[table].idle;
    all_out = all_out && left_out(table);
  }
  // Finished tables alone leave the rest to the flush.
  return all_out && any_idle ? Largest() : Smallest();
}

void WatermarkTracker::Advance() {
  late_ = current_;
  Recompute();
}

void WatermarkTracker::Recompute() {
  if (const std::optional<Watermark> next = Combine()) RaiseTo(*next);
}

void WatermarkTracker::RaiseTo(Watermark watermark) {
  if (!current_ || watermark > *current_) current_ = watermark;
}

std::optional<size_t> WatermarkTracker::holding_back() const {
  std::optional<size_t> holder;
  for (size_t table = 0; table < tables_.size(); ++table) {
    if (policy_ == WatermarkPolicy::kMin && left_out(table)) continue;
    const std::optional<Watermark> mark = table_watermark(table);
    if (!mark) {
      if (policy_ == WatermarkPolicy::kMin) return table;
      continue;
    }
    if (!holder) {
      holder = table;
      continue;
    }
    const Watermark held = *table_watermark(*holder);
    if (policy_ == WatermarkPolicy::kMin ? *mark < held : *mark > held) holder = table;
  }
  return holder;
}

std::vector<TableWatermark> WatermarkTracker::Save() const {
  std::vector<TableWatermark> saved;
  for (size_t table = 0; table < tables_.size(); ++table) {
    saved.push_back({tables_[table].name, states_[table].max_time, table_watermark(table),
                     states_[table].reached});
  }
  return saved;
}

void WatermarkTracker::Restore(const BatchCommit& commit) {
  for (const TableWatermark& saved : commit.tables) {
    for (size_t table = 0; table < tables_.size(); ++table) {
      if (tables_[table].name != saved.table) continue;
      states_[table].max_time = saved.max_time;
      states_[table].restored = saved.watermark;
      states_[table].reached = saved.reached ? saved.reached : saved.max_time;
    }
  }
  late_ = commit.watermark;
  current_ = commit.next_watermark;
}

}  // namespace braid
