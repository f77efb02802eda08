#include "state/chunk_ring.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "state/rows/check.h"

namespace braid {

namespace {

// A side with few rows starts its chunks with this many.
constexpr uint32_t kFirstCapacity = 256;

}  // namespace

ChunkRing::ChunkRing(ChunkLayout layout, int chunk_bits, uint32_t first_chunk)
    : layout_(std::move(layout)),
      chunk_bits_(chunk_bits),
      first_chunk_(first_chunk),
      chunk_number_max_((kHotRow >> chunk_bits) - 1),
      low_(first_chunk << chunk_bits) {
  BRAID_CHECK(layout_.rows_max == uint32_t{1} << chunk_bits, "a chunk has 2^bits rows");
  BRAID_CHECK(first_chunk >= 1, "id 0 is no row");
}

uint32_t ChunkRing::Append(const NewRows& incoming, size_t begin, int64_t live_rows, RowId* first) {
  if (!chunks_.empty() && !chunks_.back()->closed()) {
    Chunk& open = *chunks_.back();
    const uint32_t before = open.count();
    const uint32_t taken = open.Append(incoming, begin);
    if (taken == 0) open.Close();
    RefreshView(chunks_.size() - 1);
    if (taken > 0) {
      *first = first_row(chunks_.size() - 1) + before;
      num_rows_ += taken;
      return taken;
    }
  }
  BRAID_CHECK(!IsFull(), "row ids ran out");
  const uint32_t likely = static_cast<uint32_t>(
      std::bit_ceil(static_cast<uint64_t>(std::min<int64_t>(live_rows, layout_.rows_max))));
  const uint32_t capacity = std::min(layout_.rows_max, std::max(kFirstCapacity, likely));
  chunks_.push_back(std::make_unique<Chunk>(&layout_, &arena_, capacity));
  views_.emplace_back();
  const uint32_t taken = chunks_.back()->Append(incoming, begin);
  BRAID_CHECK(taken > 0, "an empty chunk takes any row");
  RefreshView(chunks_.size() - 1);
  *first = first_row(chunks_.size() - 1);
  num_rows_ += taken;
  return taken;
}

void ChunkRing::AdvanceLow() {
  if (chunks_.empty()) return;
  size_t index = IndexOf(low_);
  uint32_t slot = SlotOf(low_);
  while (index < chunks_.size()) {
    const uint32_t live =
        chunks_[index]->live() == 0 ? chunks_[index]->count() : chunks_[index]->FirstLive(slot);
    if (live < chunks_[index]->count()) {
      low_ = first_row(index) + live;
      return;
    }
    ++index;
    slot = 0;
  }
  low_ = end();
}

void ChunkRing::PopFront(size_t count) {
  for (size_t index = 0; index < count; ++index) num_rows_ -= chunks_[index]->count();
  chunks_.erase(chunks_.begin(), chunks_.begin() + static_cast<std::ptrdiff_t>(count));
  views_.erase(views_.begin(), views_.begin() + static_cast<std::ptrdiff_t>(count));
  if (chunks_.capacity() > 4 * chunks_.size() + 64) {
    chunks_.shrink_to_fit();
    views_.shrink_to_fit();
  }
  first_chunk_ += static_cast<uint32_t>(count);
  low_ = std::max(low_, first_chunk_ << chunk_bits_);
}

RowId ChunkRing::Renumber() {
  const RowId distance = (first_chunk_ - 1) << chunk_bits_;
  first_chunk_ = 1;
  low_ -= distance;
  return distance;
}

int64_t ChunkRing::memory_bytes() const {
  int64_t bytes = arena_.reserved_bytes();
  bytes += static_cast<int64_t>(views_.capacity() * sizeof(ChunkView) +
                                chunks_.capacity() * sizeof(chunks_[0]));
  for (const auto& chunk : chunks_) bytes += chunk->heap_bytes();
  return bytes;
}

int64_t ChunkRing::entry_bytes() const {
  int64_t bytes = 0;
  for (const auto& chunk : chunks_) {
    bytes += static_cast<int64_t>(chunk->capacity()) * static_cast<int64_t>(sizeof(Entry));
  }
  return bytes;
}

}  // namespace braid
