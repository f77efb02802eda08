// Rows that leave: by the threshold, all at once, and what their chunks held is given back.

#include <algorithm>
#include <bit>
#include <utility>

#include "state/rows/check.h"
#include "state/side_state_implementation.h"

namespace braid {

EvictionResult SideState::Implementation::EvictBelow(EventTime threshold, bool lists_rows) {
  BRAID_CHECK(!threshold_.has_value() || *threshold_ <= threshold, "a threshold never goes back");
  if (!options_.has_time) return {};
  threshold_ = threshold;
  eviction_.threshold = threshold.micros;
  if (!oldest_.has_value() || *oldest_ >= threshold.micros) return {};
  ++eviction_.number;
  return Evict(threshold.micros, lists_rows);
}

std::vector<RowId> SideState::Implementation::RemoveBelow(EventTime threshold,
                                                          std::span<const RowId> staying) {
  std::vector<RowId> removed;
  Deaths deaths;
  deaths.all = &removed;
  StayingRows kept(staying);
  for (size_t index = 0; index < ring_.num_chunks(); ++index) {
    const RowId first = ring_.first_row(index);
    if (!ring_.chunk(index).ExpireExcept(threshold.micros, first, &kept, &deaths)) continue;
    ring_.RefreshView(index);
  }
  for (const RowId row : removed) {
    Chunk& chunk = ring_.chunk(ring_.IndexOf(row));
    const Entry& entry = chunk.entry(ring_.SlotOf(row));
    if (options_.collect_delta) chunk.NoteRemoved(ring_.SlotOf(row));
    if (entry.next == kHotRow) hot_keys_.Find(entry.word)->NoteDeath();
  }
  num_rows_ -= deaths.rows;
  num_matched_ -= deaths.matched;
  ring_.AdvanceLow();
  FindOldest();
  return removed;
}

EvictionResult SideState::Implementation::EvictAll() {
  EvictionResult result = Evict(std::nullopt, /*lists_rows=*/false);
  hot_keys_.Clear();
  num_rows_peak_ = 0;
  return result;
}

EvictionResult SideState::Implementation::Evict(std::optional<int64_t> threshold, bool lists_rows) {
  EvictionResult result;
  Deaths deaths;
  if (lists_rows) deaths.all = &result.rows;
  if (options_.track_matches) deaths.unmatched = &result.unmatched;
  for (size_t index = 0; index < ring_.num_chunks(); ++index) {
    const RowId first = ring_.first_row(index);
    if (!threshold.has_value()) {
      ring_.chunk(index).ExpireAll(first, &deaths);
    } else if (!ring_.chunk(index).Expire(*threshold, first, &deaths)) {
      continue;
    }
    ring_.RefreshView(index);
  }
  num_rows_ -= deaths.rows;
  num_matched_ -= deaths.matched;
  result.removed = deaths.rows;
  ring_.AdvanceLow();
  FindOldest();
  return result;
}

void SideState::Implementation::FindOldest() {
  oldest_.reset();
  for (size_t index = 0; index < ring_.num_chunks(); ++index) {
    const std::optional<int64_t> time = ring_.chunk(index).time_min();
    if (time.has_value()) oldest_ = std::min(oldest_.value_or(*time), *time);
  }
}

void SideState::Implementation::ReleaseEvicted() {
  if (spill_ != nullptr) spill_->Forget();
  PopFront();
  // An outlier pins the ring: move what lives in the oldest chunk to the end, chunk by chunk. Each
  // pass over the ring moves no more rows than it frees.
  const int64_t slack = int64_t{2} * ring_.layout().rows_max;
  while (ring_.num_chunks() >= 2 && ring_.num_rows() > 2 * num_rows_ + slack) {
    const std::optional<RowId> first_new = delta_.first_new_row();
    if (first_new.has_value() && ring_.first_row(1) > *first_new) break;
    ReappendFront();
    PopFront();
  }
  const uint64_t peak = static_cast<uint64_t>(num_rows_peak_);
  if (index_.capacity() > BucketIndex::kCapacityMin && peak * 8 < index_.capacity()) {
    index_.Rebuild(std::max(BucketIndex::kCapacityMin, std::bit_ceil(peak * 2)), &ring_);
  }
  if (peak == 0) ring_.arena().ReleaseSpare();
  num_rows_peak_ = num_rows_;
  if (ring_.IsHalfFull() && ring_.first_chunk() > 1) Renumber();
  if (!hot_keys_.empty()) hot_keys_.SweepSome(eviction_, ring_);
  // Other sides may have grown meanwhile.
  if (spill_ != nullptr) KeepBudget();
}

// Frees the chunks below `low`.
void SideState::Implementation::PopFront() {
  size_t dead = 0;
  if (num_rows_ == 0) {
    dead = ring_.num_chunks();
  } else {
    while (ring_.first_row(dead + 1) <= ring_.low()) ++dead;
  }
  for (size_t index = 0; index < dead; ++index) DrainChanges(&ring_.chunk(index));
  if (dead > 0) ring_.PopFront(dead);
}

// Stores the live rows of the oldest chunk again, under new ids; the chunk is dead then.
void SideState::Implementation::ReappendFront() {
  Chunk& chunk = ring_.chunk(0);
  const RowId first = ring_.first_row(0);
  std::vector<RowId> survivors;
  for (size_t word = 0; word < chunk.num_words(); ++word) {
    VisitBits(word, chunk.LiveWord(word),
              [&](uint32_t slot) { survivors.push_back(first + slot); });
  }
  std::vector<uint64_t> words;
  std::vector<uint8_t> linkable;
  std::vector<int32_t> positions;
  std::vector<uint8_t> matched;
  std::vector<uint8_t> changed;
  std::vector<PersistentId> ids;
  for (const RowId row : survivors) {
    const uint32_t slot = ring_.SlotOf(row);
    const Entry& entry = chunk.entry(slot);
    if (entry.next == kHotRow) hot_keys_.Find(entry.word)->NoteDeath();
    words.push_back(entry.word);
    linkable.push_back(entry.next == kNullKeyRow ? 0 : 1);
    positions.push_back(static_cast<int32_t>(positions.size()));
    matched.push_back(chunk.IsMatched(slot) ? 1 : 0);
    changed.push_back(chunk.changed_matched().Get(slot) ? 1 : 0);
    ids.push_back(chunk.IdAt(slot));
  }
  NewRows rows;
  rows.words = words;
  rows.linkable = linkable;
  rows.rows = positions;
  rows.matched = matched;
  rows.ids = ids;
  std::optional<Column> times;
  if (options_.has_time) {
    times = GatherTime(DataType::Timestamp(6), survivors);
    rows.times = &*times;
  }
  std::vector<Column> payload;
  for (size_t column = 0; column < options_.payload.size(); ++column) {
    payload.push_back(GatherPayload(static_cast<int>(column), survivors));
  }
  rows.payload = payload;
  chunk.changed_matched().Clear();  // They are noted at the new places.
  Deaths deaths;
  chunk.ExpireAll(first, &deaths);
  num_rows_ -= deaths.rows;
  num_matched_ -= deaths.matched;
  ring_.RefreshView(0);
  Store(rows);
  ++num_renamings_;
  size_t position = 0;
  for (const RowRun& run : stored_) {
    for (uint32_t i = 0; i < run.count; ++i, ++position) {
      if (changed[position] == 0) continue;
      const RowId row = run.first + i;
      ring_.chunk(ring_.IndexOf(row)).NoteMatched(ring_.SlotOf(row));
    }
  }
  ring_.AdvanceLow();
}

void SideState::Implementation::Renumber() {
  if (spill_ != nullptr) spill_->Forget();
  const RowId low = ring_.low();
  const RowId distance = ring_.Renumber();
  index_.Renumber(low, distance);
  for (size_t index = 0; index < ring_.num_chunks(); ++index) {
    Entry* entries = ring_.chunk(index).entries();
    for (uint32_t slot = 0; slot < ring_.chunk(index).count(); ++slot) {
      if (!IsChained(entries[slot])) continue;
      entries[slot].next = entries[slot].next < low ? kNoRow : entries[slot].next - distance;
    }
  }
  hot_keys_.Renumber(low, distance);
  delta_.Renumber(distance);
  for (RowRun& run : stored_) run.first -= distance;
  ++num_renamings_;
}

}  // namespace braid
