// Checks of what side_state_implementation.h and chunk_ring.h promise; tests call them after every
// step.

#include <algorithm>
#include <bit>

#include "state/rows/check.h"
#include "state/side_state_implementation.h"

namespace braid {

void SideState::Implementation::CheckInvariants() const {
  int64_t live = 0;
  int64_t matched = 0;
  int64_t rows = 0;
  for (size_t index = 0; index < ring_.num_chunks(); ++index) {
    CheckChunk(index, &live, &matched);
    rows += ring_.chunk(index).count();
  }
  BRAID_CHECK(rows == ring_.num_rows(), "the ring counts its rows");
  BRAID_CHECK(live == num_rows_, "num_rows counts the live rows");
  BRAID_CHECK(matched == num_matched_, "num_matched counts the live matched rows");
  BRAID_CHECK(ring_.low() <= ring_.end(), "low is not beyond the last row");
  BRAID_CHECK(std::has_single_bit(index_.capacity()), "heads are a power of two");
  CheckChains();
  CheckHotKeys();
}

void SideState::Implementation::CheckChunk(size_t index, int64_t* live, int64_t* matched) const {
  const Chunk& chunk = ring_.chunk(index);
  const ChunkView view = chunk.View();
  const ChunkView& kept = ring_.views()[index];
  BRAID_CHECK(view.entries == kept.entries && view.dead == kept.dead &&
                  view.wide_times == kept.wide_times && view.time_base == kept.time_base,
              "views follow their chunks");
  BRAID_CHECK(chunk.count() > 0 && chunk.count() <= chunk.capacity(), "no chunk is empty");
  BRAID_CHECK(chunk.capacity() <= ring_.layout().rows_max, "a chunk has a largest size");
  BRAID_CHECK(chunk.closed() || index + 1 == ring_.num_chunks(), "only the last chunk is open");
  BRAID_CHECK(!chunk.closed() || chunk.capacity() == chunk.count(),
              "a closed chunk has no free room");
  for (size_t column = 0; column < ring_.layout().payload.size(); ++column) {
    BRAID_CHECK(!chunk.closed() || chunk.payload(column).unused_heap_bytes() == 0,
                "a closed chunk has no free bytes");
  }
  int64_t live_here = 0;
  for (uint32_t slot = 0; slot < chunk.count(); ++slot) {
    if (chunk.IsDead(slot)) continue;
    ++live_here;
    if (chunk.IsMatched(slot)) ++*matched;
    BRAID_CHECK(ring_.first_row(index) + slot >= ring_.low(), "rows below low are dead");
    if (chunk.IsTimeNull(slot)) continue;
    BRAID_CHECK(chunk.time_min().has_value() && *chunk.time_min() <= chunk.TimeAt(slot),
                "no live row is older than its chunk says");
    BRAID_CHECK(oldest_.has_value() && *oldest_ <= chunk.TimeAt(slot),
                "no live row is older than the side says");
  }
  BRAID_CHECK(live_here == chunk.live(), "a chunk counts its live rows");
  *live += live_here;
}

void SideState::Implementation::CheckChains() const {
  int64_t found = 0;
  for (size_t bucket = 0; bucket < index_.capacity(); ++bucket) {
    RowId row = index_.head(bucket);
    while (row >= ring_.low()) {
      BRAID_CHECK(ring_.Holds(row), "chains hold rows of the ring");
      const Entry& entry = ring_.chunk(ring_.IndexOf(row)).entry(ring_.SlotOf(row));
      BRAID_CHECK(IsChained(entry), "hot rows and rows with a NULL key are in no chain");
      BRAID_CHECK(index_.BucketOf(entry.word) == bucket, "a row is in the bucket of its word");
      BRAID_CHECK(entry.next < row, "ids fall along a chain");
      if (ring_.IsAlive(row)) ++found;
      row = entry.next;
    }
  }
  for (const RowId row : LiveRows()) {
    const Entry& entry = ring_.chunk(ring_.IndexOf(row)).entry(ring_.SlotOf(row));
    if (!IsChained(entry)) ++found;
  }
  BRAID_CHECK(found == num_rows_, "every live row is in a chain, hot, or without a key");
}

void SideState::Implementation::CheckHotKeys() const {
  std::vector<RowId> listed;
  for (size_t index = 0; index < hot_keys_.size(); ++index) {
    const HotKey& key = hot_keys_.key(index);
    const HotKey::Range range = key.All();
    for (size_t i = range.begin; i < range.end; ++i) {
      const RowId row = key.timed_rows()[i];
      if (!ring_.IsAlive(row)) continue;
      const Chunk& chunk = ring_.chunk(ring_.IndexOf(row));
      BRAID_CHECK(chunk.TimeAt(ring_.SlotOf(row)) == key.times()[i], "hot rows keep their time");
      listed.push_back(row);
    }
    for (const RowId row : key.untimed_rows()) {
      if (ring_.IsAlive(row)) listed.push_back(row);
    }
    if (key.is_settled()) {
      const std::span<const int64_t> times = key.times().subspan(range.begin);
      BRAID_CHECK(std::is_sorted(times.begin(), times.end()), "hot rows are sorted");
    }
  }
  std::sort(listed.begin(), listed.end());
  std::vector<RowId> hot;
  for (const RowId row : LiveRows()) {
    if (ring_.chunk(ring_.IndexOf(row)).entry(ring_.SlotOf(row)).next == kHotRow) {
      hot.push_back(row);
    }
  }
  BRAID_CHECK(listed == hot, "every live hot row is listed once");
}

}  // namespace braid
