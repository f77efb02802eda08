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

// Calls visit(slot) for the slots in [begin, begin + count) whose bit is set; word_of(i) gives the
// bits of slots 64 i and up.
template <typename WordOf, typename Visit>
void VisitRows(uint32_t begin, uint32_t count, const WordOf& word_of, const Visit& visit) {
  const uint32_t end = begin + count;
  for (size_t word = begin / 64; word * 64 < end; ++word) {
    uint64_t bits = word_of(word) & ExistingRows(word, end);
    if (word == begin / 64) bits &= ~uint64_t{0} << (begin % 64);
    VisitBits(word, bits, visit);
  }
}

std::vector<int32_t> AlivePositions(size_t num_rows, const std::vector<uint8_t>& dead) {
  std::vector<int32_t> alive;
  for (size_t row = 0; row < num_rows; ++row) {
    if (dead.empty() || dead[row] == 0) alive.push_back(static_cast<int32_t>(row));
  }
  return alive;
}

}  // namespace

// What became of the rows of a run: one byte a row each, or empty when it is so of none.
struct PendingDelta::Fate {
  std::vector<uint8_t> dead;
  std::vector<uint8_t> matched;
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
  if (run->is_shared && run->rows.empty()) {
    run->words.assign(rows.words.begin(), rows.words.end());
    run->linkable.assign(rows.linkable.begin(), rows.linkable.end());
    return;
  }
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
  if (rows.times != nullptr) run.times = *rows.times;
  run.payload.assign(rows.payload.begin(), rows.payload.end());
  if (!AreAllRows(rows.rows, rows.words.size())) {
    run.rows.assign(rows.rows.begin(), rows.rows.end());
  }
  AddWords(rows, &run);
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
  size_t position = 0;
  for (const Place& place : run.places) {
    const size_t first = position;
    position += place.count;
    if (!ring.Holds(place.first)) {
      fate.dead.resize(run.num_rows, 0);
      std::fill_n(fate.dead.begin() + static_cast<std::ptrdiff_t>(first), place.count, 1);
      continue;
    }
    const Chunk& chunk = ring.chunk(ring.IndexOf(place.first));
    const uint32_t begin = ring.SlotOf(place.first);
    const auto note_in = [&](std::vector<uint8_t>* flags) {
      return [&run, flags, first, begin](uint32_t slot) {
        flags->resize(run.num_rows, 0);
        (*flags)[first + slot - begin] = 1;
      };
    };
    VisitRows(
        begin, place.count, [&](size_t word) { return chunk.DeadWord(word); }, note_in(&fate.dead));
    VisitRows(
        begin, place.count, [&](size_t word) { return chunk.MatchedWord(word); },
        note_in(&fate.matched));
  }
  BRAID_CHECK(position == run.num_rows, "every new row has a place");
  return fate;
}

StateRows PendingDelta::Finish(Run run, Fate fate) {
  if (!run.is_shared) {
    for (ColumnBuilder& builder : run.builders) run.payload.push_back(builder.Finish());
    if (run.has_time) {
      run.times = std::move(run.payload.back());
      run.payload.pop_back();
    }
  }
  StateRows result;
  result.first_id = run.first_id;
  result.num_rows = static_cast<int64_t>(run.num_rows);
  if (fate.dead.empty()) {
    result.words = std::move(run.words);
    result.linkable = std::move(run.linkable);
    result.matched = std::move(fate.matched);
    if (run.rows.empty()) {
      result.times = std::move(run.times);
      result.payload = std::move(run.payload);
      return result;
    }
  }
  std::vector<int32_t> rows = AlivePositions(run.num_rows, fate.dead);
  if (!fate.dead.empty()) {
    result.num_rows = std::ssize(rows);
    // NOLINTBEGIN(bugprone-use-after-move): they were moved from only if no row is dead.
    for (const int32_t position : rows) {
      const size_t at = static_cast<size_t>(position);
      result.ids.push_back(run.first_id + at);
      result.words.push_back(run.words[at]);
      if (!run.linkable.empty()) result.linkable.push_back(run.linkable[at]);
      if (!fate.matched.empty()) result.matched.push_back(fate.matched[at]);
    }
    // NOLINTEND(bugprone-use-after-move)
    if (!rows.empty()) result.first_id = result.ids.front();
  }
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
    const bool all_dead =
        std::ssize(fate.dead) == std::count(fate.dead.begin(), fate.dead.end(), 1);
    if (all_dead && !fate.dead.empty()) continue;
    delta.rows.push_back(Finish(std::move(run), std::move(fate)));
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
