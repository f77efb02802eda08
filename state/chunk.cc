#include "state/chunk.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "state/rows/check.h"
#include "state/rows/vector_clones.h"
#include "state/time_scan.h"

namespace braid {

namespace {

// A closed chunk that small steps of the threshold cross this often is sorted: from then on a step
// costs what it evicts. Sorting costs about as much as this many scans.
constexpr int kScansMax = 3;

}  // namespace

Chunk::Chunk(const ChunkLayout* layout, Arena* arena, uint32_t capacity)
    : layout_(layout), arena_(arena) {
  payload_.reserve(layout->payload.size());
  for (const DataType& type : layout->payload) payload_.emplace_back(type, arena);
  Resize(capacity);
}

Chunk::~Chunk() {
  if (layout_->budget != nullptr) layout_->budget->Add(-budgeted_bytes_);
  arena_->Free(entries_, capacity_ * sizeof(Entry));
  arena_->Free(wide_times_, capacity_ * sizeof(int64_t));
}

void Chunk::Resize(uint32_t capacity) {
  Entry* entries = static_cast<Entry*>(arena_->Allocate(capacity * sizeof(Entry)));
  if (count_ > 0) std::memcpy(entries, entries_, count_ * sizeof(Entry));
  arena_->Free(entries_, capacity_ * sizeof(Entry));
  entries_ = entries;
  if (wide_times_ != nullptr) {
    int64_t* times = static_cast<int64_t*>(arena_->Allocate(capacity * sizeof(int64_t)));
    std::memcpy(times, wide_times_, count_ * sizeof(int64_t));
    arena_->Free(wide_times_, capacity_ * sizeof(int64_t));
    wide_times_ = times;
  }
  for (PayloadColumn& column : payload_) column.Resize(count_, capacity);
  if (layout_->track_matches) matched_.Reserve(capacity);
  if (!dead_.empty()) dead_.Reserve(capacity);
  if (!ids_.empty()) ids_.reserve(capacity);
  capacity_ = capacity;
}

uint32_t Chunk::Append(const NewRows& incoming, size_t begin) {
  uint32_t taken = static_cast<uint32_t>(std::min(
      {incoming.rows.size() - begin, size_t{layout_->rows_max - count_}, size_t{kAppendMax}}));
  if (taken == 0) return 0;
  std::span<const int32_t> rows = incoming.rows.subspan(begin, taken);
  for (size_t column = 0; column < payload_.size(); ++column) {
    rows = rows.first(
        payload_[column].CountFitting(incoming.payload[column], rows, layout_->string_bytes_max));
  }
  std::array<uint32_t, kAppendMax> offsets;
  if (layout_->has_time) {
    rows = rows.first(PlaceTimes(*incoming.times, rows, offsets.data()));
  } else {
    std::fill_n(offsets.data(), rows.size(), kNullTimeOffset);
  }
  taken = static_cast<uint32_t>(rows.size());
  if (taken == 0) return 0;
  if (count_ + taken > capacity_) {
    Resize(std::min(layout_->rows_max, std::bit_ceil(count_ + taken)));
  }
  if (layout_->has_time) NoteTimes(*incoming.times, rows, offsets.data());
  WriteEntries(incoming, rows, offsets.data());
  for (size_t column = 0; column < payload_.size(); ++column) {
    payload_[column].Append(incoming.payload[column], rows, count_);
  }
  if (layout_->track_matches && !incoming.matched.empty()) {
    for (uint32_t i = 0; i < taken; ++i) {
      if (incoming.matched[begin + i] != 0) matched_.Set(count_ + i);
    }
  }
  AppendIds(incoming, begin, taken);
  CountPayload();
  count_ += taken;
  live_ += taken;
  return taken;
}

namespace {

template <int64_t kUnit>
inline void EncodeInUnits(const int64_t* micros, std::span<const int32_t> rows, int64_t base,
                          uint32_t* offsets) {
  for (size_t i = 0; i < rows.size(); ++i) {
    offsets[i] = EncodeTimeOffset<kUnit>(micros[rows[i]], base);
  }
}

// Writes the offset of each row, kNullTimeOffset if it has none.
BRAID_VECTOR_CLONES void EncodeOffsets(const int64_t* micros, std::span<const int32_t> rows,
                                       int64_t base, int64_t unit, uint32_t* offsets) {
  switch (unit) {
    case 1'000'000:
      return EncodeInUnits<1'000'000>(micros, rows, base, offsets);
    case 1'000:
      return EncodeInUnits<1'000>(micros, rows, base, offsets);
    default:
      return EncodeInUnits<1>(micros, rows, base, offsets);
  }
}

struct OffsetRange {
  uint32_t earliest = kNullTimeOffset;  // NULL if all are.
  uint32_t latest = 0;                  // Of those that are not NULL.
  bool any_null = false;
};

BRAID_VECTOR_CLONES OffsetRange RangeOf(const uint32_t* offsets, size_t count) {
  uint32_t least = kNullTimeOffset;
  uint32_t greatest = 0;
  uint32_t behind_latest = 0;  // NULL is the largest offset: the one behind it is 0.
  for (size_t i = 0; i < count; ++i) {
    least = std::min(least, offsets[i]);
    greatest = std::max(greatest, offsets[i]);
    behind_latest = std::max(behind_latest, offsets[i] + 1);
  }
  return {least, behind_latest - 1, greatest == kNullTimeOffset};
}

}  // namespace

uint32_t Chunk::EncodeTimes(const Column& times, std::span<const int32_t> rows, uint32_t* offsets) {
  if (!has_base_) {
    for (const int32_t row : rows) {
      if (times.IsNull(row)) continue;
      const int64_t time = times.Values<int64_t>()[static_cast<size_t>(row)];
      time_base_ = TimeBaseAround(time, layout_->time_unit);
      has_base_ = true;
      break;
    }
  }
  EncodeOffsets(times.Values<int64_t>().data(), rows, time_base_, layout_->time_unit, offsets);
  const bool nullable = times.null_count() > 0;
  if (!nullable && !RangeOf(offsets, rows.size()).any_null) {
    return static_cast<uint32_t>(rows.size());
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (nullable && times.IsNull(rows[i])) {
      offsets[i] = kNullTimeOffset;
    } else if (offsets[i] == kNullTimeOffset) {
      return static_cast<uint32_t>(i);
    }
  }
  return static_cast<uint32_t>(rows.size());
}

uint32_t Chunk::PlaceTimes(const Column& times, std::span<const int32_t> rows, uint32_t* offsets) {
  if (rows.empty()) return 0;
  if (!is_wide()) {
    const uint32_t encoded = EncodeTimes(times, rows, offsets);
    if (encoded > 0) return encoded;
    if (count_ > 0 && count_ >= layout_->rows_max / 4) return 0;
    MakeWide();
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    offsets[i] = times.IsNull(rows[i]) ? kNullTimeOffset : 0;
  }
  return static_cast<uint32_t>(rows.size());
}

void Chunk::MakeWide() {
  wide_times_ = static_cast<int64_t*>(arena_->Allocate(capacity_ * sizeof(int64_t)));
  for (uint32_t slot = 0; slot < count_; ++slot) {
    uint32_t& offset = entries_[slot].time;
    if (offset == kNullTimeOffset) continue;
    wide_times_[slot] = DecodeTimeOffset(offset, time_base_, layout_->time_unit);
    offset = 0;
  }
}

void Chunk::NoteTime(int64_t time) {
  time_min_ = has_times_ ? std::min(time_min_, time) : time;
  has_times_ = true;
  time_max_ = std::max(time_max_.value_or(time), time);
}

void Chunk::NoteTimes(const Column& times, std::span<const int32_t> rows, const uint32_t* offsets) {
  if (!is_wide()) {
    const OffsetRange range = RangeOf(offsets, rows.size());
    has_null_times_ |= range.any_null;
    if (range.earliest == kNullTimeOffset) return;
    NoteTime(DecodeTimeOffset(range.earliest, time_base_, layout_->time_unit));
    NoteTime(DecodeTimeOffset(range.latest, time_base_, layout_->time_unit));
    return;
  }
  const std::span<const int64_t> micros = times.Values<int64_t>();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (offsets[i] == kNullTimeOffset) {
      has_null_times_ = true;
      continue;
    }
    const int64_t time = micros[static_cast<size_t>(rows[i])];
    wide_times_[count_ + i] = time;
    NoteTime(time);
  }
}

void Chunk::WriteEntries(const NewRows& incoming, std::span<const int32_t> rows,
                         const uint32_t* offsets) {
  Entry* entries = entries_ + count_;
  if (incoming.linkable.empty()) {
    for (size_t i = 0; i < rows.size(); ++i) {
      entries[i] = {incoming.words[static_cast<size_t>(rows[i])], offsets[i], kNoRow};
    }
    return;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t row = static_cast<size_t>(rows[i]);
    const RowId next = incoming.linkable[row] != 0 ? kNoRow : kNullKeyRow;
    entries[i] = {incoming.words[row], offsets[i], next};
  }
}

void Chunk::AppendIds(const NewRows& incoming, size_t begin, uint32_t rows) {
  if (count_ == 0) first_id_ = incoming.IdAt(begin);
  if (ids_.empty()) {
    bool consecutive = true;
    if (incoming.ids.empty()) {
      consecutive = incoming.IdAt(begin) == first_id_ + count_;
    } else {
      for (uint32_t i = 0; i < rows; ++i) {
        consecutive &= incoming.ids[begin + i] == first_id_ + count_ + i;
      }
    }
    if (consecutive) return;
    ids_.reserve(capacity_);
    for (uint32_t slot = 0; slot < count_; ++slot) ids_.push_back(first_id_ + slot);
  }
  for (uint32_t i = 0; i < rows; ++i) ids_.push_back(incoming.IdAt(begin + i));
}

void Chunk::Close() {
  closed_ = true;
  if (count_ < capacity_) Resize(count_);
  for (PayloadColumn& column : payload_) column.ShrinkHeap();
  PackIds();
  CountPayload();
}

Status Chunk::Spill(PayloadFile* file) {
  BRAID_DCHECK(closed_ && spilled_ == nullptr, "a closed chunk goes to disk once");
  Result<std::unique_ptr<SpilledPayload>> spilled = SpilledPayload::Write(payload_, count_, file);
  if (!spilled) return tl::unexpected(spilled.error());
  spilled_ = std::move(*spilled);
  for (PayloadColumn& column : payload_) column.Release();
  CountPayload();
  return {};
}

void Chunk::CountPayload() {
  if (layout_->budget == nullptr) return;
  int64_t bytes = 0;
  for (const PayloadColumn& column : payload_) bytes += column.memory_bytes();
  layout_->budget->Add(bytes - budgeted_bytes_);
  budgeted_bytes_ = bytes;
}

void Chunk::PackIds() {
  if (ids_.empty()) return;
  const auto [least, most] = std::minmax_element(ids_.begin(), ids_.end());
  if (*most - *least > std::numeric_limits<uint32_t>::max()) return ids_.shrink_to_fit();
  first_id_ = *least;
  id_offsets_.reserve(ids_.size());
  for (const PersistentId id : ids_) id_offsets_.push_back(static_cast<uint32_t>(id - first_id_));
  ids_ = {};
}

uint32_t Chunk::FirstLive(uint32_t slot) const {
  if (slot >= count_) return count_;
  size_t index = slot >> 6;
  uint64_t bits = LiveWord(index) & (~uint64_t{0} << (slot & 63));
  while (bits == 0) {
    if (++index >= num_words()) return count_;
    bits = LiveWord(index);
  }
  return static_cast<uint32_t>(index * 64 + static_cast<size_t>(std::countr_zero(bits)));
}

void Chunk::Kill(uint32_t slot) {
  BRAID_DCHECK(slot < count_ && !IsDead(slot), "a row dies once");
  dead_.Reserve(capacity_);
  dead_.Set(slot);
  --live_;
}

void Chunk::NoteDeaths(size_t index, uint64_t dying, RowId first_row, Deaths* deaths) {
  if (dying == 0) return;
  const int rows = std::popcount(dying);
  deaths->rows += rows;
  live_ -= static_cast<uint32_t>(rows);
  const uint64_t matched = matched_.Word(index);
  deaths->matched += std::popcount(dying & matched);
  if (deaths->all != nullptr) {
    VisitBits(index, dying, [&](uint32_t slot) { deaths->all->push_back(first_row + slot); });
  }
  if (deaths->unmatched != nullptr) {
    VisitBits(index, dying & ~matched,
              [&](uint32_t slot) { deaths->unmatched->push_back(first_row + slot); });
  }
  dead_.SetWord(index, dying);
}

bool Chunk::Expire(int64_t threshold, RowId first_row, Deaths* deaths) {
  const std::optional<int64_t> oldest = time_min();
  if (!oldest.has_value() || *oldest >= threshold) return false;
  if (!has_null_times_ && *time_max_ < threshold) {
    ExpireAll(first_row, deaths);
    has_times_ = false;
    return true;
  }
  dead_.Reserve(capacity_);
  StayingRows none({});
  if (is_wide()) {
    ExpireWide(threshold, first_row, &none, deaths);
  } else if (!expiry_order_.empty()) {
    ExpireInOrder(threshold, first_row, deaths);
  } else {
    ExpireByScan(threshold, first_row, &none, deaths);
    if (live_ > 0 && closed_ && ++num_scans_ >= kScansMax) SortByExpiry();
  }
  return true;
}

bool Chunk::ExpireExcept(int64_t threshold, RowId first_row, StayingRows* staying, Deaths* deaths) {
  const std::optional<int64_t> oldest = time_min();
  if (!oldest.has_value() || *oldest >= threshold) return false;
  dead_.Reserve(capacity_);
  if (is_wide()) {
    ExpireWide(threshold, first_row, staying, deaths);
  } else {
    ExpireByScan(threshold, first_row, staying, deaths);
  }
  return true;
}

void Chunk::ExpireByScan(int64_t threshold, RowId first_row, StayingRows* staying, Deaths* deaths) {
  const uint32_t bound = TimeOffsetBound(threshold, time_base_, layout_->time_unit);
  uint32_t earliest = kNullTimeOffset;
  for (size_t index = 0; index < num_words(); ++index) {
    const uint64_t live = LiveWord(index);
    if (live == 0) continue;
    const uint32_t first = static_cast<uint32_t>(index * 64);
    const uint32_t rows = std::min(uint32_t{64}, count_ - first);
    const uint64_t below = ScanTimes(entries_ + first, rows, bound, &earliest);
    const uint64_t stays = live & below & staying->Word(first_row + first);
    VisitBits(index, stays,
              [&](uint32_t slot) { earliest = std::min(earliest, entries_[slot].time); });
    NoteDeaths(index, live & below & ~stays, first_row, deaths);
  }
  NoteEarliest(earliest);
}

void Chunk::NoteEarliest(uint32_t offset) {
  has_times_ = offset != kNullTimeOffset;
  if (has_times_) time_min_ = DecodeTimeOffset(offset, time_base_, layout_->time_unit);
}

void Chunk::ExpireWide(int64_t threshold, RowId first_row, StayingRows* staying, Deaths* deaths) {
  has_times_ = false;
  for (size_t index = 0; index < num_words(); ++index) {
    uint64_t dying = 0;
    const uint64_t stays = staying->Word(first_row + static_cast<uint32_t>(index * 64));
    VisitBits(index, LiveWord(index), [&](uint32_t slot) {
      if (IsTimeNull(slot)) return;
      const uint64_t bit = uint64_t{1} << (slot & 63);
      if (wide_times_[slot] < threshold && (stays & bit) == 0) {
        dying |= bit;
      } else {
        NoteTime(wide_times_[slot]);
      }
    });
    NoteDeaths(index, dying, first_row, deaths);
  }
}

void Chunk::ExpireInOrder(int64_t threshold, RowId first_row, Deaths* deaths) {
  const uint32_t bound = TimeOffsetBound(threshold, time_base_, layout_->time_unit);
  std::vector<uint64_t> below(num_words());
  const uint32_t earliest = expiry_order_.Step(
      entries_, bound, [&](uint32_t slot) { below[slot >> 6] |= uint64_t{1} << (slot & 63); });
  for (size_t index = 0; index < below.size(); ++index) {
    NoteDeaths(index, LiveWord(index) & below[index], first_row, deaths);
  }
  NoteEarliest(earliest);
}

void Chunk::SortByExpiry() {
  std::vector<uint16_t> slots;
  slots.reserve(live_);
  for (size_t index = 0; index < num_words(); ++index) {
    VisitBits(index, LiveWord(index), [&](uint32_t slot) {
      if (!IsTimeNull(slot)) slots.push_back(static_cast<uint16_t>(slot));
    });
  }
  expiry_order_.Build(entries_, slots);
}

void Chunk::ExpireAll(RowId first_row, Deaths* deaths) {
  if (live_ == 0) return;
  dead_.Reserve(capacity_);
  for (size_t index = 0; index < num_words(); ++index) {
    NoteDeaths(index, LiveWord(index), first_row, deaths);
  }
}

int64_t Chunk::heap_bytes() const {
  int64_t bytes = static_cast<int64_t>(sizeof(Chunk) + ids_.capacity() * sizeof(PersistentId) +
                                       id_offsets_.capacity() * sizeof(uint32_t) +
                                       payload_.capacity() * sizeof(PayloadColumn)) +
                  expiry_order_.memory_bytes();
  for (const RowBits* bits : {&dead_, &matched_, &changed_matched_, &changed_removed_}) {
    bytes += bits->memory_bytes();
  }
  for (const PayloadColumn& column : payload_) bytes += column.heap_bytes();
  if (spilled_ != nullptr) bytes += spilled_->memory_bytes();
  return bytes;
}

}  // namespace braid
