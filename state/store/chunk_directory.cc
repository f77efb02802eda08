#include "state/store/chunk_directory.h"

#include <algorithm>
#include <limits>

#include "state/rows/check.h"
#include "state/store/size_class.h"

namespace braid {

namespace {

// A chunk below both is merged with its neighbours; reading and keeping one costs about as much as
// this many rows.
constexpr int64_t kSmallChunkRows = 512;
constexpr uint32_t kSmallChunkBytes = 64 << 10;
// Chunks of one merge; more wait for the next.
constexpr size_t kMergedChunksMax = 256;

bool IsSmall(const StoredChunk& chunk) {
  return chunk.head.num_rows() < kSmallChunkRows && chunk.head.chunk_bytes < kSmallChunkBytes;
}

uint64_t LineageOf(PersistentId id) { return id >> kSequenceBits; }

// When a threshold above it comes, about half of the rows are dead and the bulk of them has been
// for as long as it took to die. Streams in order never get there: all is dead by then.
int64_t RewriteTime(const ChunkTimes& times) {
  const int64_t spread = SaturatingAdd(times.middle, -std::max(times.early, -INT64_MAX));
  return SaturatingAdd(times.middle, SaturatingMultiply(spread, 2));
}

// Calls `visit(chunk, first, count, row)` for ids `first` … of `ids` that are those of the chunk's
// rows `row` …, until it returns false. `ChunksType` is StoredChunks or const StoredChunks.
template <typename ChunksType, typename Visit>
void ForEachOverlap(const IdRuns& ids, ChunksType& chunks, Visit visit) {
  auto chunk = chunks.begin();
  for (const IdRuns::Run& run : ids.runs()) {
    PersistentId next = run.first;
    while (next < run.end()) {
      if (chunk == chunks.end() || chunk->second.head.ids.last() < next) {
        chunk = chunks.upper_bound(next);
        if (chunk != chunks.begin() && std::prev(chunk)->second.head.ids.last() >= next) --chunk;
        if (chunk == chunks.end()) return;
      }
      const std::vector<IdRuns::Run>& rows = chunk->second.head.ids.runs();
      auto piece = std::upper_bound(
          rows.begin(), rows.end(), next,
          [](PersistentId id, const IdRuns::Run& candidate) { return id < candidate.end(); });
      for (; piece != rows.end() && piece->first < run.end(); ++piece) {
        const PersistentId first = std::max(next, piece->first);
        const uint64_t count = std::min(run.end(), piece->end()) - first;
        const int64_t row = static_cast<int64_t>(piece->position + (first - piece->first));
        if (!visit(chunk->second, first, count, row)) return;
      }
      // Marks of the same chunk go on with it.
      if (run.end() <= chunk->second.head.ids.last() + 1) break;
      next = chunk->second.head.ids.last() + 1;
    }
  }
}

bool IsWorkedIn(const ChunkHead& head, int64_t version) {
  return head.folded && version <= head.version;
}

}  // namespace

bool RowMarks::Set(int64_t row, int64_t num_rows) {
  if (words_.empty()) words_.resize(static_cast<size_t>((num_rows + 63) / 64));
  uint64_t& word = words_[static_cast<size_t>(row >> 6)];
  const uint64_t bit = 1ULL << (row & 63);
  const bool was_clear = (word & bit) == 0;
  word |= bit;
  return was_clear;
}

void MarkRows(const IdRuns& ids, Mark mark, StoredChunks* chunks) {
  ForEachOverlap(ids, *chunks, [&](StoredChunk& chunk, PersistentId, uint64_t count, int64_t row) {
    const int64_t end = row + static_cast<int64_t>(count);
    for (; row < end; ++row) {
      if (mark == Mark::kMatched) {
        chunk.matched.Set(row, chunk.head.num_rows());
      } else if (chunk.removed.Set(row, chunk.head.num_rows())) {
        ++chunk.num_removed;
      }
    }
    return true;
  });
}

bool ChunkDirectory::Overlaps(PersistentId first, PersistentId last) const {
  const auto after = chunks_.upper_bound(last);
  return after != chunks_.begin() && std::prev(after)->second.head.ids.last() >= first;
}

void ChunkDirectory::Add(StoredChunk chunk) {
  const PersistentId first_id = chunk.head.ids.first();
  const auto [added, is_new] = chunks_.emplace(first_id, std::move(chunk));
  BRAID_CHECK(is_new, "two chunks begin with the same row");
  const StoredChunk& stored = added->second;
  if (stored.head.null_times == 0) {
    by_death_time_.emplace(stored.head.times->maximum, first_id);
  }
  if (IsSettled(stored)) {
    AddSettled(first_id, stored);
  } else {
    unsettled_.emplace(stored.head.version, first_id);
  }
}

void ChunkDirectory::AddSettled(PersistentId first_id, const StoredChunk& chunk) {
  if (chunk.head.times) by_rewrite_time_.emplace(RewriteTime(*chunk.head.times), first_id);
  candidates_.insert(first_id);
}

void ChunkDirectory::Remove(PersistentId first_id) {
  const auto found = chunks_.find(first_id);
  BRAID_CHECK(found != chunks_.end(), "there is no such chunk");
  const ChunkHead& head = found->second.head;
  if (head.null_times == 0) by_death_time_.erase({head.times->maximum, first_id});
  if (head.times) by_rewrite_time_.erase({RewriteTime(*head.times), first_id});
  unsettled_.erase({head.version, first_id});
  candidates_.erase(first_id);
  chunks_.erase(found);
}

void ChunkDirectory::MarkSettled(const IdRuns& ids, Mark mark) {
  MarkRows(ids, mark, &chunks_);
  if (mark != Mark::kRemoved) return;
  ForEachOverlap(ids, chunks_, [&](StoredChunk& chunk, PersistentId, uint64_t, int64_t) {
    if (2 * chunk.num_removed >= chunk.head.num_rows()) candidates_.insert(chunk.head.ids.first());
    return true;
  });
}

void ChunkDirectory::Settle(int64_t oldest) {
  BRAID_CHECK(!oldest_ || *oldest_ <= oldest, "the oldest version does not go back");
  oldest_ = oldest;
  while (!unsettled_.empty() && unsettled_.begin()->first <= oldest) {
    const PersistentId first_id = unsettled_.begin()->second;
    unsettled_.erase(unsettled_.begin());
    AddSettled(first_id, chunks_.at(first_id));
  }
}

std::vector<PersistentId> ChunkDirectory::DeadChunks(const Liveness& oldest) const {
  std::vector<PersistentId> dead;
  if (oldest.none) {
    for (const auto& [first_id, chunk] : chunks_) dead.push_back(first_id);
    return dead;
  }
  for (const auto& [time, first_id] : by_death_time_) {
    if (!oldest.IsBelow(time)) break;
    dead.push_back(first_id);
  }
  for (const PersistentId first_id : candidates_) {
    const StoredChunk& chunk = chunks_.at(first_id);
    if (chunk.num_removed == chunk.head.num_rows() && !oldest.IsDead(chunk.head)) {
      dead.push_back(first_id);
    }
  }
  return dead;
}

bool ChunkDirectory::MayJoin(StoredChunks::const_iterator left, StoredChunks::const_iterator right,
                             uint32_t lineages_closed) const {
  // Between two chunks of one lineage, or of closed ones, no row can come any more.
  const uint64_t lineage = LineageOf(right->second.head.ids.last());
  const bool nothing_between =
      LineageOf(left->second.head.ids.first()) == lineage || lineage < lineages_closed;
  return nothing_between && IsSettled(left->second) && IsSettled(right->second) &&
         IsSmall(left->second) && IsSmall(right->second);
}

std::vector<PersistentId> ChunkDirectory::SmallNeighbours(StoredChunks::const_iterator chunk,
                                                          uint32_t lineages_closed) const {
  if (!IsSmall(chunk->second)) return {};
  const int least_class = SizeClass(static_cast<uint64_t>(chunk->second.head.num_rows()));
  auto newest = chunk;
  for (size_t steps = 0; steps < kMergedChunksMax; ++steps) {
    const auto next = std::next(newest);
    if (next == chunks_.end() || !MayJoin(newest, next, lineages_closed)) break;
    if (SizeClass(static_cast<uint64_t>(next->second.head.num_rows())) > least_class) break;
    newest = next;
  }
  std::vector<uint64_t> sizes;
  std::vector<PersistentId> neighbours;
  for (auto it = newest; sizes.size() < kMergedChunksMax; --it) {
    sizes.push_back(static_cast<uint64_t>(it->second.head.num_rows()));
    neighbours.push_back(it->first);
    if (it == chunks_.begin() || !MayJoin(std::prev(it), it, lineages_closed)) break;
  }
  neighbours.resize(MergeLength(sizes, least_class));
  std::reverse(neighbours.begin(), neighbours.end());
  return neighbours;
}

std::vector<std::vector<PersistentId>> ChunkDirectory::ChunksToRewrite(
    const Liveness& oldest, uint32_t lineages_closed) const {
  std::vector<std::vector<PersistentId>> groups;
  std::set<PersistentId> taken;
  const auto is_dead = [&](PersistentId first_id) {
    const StoredChunk& chunk = chunks_.at(first_id);
    return oldest.IsDead(chunk.head) || chunk.num_removed == chunk.head.num_rows();
  };
  const auto add = [&](std::vector<PersistentId> group) {
    // Two groups that interleave would make chunks that overlap; the later one waits.
    for (const PersistentId first_id : group) {
      if (taken.contains(first_id)) return;
    }
    std::erase_if(group, is_dead);
    taken.insert(group.begin(), group.end());
    if (!group.empty()) groups.push_back(std::move(group));
  };
  for (const PersistentId first_id : candidates_) {
    if (!taken.contains(first_id)) {
      add(SmallNeighbours(chunks_.find(first_id), lineages_closed));
    }
  }
  for (const PersistentId first_id : candidates_) {
    const StoredChunk& chunk = chunks_.at(first_id);
    if (2 * chunk.num_removed >= chunk.head.num_rows()) add({first_id});
  }
  for (const auto& [time, first_id] : by_rewrite_time_) {
    if (!oldest.IsBelow(time)) break;
    add({first_id});
  }
  return groups;
}

IdRuns ChunkDirectory::Stored(const IdRuns& ids, int64_t version) const {
  IdRuns stored;
  ForEachOverlap(ids, chunks_,
                 [&](const StoredChunk& chunk, PersistentId first, uint64_t count, int64_t) {
                   if (!IsWorkedIn(chunk.head, version)) stored.Append(first, count);
                   return true;
                 });
  return stored;
}

bool ChunkDirectory::IsAnyStored(const IdRuns& ids, int64_t version) const {
  bool found = false;
  ForEachOverlap(ids, chunks_, [&](const StoredChunk& chunk, PersistentId, uint64_t, int64_t) {
    found = !IsWorkedIn(chunk.head, version);
    return !found;
  });
  return found;
}

void ChunkDirectory::CheckInvariants() const {
  const StoredChunk* previous = nullptr;
  size_t mortal = 0;
  size_t with_rewrite_time = 0;
  size_t unsettled = 0;
  for (const auto& [first_id, chunk] : chunks_) {
    BRAID_CHECK(first_id == chunk.head.ids.first(), "a chunk stands under another's id");
    BRAID_CHECK(previous == nullptr || previous->head.ids.last() < first_id, "chunks overlap");
    previous = &chunk;
    int64_t matched = 0;
    int64_t removed = 0;
    for (int64_t row = 0; row < chunk.head.num_rows(); ++row) {
      matched += chunk.matched.Test(row) ? 1 : 0;
      removed += chunk.removed.Test(row) ? 1 : 0;
    }
    BRAID_CHECK(chunk.matched.empty() == (matched == 0), "an empty bitmap of matched rows");
    BRAID_CHECK(chunk.num_removed == removed, "the removed rows are miscounted");
    if (chunk.head.null_times == 0) {
      ++mortal;
      BRAID_CHECK(by_death_time_.contains({chunk.head.times->maximum, first_id}), "death time");
    }
    if (!IsSettled(chunk)) {
      ++unsettled;
      BRAID_CHECK(unsettled_.contains({chunk.head.version, first_id}), "unsettled");
    } else if (chunk.head.times) {
      ++with_rewrite_time;
      BRAID_CHECK(by_rewrite_time_.contains({RewriteTime(*chunk.head.times), first_id}),
                  "rewrite time");
    }
  }
  BRAID_CHECK(mortal == by_death_time_.size() && unsettled == unsettled_.size() &&
                  with_rewrite_time == by_rewrite_time_.size(),
              "an order has chunks that are gone");
}

}  // namespace braid
