// The probe. Rows are taken in groups: the heads of a whole group are asked of memory at once, then
// all first entries, then all second ones, so that misses overlap and no branch depends on one row.
// What is not done after a few such rounds (long chains) and rows of hot keys are walked one by one
// afterwards; only such a walk can be interrupted for want of room.

#include <algorithm>

#include "state/rows/check.h"
#include "state/side_state_implementation.h"

namespace braid {

namespace {

// Rows whose heads and entries are on their way from memory at one time.
constexpr size_t kGroup = 64;

// Entries of a chain that a group looks at together. Chains of a bucket index with one row a head
// are rarely longer.
constexpr size_t kRounds = 6;

// Pairs that the rounds of a group give at most.
constexpr size_t kGroupMatchesMax = kGroup * kRounds;

// A chain longer than this holds a key with very many rows: it becomes hot. Shorter chains cost
// less than the lookup of a hot key.
constexpr uint32_t kChainMax = 64;

// Times that an arriving row matches; empty when earliest > latest.
struct TimeWindow {
  int64_t earliest = std::numeric_limits<int64_t>::min();
  int64_t latest = std::numeric_limits<int64_t>::max();

  bool Contains(int64_t time) const { return time >= earliest && time <= latest; }
};

// The number that more than half of all are, if there is one (Boyer and Moore, MJRTY, 1981).
struct Majority {
  uint64_t number = 0;
  uint32_t surplus = 0;

  void Count(uint64_t other) {
    if (surplus == 0) number = other;
    surplus = number == other ? surplus + 1 : surplus - 1;
  }
};

// The rows of a group whose chains are not at their end, and the entry each of them is at.
struct ActiveLanes {
  size_t count = 0;
  RowId rows[kGroup];
  uint8_t lanes[kGroup];
};

// Entries with the right word, and who asked for it.
struct Hits {
  size_t count = 0;
  RowId rows[kGroupMatchesMax + 1];  // One more: what is written behind the end does not count.
  uint8_t lanes[kGroupMatchesMax + 1];
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
  const size_t room_max = side->options_.limits.matches_max;
  size_t room = room_max;
  int64_t steps = 0;
  uint64_t words[kGroup] = {};

  const ChunkView& ViewOf(RowId row) const { return views[(row >> chunk_bits) - first_chunk]; }
  const Entry& EntryOf(RowId row) const { return ViewOf(row).entries[row & slot_mask]; }

  TimeWindow WindowOf(int32_t row) const {
    TimeWindow window;
    if (!is_bounded) return window;
    if (arriving.times->IsNull(row)) return {1, 0};
    const EventTime time{arriving.times->Values<int64_t>()[static_cast<size_t>(row)]};
    if (lower.has_value()) window.earliest = (time + *lower).micros;
    if (upper.has_value()) window.latest = (time + *upper).micros;
    return window;
  }

  // Whether a row with the right word is in the window and alive.
  bool IsMatch(RowId stored, const TimeWindow& window) const {
    const ChunkView& view = ViewOf(stored);
    const uint32_t slot = stored & slot_mask;
    if (is_bounded) {
      if (view.entries[slot].time == kNullTimeOffset) return false;
      if (!window.Contains(view.TimeAt(slot, time_unit))) return false;
    }
    return !view.IsDead(slot);
  }

  bool Run() {
    const size_t count = arriving.rows.size();
    while (true) {
      if (!FinishWalks()) return false;
      side->PromoteWaiting();
      if (cursor->next_row == count) return true;
      // A group that might not fit waits for the next call, unless no call has the room.
      const bool fits = room >= kGroupMatchesMax;
      if (!fits && room < room_max) return false;
      const size_t begin = cursor->next_row;
      cursor->next_row = std::min(count, begin + kGroup);
      const std::span<const int32_t> rows = arriving.rows.subspan(begin, cursor->next_row - begin);
      const size_t rounds = fits ? kRounds : 0;
      if (ProbeGroup(rows, rounds, /*may_promote=*/true)) continue;
      cursor->walks.clear();
      ProbeGroup(rows, rounds, /*may_promote=*/false);
    }
  }

  // Gives what `rounds` entries of each chain hold, and leaves the rest to walks. False, and
  // nothing was given, if a key became hot over it.
  bool ProbeGroup(std::span<const int32_t> rows, size_t rounds, bool may_promote) {
    ActiveLanes active;
    if (side->hot_keys_.empty() && arriving.keys->linkable.empty()) {
      LoadHeads(rows, &active);
    } else {
      LoadSomeHeads(rows, &active);
    }
    Hits hits;
    for (size_t round = 0; round < rounds && active.count > 0; ++round) AdvanceAll(&active, &hits);
    if (may_promote && active.count > 1 && PromoteFrequent(active)) return false;
    for (size_t i = 0; i < active.count; ++i) {
      cursor->walks.push_back({rows[active.lanes[i]], false, active.rows[i]});
    }
    EmitHits(rows, hits);
    return true;
  }

  // If most lanes are in the same long chain, each of them would walk along all of it: the key with
  // most rows there becomes hot before. Returns whether one did.
  bool PromoteFrequent(const ActiveLanes& active) {
    Majority frequent;
    for (size_t i = 0; i < active.count; ++i) frequent.Count(active.rows[i]);
    Majority word;
    uint32_t length = 0;
    RowId row = static_cast<RowId>(frequent.number);
    for (; row >= low && length <= kChainMax; row = EntryOf(row).next) {
      word.Count(EntryOf(row).word);
      ++length;
    }
    steps += length;
    if (length <= kChainMax) return false;
    side->waiting_words_.push_back(word.number);
    side->PromoteWaiting();
    return true;
  }

  void LoadHeads(std::span<const int32_t> rows, ActiveLanes* active) {
    const RowId* heads = side->index_.heads();
    uint32_t buckets[kGroup];
    for (size_t i = 0; i < rows.size(); ++i) {
      words[i] = arriving.keys->words[static_cast<size_t>(rows[i])];
      buckets[i] = static_cast<uint32_t>(side->index_.BucketOf(words[i]));
      __builtin_prefetch(heads + buckets[i]);
    }
    size_t count = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      const RowId head = heads[buckets[i]];
      active->rows[count] = head;
      active->lanes[count] = static_cast<uint8_t>(i);
      count += head >= low ? 1 : 0;
    }
    active->count = count;
    for (size_t i = 0; i < count; ++i) __builtin_prefetch(&EntryOf(active->rows[i]));
  }

  // The same where some rows have a NULL key or a hot one.
  void LoadSomeHeads(std::span<const int32_t> rows, ActiveLanes* active) {
    for (size_t i = 0; i < rows.size(); ++i) {
      words[i] = arriving.keys->words[static_cast<size_t>(rows[i])];
      if (!arriving.keys->IsLinkable(rows[i])) continue;
      if (!side->hot_keys_.empty() && side->hot_keys_.Find(words[i]) != nullptr) {
        cursor->walks.push_back({rows[i], true, 0});
        continue;
      }
      const RowId head = side->index_.head(side->index_.BucketOf(words[i]));
      if (head < low) continue;
      active->rows[active->count] = head;
      active->lanes[active->count++] = static_cast<uint8_t>(i);
      __builtin_prefetch(&EntryOf(head));
    }
  }

  // Looks at one entry of each chain and keeps the lanes that have another.
  void AdvanceAll(ActiveLanes* active, Hits* hits) {
    size_t hit_count = hits->count;
    size_t count = 0;
    for (size_t i = 0; i < active->count; ++i) {
      const RowId row = active->rows[i];
      const uint8_t lane = active->lanes[i];
      const Entry& entry = EntryOf(row);
      hits->rows[hit_count] = row;
      hits->lanes[hit_count] = lane;
      hit_count += entry.word == words[lane] ? 1 : 0;
      active->rows[count] = entry.next;
      active->lanes[count] = lane;
      count += entry.next >= low ? 1 : 0;
    }
    steps += static_cast<int64_t>(active->count);
    active->count = count;
    hits->count = hit_count;
    for (size_t i = 0; i < count; ++i) __builtin_prefetch(&EntryOf(active->rows[i]));
  }

  void EmitHits(std::span<const int32_t> rows, const Hits& hits) {
    if (hits.count == 0) return;
    int32_t found_arriving[kGroupMatchesMax];
    RowId found_stored[kGroupMatchesMax];
    size_t found = 0;
    for (size_t i = 0; i < hits.count; ++i) {
      const int32_t row = rows[hits.lanes[i]];
      if (!IsMatch(hits.rows[i], WindowOf(row))) continue;
      found_arriving[found] = row;
      found_stored[found++] = hits.rows[i];
    }
    matches->arriving.insert(matches->arriving.end(), found_arriving, found_arriving + found);
    matches->stored.insert(matches->stored.end(), found_stored, found_stored + found);
    room -= found;
  }

  // Goes on with walks that groups left. Returns false when the room was used up.
  bool FinishWalks() {
    while (!cursor->walks.empty()) {
      ProbeCursor::Walk& walk = cursor->walks.back();
      if (!(walk.is_hot ? WalkHot(&walk) : WalkChain(&walk))) return false;
      cursor->walks.pop_back();
    }
    return true;
  }

  void Emit(int32_t row, RowId stored) {
    matches->arriving.push_back(row);
    matches->stored.push_back(stored);
    --room;
  }

  // Walks a chain from walk->position on. Returns false when the room was used up.
  bool WalkChain(ProbeCursor::Walk* walk) {
    const uint64_t word = arriving.keys->words[static_cast<size_t>(walk->row)];
    const TimeWindow window = WindowOf(walk->row);
    if (window.earliest > window.latest) return true;
    uint32_t length = 0;
    Majority word_of_most;  // It may be another than the one that was looked for.
    RowId stored = static_cast<RowId>(walk->position);
    while (stored >= low) {
      ++length;
      const Entry& entry = EntryOf(stored);
      word_of_most.Count(entry.word);
      if (entry.word == word) {
        if (IsMatch(stored, window)) {
          if (room == 0) {
            walk->position = stored;
            steps += length;
            return false;
          }
          Emit(walk->row, stored);
        }
      }
      stored = entry.next;
    }
    steps += length;
    if (length > kChainMax) side->waiting_words_.push_back(word_of_most.number);
    return true;
  }

  // Gives the rows of a hot key from index walk->position on: the timed ones, then the others.
  bool WalkHot(ProbeCursor::Walk* walk) {
    const TimeWindow window = WindowOf(walk->row);
    if (window.earliest > window.latest) return true;
    HotKey* key = side->hot_keys_.Find(arriving.keys->words[static_cast<size_t>(walk->row)]);
    if (walk->position == 0) key->Settle(side->eviction_, side->ring_);
    const std::span<const RowId> timed = key->timed_rows();
    const std::span<const RowId> untimed = key->untimed_rows();
    const HotKey::Range range = is_bounded ? key->Find(window.earliest, window.latest) : key->All();
    const size_t end = is_bounded ? range.end : timed.size() + untimed.size();
    ++steps;
    for (size_t at = std::max<size_t>(walk->position, range.begin); at < end; ++at) {
      const RowId stored = at < timed.size() ? timed[at] : untimed[at - timed.size()];
      ++steps;
      if (key->has_deaths() && !side->ring_.IsAlive(stored)) continue;
      if (room == 0) {
        walk->position = at;
        return false;
      }
      Emit(walk->row, stored);
    }
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
    *cursor = {.next_row = arriving.rows.size(), .walks = {}};
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
