#include "state/hot_key.h"

#include <algorithm>
#include <numeric>

namespace braid {

void HotKey::Settle(const EvictionMark& eviction, const ChunkRing& ring) {
  if (!is_settled()) MergeAdded();
  if (settled_number_ != eviction.number) {
    settled_number_ = eviction.number;
    const auto first = times_.begin() + static_cast<std::ptrdiff_t>(begin_);
    begin_ = static_cast<size_t>(std::lower_bound(first, times_.end(), eviction.threshold) -
                                 times_.begin());
  }
  if (begin_ * 2 > rows_.size()) CutFront();
  if (deaths_ * 2 > rows_.size() - begin_ + untimed_.size()) SweepDead(ring);
}

void HotKey::CutFront() {
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(begin_);
  times_.erase(times_.begin(), times_.begin() + count);
  rows_.erase(rows_.begin(), rows_.begin() + count);
  sorted_ -= begin_;
  begin_ = 0;
  if (rows_.capacity() > 4 * rows_.size() + 64) {
    times_.shrink_to_fit();
    rows_.shrink_to_fit();
  }
}

// Sorts the added rows, then merges from the back, which touches only what is newer than the
// earliest of them.
void HotKey::MergeAdded() {
  const size_t count = rows_.size() - sorted_;
  struct Added {
    int64_t time;
    RowId row;
  };
  std::vector<Added> added(count);
  for (size_t i = 0; i < count; ++i) added[i] = {times_[sorted_ + i], rows_[sorted_ + i]};
  const auto by_time = [](const Added& a, const Added& b) { return a.time < b.time; };
  if (!std::is_sorted(added.begin(), added.end(), by_time)) {
    std::stable_sort(added.begin(), added.end(), by_time);
  }
  size_t old_end = sorted_;
  size_t to = rows_.size();
  size_t from = count;
  while (from > 0) {
    --to;
    if (old_end > begin_ && times_[old_end - 1] > added[from - 1].time) {
      --old_end;
      times_[to] = times_[old_end];
      rows_[to] = rows_[old_end];
    } else {
      --from;
      times_[to] = added[from].time;
      rows_[to] = added[from].row;
    }
  }
  sorted_ = rows_.size();
}

void HotKey::SweepDead(const ChunkRing& ring) {
  size_t kept = 0;
  for (size_t i = begin_; i < rows_.size(); ++i) {
    if (!ring.IsAlive(rows_[i])) continue;
    times_[kept] = times_[i];
    rows_[kept] = rows_[i];
    ++kept;
  }
  times_.resize(kept);
  rows_.resize(kept);
  begin_ = 0;
  sorted_ = kept;
  std::erase_if(untimed_, [&](RowId row) { return !ring.IsAlive(row); });
  deaths_ = 0;
  if (rows_.capacity() > 4 * rows_.size() + 64) {
    times_.shrink_to_fit();
    rows_.shrink_to_fit();
  }
}

HotKey::Range HotKey::Find(int64_t earliest, int64_t latest) const {
  if (earliest > latest) return {};
  const auto first = times_.begin() + static_cast<std::ptrdiff_t>(begin_);
  const auto lower = std::lower_bound(first, times_.end(), earliest);
  const auto upper = std::upper_bound(lower, times_.end(), latest);
  return {static_cast<size_t>(lower - times_.begin()), static_cast<size_t>(upper - times_.begin())};
}

void HotKey::Renumber(RowId low, RowId distance) {
  const auto lowered = [&](RowId row) { return row < low ? kNoRow : row - distance; };
  std::transform(rows_.begin(), rows_.end(), rows_.begin(), lowered);
  std::transform(untimed_.begin(), untimed_.end(), untimed_.begin(), lowered);
}

int64_t HotKey::memory_bytes() const {
  return static_cast<int64_t>(sizeof(HotKey) + times_.capacity() * sizeof(int64_t) +
                              (rows_.capacity() + untimed_.capacity()) * sizeof(RowId));
}

}  // namespace braid
