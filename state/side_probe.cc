// The probe: buckets in groups with prefetch, hot keys by binary search.

#include <algorithm>

#include "state/rows/check.h"
#include "state/side_state_implementation.h"

namespace braid {

namespace {

// Rows whose heads and first entries are on their way from memory at one time.
constexpr size_t kGroup = 64;

// A walk that passes more entries of its own key than this makes the key hot. Shorter chains cost
// less than the lookup of a hot key.
constexpr uint32_t kChainMax = 64;

// ProbeCursor::position inside a hot key: this bit and the index of the next row to give.
constexpr uint64_t kHotPosition = uint64_t{1} << 63;

// Times that an arriving row matches; empty when earliest > latest.
struct TimeWindow {
  int64_t earliest = std::numeric_limits<int64_t>::min();
  int64_t latest = std::numeric_limits<int64_t>::max();

  bool Contains(int64_t time) const { return time >= earliest && time <= latest; }
};

}  // namespace

// One call of Probe.
struct SideState::Implementation::Prober {
  Implementation* side;
  const ArrivingRows& arriving;
  std::optional<Interval> lower;
  std::optional<Interval> upper;
  ProbeCursor* cursor;
  Matches* matches;

  const ChunkView* views = side->ring_.views();
  const RowId low = side->ring_.low();
  const int chunk_bits = side->ring_.chunk_bits();
  const uint32_t slot_mask = (uint32_t{1} << chunk_bits) - 1;
  const uint32_t first_chunk = side->ring_.first_chunk();
  const int64_t time_unit = side->ring_.layout().time_unit;
  const bool is_bounded = lower.has_value() || upper.has_value();
  size_t room = side->options_.limits.matches_max;
  int64_t steps = 0;

  const ChunkView& ViewOf(RowId row) const { return views[(row >> chunk_bits) - first_chunk]; }

  TimeWindow WindowOf(int32_t row) const {
    TimeWindow window;
    if (!is_bounded) return window;
    if (arriving.times->IsNull(row)) return {1, 0};
    const EventTime time{arriving.times->Values<int64_t>()[static_cast<size_t>(row)]};
    if (lower.has_value()) window.earliest = (time + *lower).micros;
    if (upper.has_value()) window.latest = (time + *upper).micros;
    return window;
  }

  void Emit(int32_t row, RowId stored) {
    matches->arriving.push_back(row);
    matches->stored.push_back(stored);
    --room;
  }

  // Walks a chain from `stored` on. Returns 0 when it is done, else where it stopped for want of
  // room.
  RowId Walk(int32_t row, uint64_t word, RowId stored) {
    const TimeWindow window = WindowOf(row);
    if (window.earliest > window.latest) return kNoRow;
    uint32_t own = 0;
    while (stored >= low) {
      ++steps;
      const ChunkView& view = ViewOf(stored);
      const uint32_t slot = stored & slot_mask;
      const Entry& entry = view.entries[slot];
      const RowId next = entry.next;
      if (entry.word == word) {
        ++own;
        if (IsMatch(view, slot, entry, window)) {
          if (room == 0) return stored;
          Emit(row, stored);
        }
      }
      stored = next;
    }
    if (own > kChainMax) side->waiting_words_.push_back(word);
    return kNoRow;
  }

  bool IsMatch(const ChunkView& view, uint32_t slot, const Entry& entry,
               const TimeWindow& window) const {
    if (is_bounded) {
      if (entry.time == kNullTimeOffset) return false;
      if (!window.Contains(view.TimeAt(slot, time_unit))) return false;
    }
    return !view.IsDead(slot);
  }

  // Gives the rows of a hot key from `index` on. Returns whether it is done; if not, *index is the
  // next to give.
  bool WalkHot(int32_t row, const HotKey& key, uint64_t* index) {
    const TimeWindow window = WindowOf(row);
    if (window.earliest > window.latest) return true;
    HotKey::Range range = key.All();
    if (is_bounded) range = key.Find(window.earliest, window.latest);
    ++steps;
    uint64_t at = std::max<uint64_t>(*index, range.begin);
    const auto give = [&](RowId stored) {
      ++steps;
      if (key.has_deaths() && !side->ring_.IsAlive(stored)) return true;
      if (room == 0) return false;
      Emit(row, stored);
      return true;
    };
    const std::span<const RowId> timed = key.timed_rows();
    for (; at < range.end; ++at) {
      *index = at;
      if (!give(timed[at])) return false;
    }
    if (is_bounded) return true;
    const std::span<const RowId> untimed = key.untimed_rows();
    for (at = std::max<uint64_t>(at, timed.size()); at < timed.size() + untimed.size(); ++at) {
      *index = at;
      if (!give(untimed[at - timed.size()])) return false;
    }
    return true;
  }

  // Goes on inside the row where the last call stopped. Returns whether that row is done.
  bool Resume() {
    const int32_t row = arriving.rows[cursor->next_row];
    const uint64_t word = arriving.keys->words[static_cast<size_t>(row)];
    if ((cursor->position & kHotPosition) != 0) {
      uint64_t index = cursor->position & ~kHotPosition;
      const bool done = WalkHot(row, *side->hot_keys_.Find(word), &index);
      cursor->position = kHotPosition | index;
      if (!done) return false;
    } else {
      cursor->position = Walk(row, word, static_cast<RowId>(cursor->position));
      if (cursor->position != 0) return false;
    }
    cursor->position = 0;
    ++cursor->next_row;
    return true;
  }

  // Probes the rows of one group. Returns false when the room was used up.
  bool ProbeGroup(size_t begin, size_t end) {
    const BucketIndex& index = side->index_;
    RowId heads[kGroup];
    HotKey* hot[kGroup];
    const bool any_hot = !side->hot_keys_.empty();
    for (size_t i = begin; i < end; ++i) {
      const uint64_t word = arriving.keys->words[static_cast<size_t>(arriving.rows[i])];
      const size_t bucket = index.BucketOf(word);
      heads[i - begin] = static_cast<RowId>(bucket);
      __builtin_prefetch(index.heads() + bucket);
      hot[i - begin] = any_hot ? side->hot_keys_.Find(word) : nullptr;
    }
    for (size_t i = begin; i < end; ++i) {
      RowId& head = heads[i - begin];
      head = arriving.keys->IsLinkable(arriving.rows[i]) ? index.head(head) : kNoRow;
      if (head >= low) __builtin_prefetch(&ViewOf(head).entries[head & slot_mask]);
    }
    for (size_t i = begin; i < end; ++i) {
      cursor->next_row = i;
      const int32_t row = arriving.rows[i];
      if (hot[i - begin] != nullptr) {
        if (!arriving.keys->IsLinkable(row)) continue;
        HotKey* key = hot[i - begin];
        key->Settle(side->eviction_, side->ring_);
        uint64_t position = 0;
        if (WalkHot(row, *key, &position)) continue;
        cursor->position = kHotPosition | position;
        return false;
      }
      if (heads[i - begin] < low) continue;
      const uint64_t word = arriving.keys->words[static_cast<size_t>(row)];
      cursor->position = Walk(row, word, heads[i - begin]);
      if (cursor->position != 0) return false;
    }
    cursor->next_row = end;
    return true;
  }

  bool Run() {
    const size_t count = arriving.rows.size();
    if (cursor->position != 0 && !Resume()) return false;
    while (cursor->next_row < count) {
      side->PromoteWaiting();
      if (room == 0) return false;
      const size_t end = std::min(count, cursor->next_row + kGroup);
      if (!ProbeGroup(cursor->next_row, end)) return false;
    }
    side->PromoteWaiting();
    return true;
  }
};

bool SideState::Implementation::Probe(const ArrivingRows& arriving, std::optional<Interval> lower,
                                      std::optional<Interval> upper, ProbeCursor* cursor,
                                      Matches* matches) {
  const bool is_bounded = lower.has_value() || upper.has_value();
  BRAID_CHECK(!is_bounded || (options_.has_time && arriving.times != nullptr),
              "a time bound needs a time on both sides");
  if (num_rows_ == 0) {
    *cursor = {arriving.rows.size(), 0};
    return true;
  }
  Prober prober{this, arriving, lower, upper, cursor, matches};
  const bool done = prober.Run();
  probe_steps_ += prober.steps;
  return done;
}

// Makes the keys hot whose chains were found too long. REQUIRES: no walk is under way.
void SideState::Implementation::PromoteWaiting() {
  if (waiting_words_.empty()) return;
  for (const uint64_t word : waiting_words_) {
    if (hot_keys_.Find(word) == nullptr) hot_keys_.Promote(word, eviction_, &ring_, &index_);
  }
  waiting_words_.clear();
}

}  // namespace braid
