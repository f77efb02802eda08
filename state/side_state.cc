#include "state/side_state.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "state/rows/check.h"
#include "state/side_state_implementation.h"

namespace braid {

namespace {

constexpr uint64_t kSequenceEnd = uint64_t{1} << kSequenceBits;

ChunkLayout LayoutOf(const SideStateOptions& options) {
  ChunkLayout layout;
  layout.rows_max = uint32_t{1} << options.limits.chunk_bits;
  layout.has_time = options.has_time;
  layout.time_unit = TimeOffsetUnit(options.time_precision);
  layout.track_matches = options.track_matches;
  layout.string_bytes_max = options.limits.string_bytes_max;
  layout.payload = options.payload;
  if (options.budget == nullptr || options.payload.empty()) return layout;
  layout.budget = options.budget.get();
  layout.string_bytes_max = std::min(layout.string_bytes_max, OpenStringBytesMax(*options.budget));
  return layout;
}

}  // namespace

SideState::Implementation::Implementation(SideStateOptions options)
    : options_(std::move(options)),
      spill_(options_.budget == nullptr || options_.payload.empty()
                 ? nullptr
                 : std::make_unique<PayloadSpill>(options_.budget)),
      ring_(LayoutOf(options_), options_.limits.chunk_bits, options_.limits.first_chunk) {}

void SideState::Implementation::Append(const ArrivingRows& arriving,
                                       std::span<const uint8_t> matched) {
  if (arriving.rows.empty()) return;
  BRAID_CHECK(arriving.payload.size() == options_.payload.size(), "one column a payload type");
  for (size_t column = 0; column < arriving.payload.size(); ++column) {
    BRAID_CHECK(arriving.payload[column].type().kind == options_.payload[column].kind,
                "payload columns have the types of the side");
  }
  BRAID_CHECK(!options_.has_time || arriving.times != nullptr, "the side has a time");
  BRAID_CHECK(matched.empty() || matched.size() == arriving.rows.size(), "one flag a row");
  BRAID_CHECK(next_sequence_ + arriving.rows.size() <= kSequenceEnd, "persistent ids ran out");
  NewRows rows;
  rows.words = arriving.keys->words;
  if (!arriving.links_all) rows.linkable = arriving.keys->linkable;
  rows.times = options_.has_time ? arriving.times : nullptr;
  rows.payload = arriving.payload;
  rows.rows = arriving.rows;
  rows.matched = matched;
  rows.first_id = MakePersistentId(options_.lineage, next_sequence_);
  next_sequence_ += rows.rows.size();
  Store(rows);
  if (!options_.collect_delta) return;
  delta_.AddRun(rows, ring_.layout());
  for (const RowRun& run : stored_) delta_.AddPlace(run.first, run.count, ring_);
}

void SideState::Implementation::AppendAndName(const ArrivingRows& arriving,
                                              std::vector<RowId>* ids) {
  ids->clear();
  if (arriving.rows.empty()) return;
  Append(arriving, {});
  for (const RowRun& run : stored_) {
    for (uint32_t i = 0; i < run.count; ++i) ids->push_back(run.first + i);
  }
}

void SideState::Implementation::Restore(const StateRows& run, std::span<const int32_t> rows) {
  if (rows.empty()) return;
  std::vector<PersistentId> ids;
  std::vector<uint8_t> matched;
  ids.reserve(rows.size());
  for (const int32_t row : rows) {
    ids.push_back(run.IdAt(row));
    if (!run.matched.empty()) matched.push_back(run.matched[static_cast<size_t>(row)]);
  }
  NewRows restored;
  restored.words = run.words;
  restored.linkable = run.linkable;
  restored.times = options_.has_time ? &*run.times : nullptr;
  restored.payload = run.payload;
  restored.rows = rows;
  restored.matched = matched;
  restored.ids = ids;
  Store(restored);
}

void SideState::Implementation::RestoreThreshold(std::optional<EventTime> threshold) {
  if (!threshold.has_value()) return;
  EvictBelow(*threshold, /*lists_rows=*/false);
  ReleaseEvicted();
}

void SideState::Implementation::Store(const NewRows& rows) {
  stored_.clear();
  GrowIndex(num_rows_ + static_cast<int64_t>(rows.rows.size()));
  for (size_t done = 0; done < rows.rows.size();) {
    if (ring_.IsFull() && ring_.first_chunk() > 1) Renumber();
    RowRun run;
    run.count = ring_.Append(rows, done, num_rows_, &run.first);
    Link(run.first, run.count, rows.linkable.empty());
    stored_.push_back(run);
    num_rows_ += run.count;
    done += run.count;
    if (spill_ != nullptr) KeepBudget();
    const std::optional<int64_t> time = ring_.chunk(ring_.num_chunks() - 1).time_min();
    if (time.has_value()) oldest_ = std::min(oldest_.value_or(*time), *time);
  }
  if (options_.track_matches) {
    num_matched_ += static_cast<int64_t>(
        std::count_if(rows.matched.begin(), rows.matched.end(), [](uint8_t m) { return m != 0; }));
  }
  num_rows_peak_ = std::max(num_rows_peak_, num_rows_);
}

void SideState::Implementation::GrowIndex(int64_t rows) {
  const uint64_t needed = static_cast<uint64_t>(rows);
  if (needed > index_.capacity()) index_.Rebuild(std::bit_ceil(needed + needed / 2), &ring_);
}

void SideState::Implementation::Link(RowId first, uint32_t count, bool all_linkable) {
  Entry* entries = ring_.chunk(ring_.IndexOf(first)).entries() + ring_.SlotOf(first);
  if (all_linkable && hot_keys_.empty()) return index_.LinkRun(entries, first, count);
  for (uint32_t i = 0; i < count; ++i) {
    if (entries[i].next == kNullKeyRow) continue;
    HotKey* hot = hot_keys_.empty() ? nullptr : hot_keys_.Find(entries[i].word);
    if (hot == nullptr) {
      index_.Link(entries + i, first + i);
      continue;
    }
    if (!hot->IsSettledFor(eviction_)) hot->Settle(eviction_, ring_);
    HotKeys::Add(hot, first + i, entries + i, ring_);
  }
}

void SideState::Implementation::MarkMatched(std::span<const RowId> rows) {
  BRAID_CHECK(options_.track_matches, "the side tracks no matches");
  for (const RowId row : rows) {
    if (!ring_.IsAlive(row)) continue;
    Chunk& chunk = ring_.chunk(ring_.IndexOf(row));
    const uint32_t slot = ring_.SlotOf(row);
    if (chunk.IsMatched(slot)) continue;
    chunk.SetMatched(slot);
    ++num_matched_;
    if (options_.collect_delta) chunk.NoteMatched(slot);
  }
}

bool SideState::Implementation::IsMatched(RowId row) const {
  return ring_.Holds(row) && ring_.chunk(ring_.IndexOf(row)).IsMatched(ring_.SlotOf(row));
}

int64_t SideState::Implementation::Remove(std::span<const RowId> rows) {
  int64_t removed = 0;
  for (const RowId row : rows) {
    if (!ring_.IsAlive(row)) continue;
    const size_t index = ring_.IndexOf(row);
    const uint32_t slot = ring_.SlotOf(row);
    Chunk& chunk = ring_.chunk(index);
    chunk.Kill(slot);
    ring_.RefreshView(index);
    if (chunk.IsMatched(slot)) --num_matched_;
    if (options_.collect_delta) chunk.NoteRemoved(slot);
    if (chunk.entry(slot).next == kHotRow) hot_keys_.Find(chunk.entry(slot).word)->NoteDeath();
    ++removed;
  }
  num_rows_ -= removed;
  ring_.AdvanceLow();
  return removed;
}

// Moves the changes of a chunk into the delta.
void SideState::Implementation::DrainChanges(Chunk* chunk) {
  RowBits& matched = chunk->changed_matched();
  RowBits& removed = chunk->changed_removed();
  for (size_t word = 0; word < matched.num_words(); ++word) {
    VisitBits(word, matched.Word(word), [&](uint32_t slot) {
      if (!delta_.IsNew(chunk->IdAt(slot))) delta_.AddMatched(chunk->IdAt(slot));
    });
  }
  for (size_t word = 0; word < removed.num_words(); ++word) {
    VisitBits(word, removed.Word(word), [&](uint32_t slot) {
      if (!delta_.IsNew(chunk->IdAt(slot))) delta_.AddRemoved(chunk->IdAt(slot));
    });
  }
  matched.Clear();
  removed.Clear();
}

SideDelta SideState::Implementation::TakeDelta() {
  for (size_t index = 0; index < ring_.num_chunks(); ++index) DrainChanges(&ring_.chunk(index));
  return delta_.Take(ring_);
}

std::optional<EventTime> SideState::Implementation::oldest_time() const {
  if (!oldest_.has_value() || num_rows_ == 0) return std::nullopt;
  return EventTime{*oldest_};
}

int64_t SideState::Implementation::memory_bytes() const {
  return static_cast<int64_t>(sizeof(Implementation)) + ring_.memory_bytes() +
         index_.memory_bytes() + hot_keys_.memory_bytes();
}

SideState::SideState(SideStateOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
SideState::~SideState() = default;
SideState::SideState(SideState&&) noexcept = default;
SideState& SideState::operator=(SideState&&) noexcept = default;

void SideState::Append(const ArrivingRows& arriving, std::span<const uint8_t> matched) {
  implementation_->Append(arriving, matched);
}
void SideState::AppendAndName(const ArrivingRows& arriving, std::vector<RowId>* ids) {
  implementation_->AppendAndName(arriving, ids);
}
void SideState::Find(const KeyScan& scan, std::vector<FoundRow>* found) {
  implementation_->Find(scan, found);
}
std::optional<int64_t> SideState::OldestOf(uint64_t word, RowId before, int64_t after) {
  return implementation_->OldestOf(word, before, after);
}
void SideState::FindOvertaken(std::span<const RowId> rows, std::vector<RowId>* overtaken) {
  implementation_->FindOvertaken(rows, overtaken);
}
void SideState::Prefetch(std::span<const uint64_t> words) { implementation_->Prefetch(words); }
PersistentId SideState::IdOf(RowId row) const { return implementation_->IdOf(row); }
int64_t SideState::TimeOf(RowId row) const { return implementation_->TimeOf(row); }
uint64_t SideState::WordOf(RowId row) const { return implementation_->WordOf(row); }
bool SideState::Probe(const ArrivingRows& arriving, std::optional<Interval> lower,
                      std::optional<Interval> upper, ProbeCursor* cursor, Matches* matches) {
  return implementation_->Probe(arriving, lower, upper, cursor, matches);
}
void SideState::MarkMatched(std::span<const RowId> rows) { implementation_->MarkMatched(rows); }
bool SideState::IsMatched(RowId row) const { return implementation_->IsMatched(row); }
int64_t SideState::Remove(std::span<const RowId> rows) { return implementation_->Remove(rows); }
bool SideState::IsAlive(RowId row) const { return implementation_->IsAlive(row); }
EvictionResult SideState::EvictBelow(EventTime threshold, bool lists_rows) {
  return implementation_->EvictBelow(threshold, lists_rows);
}
std::vector<RowId> SideState::RemoveBelow(EventTime threshold, std::span<const RowId> staying) {
  return implementation_->RemoveBelow(threshold, staying);
}
EvictionResult SideState::EvictAll() { return implementation_->EvictAll(); }
void SideState::ReleaseEvicted() { implementation_->ReleaseEvicted(); }
Column SideState::GatherPayload(int column, std::span<const RowId> rows) const {
  return implementation_->GatherPayload(column, rows);
}
Column SideState::GatherKeyWord(DataType type, std::span<const RowId> rows) const {
  return implementation_->GatherKeyWord(type, rows);
}
Column SideState::GatherTime(DataType type, std::span<const RowId> rows) const {
  return implementation_->GatherTime(type, rows);
}
Status SideState::spill_status() const { return implementation_->spill_status(); }
SideDelta SideState::TakeDelta() { return implementation_->TakeDelta(); }
void SideState::Restore(const StateRows& run, std::span<const int32_t> rows) {
  implementation_->Restore(run, rows);
}
void SideState::RestoreThreshold(std::optional<EventTime> threshold) {
  implementation_->RestoreThreshold(threshold);
}
int64_t SideState::num_rows() const { return implementation_->num_rows(); }
int64_t SideState::num_matched() const { return implementation_->num_matched(); }
std::optional<EventTime> SideState::oldest_time() const { return implementation_->oldest_time(); }
int64_t SideState::memory_bytes() const { return implementation_->memory_bytes(); }
int64_t SideState::spilled_bytes() const { return implementation_->spilled_bytes(); }
int64_t SideState::index_bytes() const { return implementation_->index_bytes(); }
int64_t SideState::num_hot_keys() const { return implementation_->num_hot_keys(); }
int64_t SideState::probe_steps() const { return implementation_->probe_steps(); }
int64_t SideState::num_renamings() const { return implementation_->num_renamings(); }
std::vector<RowId> SideState::LiveRows() const { return implementation_->LiveRows(); }
void SideState::CheckInvariants() const { implementation_->CheckInvariants(); }

}  // namespace braid
