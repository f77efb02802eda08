#include "tests/state/store/model_store.h"

#include <iterator>

namespace braid {

namespace {

// The value of the newest version up to `version`; null if there is none.
template <typename T>
const T* LatestUpTo(const std::map<int64_t, T>& by_version, int64_t version) {
  const auto after = by_version.upper_bound(version);
  return after == by_version.begin() ? nullptr : &std::prev(after)->second;
}

}  // namespace

void ModelStore::Commit(const BatchCommit& commit, std::span<const SideDelta> deltas) {
  const int64_t version = commit.batch_id;
  versions_[version] = commit;
  while (std::ssize(versions_) > retain_versions_) versions_.erase(versions_.begin());
  for (const SideDelta& delta : deltas) {
    Side& side = sides_[delta.side];
    for (const StateRows& run : delta.rows) {
      for (const TestRow& row : RowsOf(run)) side.rows[row.id] = {row, version, {}, {}};
    }
    // The first mark of a row counts.
    for (const PersistentId id : delta.matched) {
      std::optional<int64_t>& matched = side.rows.at(id).matched;
      matched = matched.value_or(version);
    }
    for (const PersistentId id : delta.removed) {
      std::optional<int64_t>& removed = side.rows.at(id).removed;
      removed = removed.value_or(version);
    }
    for (const TimerChange& timer : delta.timers) {
      side.timers[{timer.word, timer.key}][version] = timer.time_ms;
    }
    for (const CountChange& count : delta.counts) side.counts[count.id][version] = count.count;
  }
  ForgetDeadRows();
}

void ModelStore::ForgetDeadRows() {
  const auto& [oldest, commit] = *versions_.begin();
  for (size_t side = 0; side < 2; ++side) {
    const std::optional<EventTime> threshold = commit.thresholds[side];
    std::erase_if(sides_[side].rows, [&, version = oldest](const auto& entry) {
      const Row& row = entry.second;
      return (row.removed && *row.removed <= version) ||
             (threshold && row.row.time && *row.row.time < threshold->micros);
    });
  }
}

std::vector<TestRow> ModelStore::Rows(int64_t version, uint8_t side) const {
  std::vector<TestRow> rows;
  const BatchCommit& commit = versions_.at(version);
  if (commit.finished) return rows;
  const std::optional<EventTime> threshold = commit.thresholds[side];
  for (const auto& [id, row] : sides_[side].rows) {
    if (row.added > version || (row.removed && *row.removed <= version)) continue;
    if (threshold && row.row.time && *row.row.time < threshold->micros) continue;
    TestRow& seen = rows.emplace_back(row.row);
    seen.matched |= row.matched && *row.matched <= version;
  }
  return rows;
}

std::map<ModelStore::TimerKey, int64_t> ModelStore::Timers(int64_t version, uint8_t side) const {
  std::map<TimerKey, int64_t> timers;
  for (const auto& [key, times] : sides_[side].timers) {
    const std::optional<int64_t>* time = LatestUpTo(times, version);
    if (time != nullptr && *time) timers[key] = **time;
  }
  return timers;
}

std::map<PersistentId, int64_t> ModelStore::Counts(int64_t version, uint8_t side) const {
  std::map<PersistentId, int64_t> counts;
  for (const auto& [id, by_version] : sides_[side].counts) {
    const int64_t* count = LatestUpTo(by_version, version);
    if (count != nullptr && *count != 0) counts[id] = *count;
  }
  return counts;
}

}  // namespace braid
