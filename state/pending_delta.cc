#include "state/pending_delta.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "state/rows/check.h"

namespace braid {

namespace {

bool AreAllRows(std::span<const int32_t> rows, size_t length) {
  if (rows.size() != length) return false;
  bool all = true;
  for (size_t i = 0; i < rows.size(); ++i) all &= rows[i] == static_cast<int32_t>(i);
  return all;
}

}  // namespace

// What became of the rows of a run.
struct PendingDelta::Fate {
  std::vector<int32_t> alive;    // Positions in the run.
  std::vector<uint8_t> matched;  // One a position; empty: none is.
};

void PendingDelta::AddRun(const NewRows& rows, const ChunkLayout& layout) {
  BRAID_CHECK(rows.ids.empty(), "new rows have consecutive ids");
  if (rows.rows.size() >= kSharedRowsMin) {
    ShareRun(rows);
  } else {
    CopyRun(rows, layout);
  }
  end_id_ = rows.first_id + rows.rows.size();
}

void PendingDelta::AddPlace(RowId first, uint32_t count, const ChunkRing& ring) {
  std::vector<Place>& places = runs_.back().places;
  const bool same_chunk = ring.SlotOf(first) != 0;
  if (same_chunk && !places.empty() && places.back().first + places.back().count == first) {
    places.back().count += count;
  } else {
    places.push_back({first, count});
  }
}

void PendingDelta::AddWords(const NewRows& rows, Run* run) {
  const size_t before = run->words.size();
  run->words.resize(before + rows.rows.size());
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    run->words[before + i] = rows.words[static_cast<size_t>(rows.rows[i])];
  }
  if (rows.linkable.empty() && run->linkable.empty()) return;
  run->linkable.resize(before, 1);
  for (const int32_t row : rows.rows) {
    run->linkable.push_back(rows.linkable.empty() ? 1 : rows.linkable[static_cast<size_t>(row)]);
  }
}

void PendingDelta::ShareRun(const NewRows& rows) {
  Run run;
  run.first_id = rows.first_id;
  run.num_rows = rows.rows.size();
  run.is_shared = true;
  AddWords(rows, &run);
  if (rows.times != nullptr) run.times = *rows.times;
  run.payload.assign(rows.payload.begin(), rows.payload.end());
  if (!AreAllRows(rows.rows, rows.words.size())) {
    run.rows.assign(rows.rows.begin(), rows.rows.end());
  }
  runs_.push_back(std::move(run));
}

void PendingDelta::CopyRun(const NewRows& rows, const ChunkLayout& layout) {
  const bool joins = !runs_.empty() && !runs_.back().is_shared && end_id_ == rows.first_id &&
                     runs_.back().num_rows < kSharedRowsMin * 64;
  if (!joins) {
    Run run;
    run.first_id = rows.first_id;
    run.has_time = layout.has_time;
    for (const DataType& type : layout.payload) run.builders.emplace_back(type);
    if (layout.has_time) run.builders.emplace_back(rows.times->type());
    runs_.push_back(std::move(run));
  }
  Run& run = runs_.back();
  run.num_rows += rows.rows.size();
  AddWords(rows, &run);
  for (size_t column = 0; column < layout.payload.size(); ++column) {
    run.builders[column].AppendGather(rows.payload[column], rows.rows);
  }
  if (layout.has_time) run.builders.back().AppendGather(*rows.times, rows.rows);
}

void PendingDelta::Renumber(RowId distance) {
  for (Run& run : runs_) {
    for (Place& place : run.places) {
      place.first = place.first < distance ? kNoRow : place.first - distance;
    }
  }
}

PendingDelta::Fate PendingDelta::FateOf(const Run& run, const ChunkRing& ring) {
  Fate fate;
  fate.alive.reserve(run.num_rows);
  int32_t position = 0;
  for (const Place& place : run.places) {
    for (uint32_t i = 0; i < place.count; ++i, ++position) {
      const RowId row = place.first + i;
      if (place.first == kNoRow || !ring.IsAlive(row)) continue;
      fate.alive.push_back(position);
      if (!ring.chunk(ring.IndexOf(row)).IsMatched(ring.SlotOf(row))) continue;
      fate.matched.resize(run.num_rows, 0);
      fate.matched[static_cast<size_t>(position)] = 1;
    }
  }
  BRAID_CHECK(static_cast<size_t>(position) == run.num_rows, "every new row has a place");
  return fate;
}

StateRows PendingDelta::Finish(Run run, Fate fate) {
  StateRows result;
  result.first_id = run.first_id;
  result.num_rows = static_cast<int64_t>(fate.alive.size());
  if (!run.is_shared) {
    for (ColumnBuilder& builder : run.builders) run.payload.push_back(builder.Finish());
    if (run.has_time) {
      run.times = std::move(run.payload.back());
      run.payload.pop_back();
    }
  }
  const bool whole = fate.alive.size() == run.num_rows;
  if (whole) {
    result.words = std::move(run.words);
    result.linkable = std::move(run.linkable);
    result.matched = std::move(fate.matched);
  } else {
    for (const int32_t position : fate.alive) {
      const size_t at = static_cast<size_t>(position);
      result.ids.push_back(run.first_id + at);
      result.words.push_back(run.words[at]);
      if (!run.linkable.empty()) result.linkable.push_back(run.linkable[at]);
      if (!fate.matched.empty()) result.matched.push_back(fate.matched[at]);
    }
    result.first_id = result.ids.front();
  }
  if (whole && run.rows.empty()) {
    result.times = std::move(run.times);
    result.payload = std::move(run.payload);
    return result;
  }
  std::vector<int32_t> rows = std::move(fate.alive);
  if (!run.rows.empty()) {
    for (int32_t& row : rows) row = run.rows[static_cast<size_t>(row)];
  }
  if (run.times.has_value()) result.times = Gather(*run.times, rows);
  for (const Column& column : run.payload) result.payload.push_back(Gather(column, rows));
  return result;
}

SideDelta PendingDelta::Take(const ChunkRing& ring) {
  SideDelta delta;
  for (Run& run : runs_) {
    Fate fate = FateOf(run, ring);
    if (!fate.alive.empty()) delta.rows.push_back(Finish(std::move(run), std::move(fate)));
  }
  runs_.clear();
  delta.matched = std::exchange(matched_, {});
  delta.removed = std::exchange(removed_, {});
  for (std::vector<PersistentId>* ids : {&delta.matched, &delta.removed}) {
    if (!std::is_sorted(ids->begin(), ids->end())) std::sort(ids->begin(), ids->end());
  }
  return delta;
}

}  // namespace braid
