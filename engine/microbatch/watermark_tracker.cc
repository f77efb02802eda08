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

void WatermarkTracker::Finish(size_t table) { states_[table].finished = true; }

std::optional<Watermark> WatermarkTracker::table_watermark(size_t table) const {
  const State& state = states_[table];
  std::optional<Watermark> mark = state.restored;
  if (state.max_time) {
    mark = std::max(mark.value_or(WatermarkAfter(*state.max_time, tables_[table].delay)),
                    WatermarkAfter(*state.max_time, tables_[table].delay));
  }
  return mark;
}

std::optional<Watermark> WatermarkTracker::Combine() const {
  std::optional<Watermark> combined;
  for (size_t table = 0; table < tables_.size(); ++table) {
    const std::optional<Watermark> mark = table_watermark(table);
    if (policy_ == WatermarkPolicy::kMin) {
      if (states_[table].finished) continue;
      if (!mark) return std::nullopt;
      combined = std::min(combined.value_or(*mark), *mark);
    } else if (mark) {
      combined = std::max(combined.value_or(*mark), *mark);
    }
  }
  return combined;
}

void WatermarkTracker::Advance() {
  late_ = current_;
  const std::optional<Watermark> next = Combine();
  if (next && (!current_ || *next > *current_)) current_ = next;
}

std::optional<size_t> WatermarkTracker::holding_back() const {
  std::optional<size_t> holder;
  for (size_t table = 0; table < tables_.size(); ++table) {
    if (policy_ == WatermarkPolicy::kMin && states_[table].finished) continue;
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
    saved.push_back({tables_[table].name, states_[table].max_time, table_watermark(table)});
  }
  return saved;
}

void WatermarkTracker::Restore(const BatchCommit& commit) {
  for (const TableWatermark& saved : commit.tables) {
    for (size_t table = 0; table < tables_.size(); ++table) {
      if (tables_[table].name != saved.table) continue;
      states_[table].max_time = saved.max_time;
      states_[table].restored = saved.watermark;
    }
  }
  late_ = commit.watermark;
  current_ = commit.next_watermark;
}

}  // namespace braid
