// What is known in memory about the chunks of one side: their heads, and which of their rows were
// matched or removed in versions that no reader tells apart any more. From it the store knows
// without reading a chunk what to read for a version, what is dead, and what to rewrite.
//
// A version v reads the chunks with head.version <= v. The *oldest* version is the oldest one that
// can still be read; a chunk is *settled* when its version is not above it. Marks (matched and
// removed rows) of versions up to the oldest are kept in the chunks, later ones by the caller.
//
// Invariants (CheckInvariants):
//   1. Chunks do not overlap: the last id of one is below the first id of the next.
//   2. A chunk has a matched bitmap iff one of its bits is set; `num_removed` counts the bits of
//   the
//      removed bitmap.
//   3. Every chunk stands in the order of death times, every settled one in that of rewrite times,
//      every other one among the unsettled.
//
// Cost: O(log chunks) for each chunk that is added, settled, dead or rewritten; nothing is scanned.
// Thread rule: one thread at a time; copies are independent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "braid/time.h"
#include "state/store/id_runs.h"
#include "state/store/record_codec.h"

namespace braid {

// One bit a row of a chunk; empty: none is set.
class RowMarks {
 public:
  bool empty() const { return words_.empty(); }
  bool Test(int64_t row) const {
    return !empty() && ((words_[static_cast<size_t>(row >> 6)] >> (row & 63)) & 1) != 0;
  }
  // Returns whether the bit was clear.
  bool Set(int64_t row, int64_t num_rows);

 private:
  std::vector<uint64_t> words_;
};

struct StoredChunk {
  ChunkHead head;
  uint64_t head_checksum = 0;
  RowMarks matched;
  RowMarks removed;
  int64_t num_removed = 0;
};

// Which rows a version sees.
struct Liveness {
  bool none = false;  // The version is finished: state is empty.
  std::optional<EventTime> threshold;

  // Whether a row with this time is dead; NULL times are not.
  bool IsBelow(int64_t time) const { return threshold && time < threshold->micros; }
  // Whether all rows of a chunk are dead by their times.
  bool IsDead(const ChunkHead& head) const {
    return none || (head.null_times == 0 && IsBelow(head.times->maximum));
  }
};

// Chunks by the id of their first row.
using StoredChunks = std::map<PersistentId, StoredChunk>;

enum class Mark : uint8_t { kMatched, kRemoved };

// Sets the bits of `ids` in the chunks that have them; other ids are ignored.
// O(log chunks) for each chunk touched and O(log runs) for each run of ids.
void MarkRows(const IdRuns& ids, Mark mark, StoredChunks* chunks);

class ChunkDirectory {
 public:
  const StoredChunks& chunks() const { return chunks_; }

  // Whether a chunk has an id from `first` to `last` in its range.
  bool Overlaps(PersistentId first, PersistentId last) const;

  void Add(StoredChunk chunk);
  void Remove(PersistentId first_id);

  // Marks rows with changes of versions up to the oldest one.
  void MarkSettled(const IdRuns& ids, Mark mark);

  // `oldest` is the oldest version from now on. Call after MarkSettled for the versions up to it.
  void Settle(int64_t oldest);

  // Chunks (by first id) all of whose rows are dead in the oldest version and after it; `oldest` is
  // what it sees, or what a later one sees that will be the oldest.
  std::vector<PersistentId> DeadChunks(const Liveness& oldest) const;

  // Runs of settled neighbours to be rewritten into new chunks: many small ones, or one of whose
  // rows about half or more are dead; none of them among DeadChunks. `lineages_closed`: lineages
  // below it get no further rows.
  std::vector<std::vector<PersistentId>> ChunksToRewrite(const Liveness& oldest,
                                                         uint32_t lineages_closed) const;

  // Call when what DeadChunks and ChunksToRewrite said has been done, before the new chunks are
  // added: chunks that were looked at are not looked at again before something changes.
  void ClearCandidates() { candidates_.clear(); }

  // What of `ids` belongs to chunks into which changes of `version` are not worked already.
  IdRuns Stored(const IdRuns& ids, int64_t version) const;
  // Whether that may be anything; `ids` may cover more than is meant.
  bool IsAnyStored(const IdRuns& ids, int64_t version) const;

  void CheckInvariants() const;

 private:
  using TimeOrder = std::set<std::pair<int64_t, PersistentId>>;

  bool IsSettled(const StoredChunk& chunk) const {
    return oldest_ && chunk.head.version <= *oldest_;
  }
  bool MayJoin(StoredChunks::const_iterator left, StoredChunks::const_iterator right,
               uint32_t lineages_closed) const;
  std::vector<PersistentId> SmallNeighbours(StoredChunks::const_iterator chunk,
                                            uint32_t lineages_closed) const;
  void AddSettled(PersistentId first_id, const StoredChunk& chunk);

  std::optional<int64_t> oldest_;
  StoredChunks chunks_;
  TimeOrder by_death_time_;    // Chunks that a threshold can kill as a whole.
  TimeOrder by_rewrite_time_;  // Settled chunks that a threshold above the time leaves half dead.
  std::set<std::pair<int64_t, PersistentId>> unsettled_;  // By version.
  // Settled chunks at which the next ChunksToRewrite looks: new, or with many removed rows.
  std::set<PersistentId> candidates_;
};

}  // namespace braid
