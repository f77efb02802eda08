#include "state/store/live_rows.h"

#include <utility>

#include "braid/column_builder.h"

namespace braid {

namespace {

// Positions of the live rows.
std::vector<int32_t> LiveRows(const StateRows& rows, const StoredChunk& chunk,
                              const Liveness& liveness) {
  std::vector<int32_t> live;
  live.reserve(static_cast<size_t>(rows.num_rows));
  const int64_t* times = rows.times ? rows.times->Values<int64_t>().data() : nullptr;
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    if (chunk.removed.Test(row)) continue;
    if (times != nullptr && liveness.IsBelow(times[row]) && !rows.times->IsNull(row)) continue;
    live.push_back(static_cast<int32_t>(row));
  }
  return live;
}

template <typename T>
std::vector<T> GatherFlags(const std::vector<T>& values, std::span<const int32_t> rows) {
  std::vector<T> gathered;
  if (values.empty()) return gathered;
  gathered.reserve(rows.size());
  for (const int32_t row : rows) gathered.push_back(values[static_cast<size_t>(row)]);
  return gathered;
}

// Makes an array that may be left out explicit once one of several runs has it.
template <typename T>
void AppendOr(const std::vector<T>& values, int64_t count, T otherwise, std::vector<T>* all) {
  if (values.empty()) {
    all->insert(all->end(), static_cast<size_t>(count), otherwise);
  } else {
    all->insert(all->end(), values.begin(), values.end());
  }
}

Column JoinColumns(std::span<const StateRows> runs, int64_t num_rows,
                   const Column& (*column_of)(const StateRows&, size_t), size_t index) {
  ColumnBuilder builder(column_of(runs[0], index).type());
  builder.Reserve(num_rows);
  for (const StateRows& run : runs) builder.AppendColumn(column_of(run, index));
  return builder.Finish();
}

}  // namespace

StateRows KeepLiveRows(StateRows rows, const StoredChunk& chunk, const Liveness& liveness) {
  if (liveness.none) return {};
  if (!chunk.matched.empty()) {
    rows.matched.resize(static_cast<size_t>(rows.num_rows));
    for (int64_t row = 0; row < rows.num_rows; ++row) {
      if (chunk.matched.Test(row)) rows.matched[static_cast<size_t>(row)] = 1;
    }
  }
  const ChunkHead& head = chunk.head;
  const bool all_alive =
      chunk.num_removed == 0 && (!head.times || !liveness.IsBelow(head.times->minimum));
  if (all_alive) return rows;
  const std::vector<int32_t> live = LiveRows(rows, chunk, liveness);
  if (std::ssize(live) == rows.num_rows) return rows;
  StateRows kept;
  kept.num_rows = std::ssize(live);
  if (live.empty()) return kept;
  kept.ids.reserve(live.size());
  for (const int32_t row : live) kept.ids.push_back(rows.IdAt(row));
  kept.first_id = kept.ids[0];
  kept.words = GatherFlags(rows.words, live);
  kept.linkable = GatherFlags(rows.linkable, live);
  kept.matched = GatherFlags(rows.matched, live);
  if (rows.times) kept.times = Gather(*rows.times, live);
  for (const Column& column : rows.payload) kept.payload.push_back(Gather(column, live));
  return kept;
}

StateRows JoinRuns(std::span<const StateRows> runs) {
  if (runs.size() == 1) return runs[0];
  StateRows all;
  all.first_id = runs[0].IdAt(0);
  bool has_unlinkable = false;
  bool has_matched = false;
  for (const StateRows& run : runs) {
    all.num_rows += run.num_rows;
    all.words.insert(all.words.end(), run.words.begin(), run.words.end());
    has_unlinkable |= !run.linkable.empty();
    has_matched |= !run.matched.empty();
    for (int64_t row = 0; row < run.num_rows; ++row) all.ids.push_back(run.IdAt(row));
  }
  for (const StateRows& run : runs) {
    if (has_unlinkable) AppendOr<uint8_t>(run.linkable, run.num_rows, 1, &all.linkable);
    if (has_matched) AppendOr<uint8_t>(run.matched, run.num_rows, 0, &all.matched);
  }
  if (runs[0].times) {
    all.times = JoinColumns(
        runs, all.num_rows,
        [](const StateRows& run, size_t) -> const Column& { return *run.times; }, 0);
  }
  for (size_t i = 0; i < runs[0].payload.size(); ++i) {
    all.payload.push_back(JoinColumns(
        runs, all.num_rows,
        [](const StateRows& run, size_t index) -> const Column& { return run.payload[index]; }, i));
  }
  return all;
}

}  // namespace braid
