// What changed in a side since its last delta: runs of appended rows, and the ids of earlier rows
// that became matched or were taken out one by one.
//
// A run shares the columns of the batch that it arrived with; rows are picked when the delta is
// taken, and those that died meanwhile are left out. Small runs are copied instead and joined to
// one, so that appending row by row does not keep one batch alive for each.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "braid/column_builder.h"
#include "state/chunk_ring.h"
#include "state/new_rows.h"
#include "state/state_delta.h"

namespace braid {

class PendingDelta {
 public:
  // Below this many rows a run is copied.
  static constexpr size_t kSharedRowsMin = 1024;

  // Starts with the run of an Append. REQUIRES: rows.ids is empty.
  void AddRun(const NewRows& rows, const ChunkLayout& layout);
  // Says where `count` further rows of the last run are, all in one chunk.
  void AddPlace(RowId first, uint32_t count, const ChunkRing& ring);

  void AddMatched(PersistentId id) { matched_.push_back(id); }
  void AddRemoved(PersistentId id) { removed_.push_back(id); }

  // Whether the row was appended since the last delta.
  bool IsNew(PersistentId id) const {
    return !runs_.empty() && id >= runs_.front().first_id && id < end_id_;
  }
  // Rows from here on may be new; absent: there are none.
  std::optional<RowId> first_new_row() const {
    if (runs_.empty()) return std::nullopt;
    return runs_.front().places.front().first;
  }

  // Lowers the ids of all rows; those below `distance` have left the ring.
  void Renumber(RowId distance);

  // Gives everything and starts anew. The ring says which rows are alive and matched.
  SideDelta Take(const ChunkRing& ring);

 private:
  struct Place {
    RowId first = kNoRow;
    uint32_t count = 0;
  };
  struct Run {
    PersistentId first_id = 0;
    size_t num_rows = 0;
    std::vector<uint64_t> words;
    std::vector<uint8_t> linkable;
    // Shared columns and which of their rows (empty: all), or builders.
    std::optional<Column> times;
    std::vector<Column> payload;
    std::vector<int32_t> rows;
    bool is_shared = false;
    bool has_time = false;
    std::vector<ColumnBuilder> builders;  // The payload, then the times.
    std::vector<Place> places;
  };
  struct Fate;

  void ShareRun(const NewRows& rows);
  void CopyRun(const NewRows& rows, const ChunkLayout& layout);
  static void AddWords(const NewRows& rows, Run* run);
  static Fate FateOf(const Run& run, const ChunkRing& ring);
  static StateRows Finish(Run run, Fate fate);

  std::vector<Run> runs_;
  PersistentId end_id_ = 0;  // Behind the last run.
  std::vector<PersistentId> matched_;
  std::vector<PersistentId> removed_;
};

}  // namespace braid
