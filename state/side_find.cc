// The key scan of one record: its bucket's chain, or its hot key by time.

#include <algorithm>
#include <array>
#include <utility>

#include "state/rows/check.h"
#include "state/side_state_implementation.h"

namespace braid {

namespace {

// As for the probe of many rows: a longer chain holds a key with very many rows.
constexpr uint32_t kChainMax = 64;
// Entries of a chain that are asked for ahead of its walk: most chains are shorter.
constexpr int kPrefetchedSteps = 4;
// Chains whose rest is on its way from memory at one time.
constexpr size_t kGroup = 64;

bool IsWanted(const KeyScan& scan, int64_t time) {
  return (time >= scan.earliest && time <= scan.latest) || time <= scan.expired_max;
}

}  // namespace

void SideState::Implementation::Find(const KeyScan& scan, std::vector<FoundRow>* found) {
  BRAID_DCHECK(options_.has_time, "a key scan is by time");
  if (num_rows_ == 0) return;
  PromoteWaiting();
  if (!hot_keys_.empty()) {
    if (HotKey* const key = hot_keys_.Find(scan.word); key != nullptr) {
      return FindInHotKey(scan, key, found);
    }
  }
  FindInChain(scan, found);
}

void SideState::Implementation::FindInChain(const KeyScan& scan, std::vector<FoundRow>* found) {
  const ChunkView* views = ring_.views();
  const RowId low = ring_.low();
  const int chunk_bits = ring_.chunk_bits();
  const uint32_t slot_mask = (uint32_t{1} << chunk_bits) - 1;
  const uint32_t first_chunk = ring_.first_chunk();
  const int64_t unit = ring_.layout().time_unit;
  uint32_t length = 0;
  // The word of most entries of the chain, which may be another than the one looked for.
  uint64_t majority = 0;
  uint32_t surplus = 0;
  for (RowId row = index_.head(index_.BucketOf(scan.word)); row >= low;) {
    const ChunkView& view = views[(row >> chunk_bits) - first_chunk];
    const uint32_t slot = row & slot_mask;
    const Entry& entry = view.entries[slot];
    ++length;
    if (surplus == 0) majority = entry.word;
    surplus = entry.word == majority ? surplus + 1 : surplus - 1;
    if (entry.word == scan.word && row < scan.before && entry.time != kNullTimeOffset &&
        !view.IsDead(slot)) {
      const int64_t time = view.TimeAt(slot, unit);
      if (IsWanted(scan, time)) found->push_back({row, time});
    }
    row = entry.next;
  }
  probe_steps_ += length;
  if (length > kChainMax) waiting_words_.push_back(majority);
}

void SideState::Implementation::FindInHotKey(const KeyScan& scan, HotKey* key,
                                             std::vector<FoundRow>* found) {
  key->Settle(eviction_, ring_);
  const std::span<const RowId> rows = key->timed_rows();
  const std::span<const int64_t> times = key->times();
  const auto take = [&](HotKey::Range range) {
    for (size_t at = range.begin; at < range.end; ++at) {
      ++probe_steps_;
      if (rows[at] >= scan.before) continue;
      if (key->has_deaths() && !ring_.IsAlive(rows[at])) continue;
      found->push_back({rows[at], times[at]});
    }
  };
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const HotKey::Range window = key->Find(scan.earliest, scan.latest);
  if (scan.earliest > scan.latest) return take(key->Find(kMin, scan.expired_max));
  // The expired rows before the window, the window, and those behind it.
  if (scan.expired_max < scan.earliest) {
    take(key->Find(kMin, scan.expired_max));
    take(window);
  } else {
    take(key->Find(kMin, std::max(scan.expired_max, scan.latest)));
  }
}

// One step along all chains at a time, so that their misses overlap.
void SideState::Implementation::Prefetch(std::span<const uint64_t> words) {
  if (num_rows_ == 0) return;
  walks_.clear();
  for (const uint64_t word : words) {
    const size_t bucket = index_.BucketOf(word);
    __builtin_prefetch(index_.heads() + bucket);
    walks_.push_back(static_cast<uint32_t>(bucket));
  }
  const ChunkView* views = ring_.views();
  const RowId low = ring_.low();
  size_t kept = 0;
  const auto keep = [&](RowId row) {
    if (row < low) return;
    const ChunkView& view = views[ring_.IndexOf(row)];
    __builtin_prefetch(view.entries + ring_.SlotOf(row));
    if (view.dead != nullptr) __builtin_prefetch(view.dead + (ring_.SlotOf(row) >> 6));
    walks_[kept++] = row;
  };
  for (const uint32_t bucket : walks_) keep(index_.head(bucket));
  for (int step = 1; step < kPrefetchedSteps && kept > 0; ++step) {
    const size_t count = std::exchange(kept, 0);
    for (size_t i = 0; i < count; ++i) {
      const RowId row = walks_[i];
      keep(views[ring_.IndexOf(row)].entries[ring_.SlotOf(row)].next);
    }
  }
}

std::optional<int64_t> SideState::Implementation::OldestOf(uint64_t word, RowId before,
                                                           int64_t after) {
  HotKey* const key = hot_keys_.empty() ? nullptr : hot_keys_.Find(word);
  if (key != nullptr) {
    key->Settle(eviction_, ring_);
    if (after == std::numeric_limits<int64_t>::max()) return std::nullopt;
    const bool all_times = after == std::numeric_limits<int64_t>::min();
    const HotKey::Range range =
        key->Find(all_times ? after : after + 1, std::numeric_limits<int64_t>::max());
    for (size_t at = range.begin; at < range.end; ++at) {
      const RowId row = key->timed_rows()[at];
      if (row < before && ring_.IsAlive(row)) return key->times()[at];
    }
    return std::nullopt;
  }
  std::optional<int64_t> oldest;
  for (RowId row = index_.head(index_.BucketOf(word)); row >= ring_.low();) {
    const ChunkView& view = ring_.views()[ring_.IndexOf(row)];
    const uint32_t slot = ring_.SlotOf(row);
    const Entry& entry = view.entries[slot];
    if (entry.word == word && row < before && entry.time != kNullTimeOffset && !view.IsDead(slot)) {
      const int64_t time = view.TimeAt(slot, ring_.layout().time_unit);
      if (time > after || after == std::numeric_limits<int64_t>::min()) {
        oldest = std::min(oldest.value_or(time), time);
      }
    }
    row = entry.next;
  }
  return oldest;
}

// Whether one of the rows before `row` in its chain, from `floor` on, is live, later, and of its
// word.
bool SideState::Implementation::WasOvertaken(const ChainRest& rest) const {
  const Entry& own = ring_.views()[ring_.IndexOf(rest.row)].entries[ring_.SlotOf(rest.row)];
  for (RowId row = own.next; row >= rest.floor;) {
    const ChunkView& view = ring_.views()[ring_.IndexOf(row)];
    const uint32_t slot = ring_.SlotOf(row);
    const Entry& entry = view.entries[slot];
    if (entry.word == own.word && entry.time != kNullTimeOffset && !view.IsDead(slot) &&
        view.TimeAt(slot, ring_.layout().time_unit) > rest.time) {
      return true;
    }
    row = entry.next;
  }
  return false;
}

// A row in a chunk whose times, and those of all chunks before it, are not later than a row's
// cannot have overtaken it: the walk along the row's chain ends before that chunk.
void SideState::Implementation::FindOvertaken(std::span<const RowId> rows,
                                              std::vector<RowId>* overtaken) {
  BRAID_DCHECK(options_.has_time, "rows are overtaken by time");
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const size_t begin = overtaken->size();
  std::vector<int64_t> latest_before(ring_.num_chunks(), kMin);  // Of all chunks before each.
  for (size_t chunk = 1; chunk < ring_.num_chunks(); ++chunk) {
    const int64_t latest = ring_.chunk(chunk - 1).time_max().value_or(kMin);
    latest_before[chunk] = std::max(latest_before[chunk - 1], latest);
  }
  std::array<ChainRest, kGroup> group;
  size_t count = 0;
  const auto finish = [&] {
    for (size_t i = 0; i < count; ++i) {
      if (WasOvertaken(group[i])) overtaken->push_back(group[i].row);
    }
    count = 0;
  };
  for (const RowId row : rows) {
    size_t chunk = ring_.IndexOf(row);
    const ChunkView& view = ring_.views()[chunk];
    const Entry& entry = view.entries[ring_.SlotOf(row)];
    if (entry.time == kNullTimeOffset) continue;
    if (entry.next == kHotRow) {
      overtaken->push_back(row);
      continue;
    }
    const int64_t time = view.TimeAt(ring_.SlotOf(row), ring_.layout().time_unit);
    while (chunk > 0 && latest_before[chunk] > time) --chunk;
    const RowId floor = std::max(ring_.low(), ring_.first_row(chunk));
    if (entry.next < floor) continue;
    const ChunkView& next = ring_.views()[ring_.IndexOf(entry.next)];
    __builtin_prefetch(next.entries + ring_.SlotOf(entry.next));
    group[count++] = {row, floor, time};
    if (count == kGroup) finish();
  }
  finish();
  std::sort(overtaken->begin() + static_cast<std::ptrdiff_t>(begin), overtaken->end());
}

}  // namespace braid
