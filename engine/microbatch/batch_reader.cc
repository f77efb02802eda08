#include "engine/microbatch/batch_reader.h"

#include <algorithm>
#include <utility>

namespace braid {

int64_t CountRows(const BatchSlices& slices) {
  int64_t rows = 0;
  for (const ReadSlice& slice : slices.slices) rows += slice.rows.num_rows;
  return rows;
}

int64_t CountRows(const std::vector<BatchSlices>& slices) {
  int64_t rows = 0;
  for (const BatchSlices& table : slices) rows += CountRows(table);
  return rows;
}

BatchReader::BatchReader(std::vector<Input> inputs, ActivityRecorder* activity,
                         const AbandonFlag* abandoned)
    : inputs_(std::move(inputs)),
      activity_(activity),
      abandoned_(abandoned),
      collected_(inputs_.size()),
      silent_(inputs_.size(), 0) {}

// Says what this batch may take. What it took while the batch before was committed counts.
void BatchReader::ShowReading() {
  int64_t total = 0;
  int64_t done = 0;
  bool known = true;
  for (size_t table = 0; table < inputs_.size(); ++table) {
    SliceReader& reader = *inputs_[table].reader;
    const int64_t taken = collected_[table].num_bytes;
    const int64_t bytes_max = reader.source().trigger_limits().bytes_max;
    std::optional<int64_t> bytes;
    if (bytes_max > 0) bytes = bytes_max;
    // A source that ends has no more than that.
    const std::optional<int64_t> backlog =
        reader.source().is_finite() ? reader.backlog_bytes() : std::nullopt;
    if (backlog) bytes = std::min(bytes.value_or(taken + *backlog), taken + *backlog);
    known = known && bytes.has_value();
    total += bytes.value_or(0);
    done += taken;
  }
  activity_->BeginPhase(BatchPhase::kReading, ProgressUnit::kBytes, known ? total : 0);
  activity_->Advance(BatchPhase::kReading, done);
}

// Takes one more slice of a table into the batch, if its trigger limits allow.
Result<BatchReader::Step> BatchReader::TakeOne(size_t table, bool wait) {
  Input& input = inputs_[table];
  BatchSlices& taken = collected_[table];
  if (abandoned_ != nullptr && abandoned_->is_raised()) return Step::kFull;
  const Result<SliceReader::Found> found = input.reader->Peek(wait);
  if (!found) return tl::unexpected(found.error());
  if (*found == SliceReader::Found::kEnd) return Step::kEnd;
  if (*found == SliceReader::Found::kNothing) {
    silent_[table] = 1;
    return Step::kNothing;
  }
  if (*found == SliceReader::Found::kNotYet) return Step::kNotYet;
  const TriggerLimits limits = input.reader->source().trigger_limits();
  const int64_t bytes = taken.num_bytes + input.reader->front().num_bytes;
  const bool full = (limits.bytes_max > 0 && bytes > limits.bytes_max) ||
                    (limits.files_max > 0 && taken.num_files >= limits.files_max);
  if (full && !taken.slices.empty()) return Step::kFull;

  ReadSlice slice = input.reader->Pop();
  taken.num_bytes += slice.num_bytes;
  taken.num_files += slice.num_files;
  if (slice.rows.typical_time) input.reached = slice.rows.typical_time;
  if (activity_ != nullptr) activity_->Advance(BatchPhase::kReading, slice.num_bytes);
  taken.slices.push_back(std::move(slice));
  return Step::kTook;
}

Result<std::optional<std::vector<BatchSlices>>> BatchReader::Collect(bool wait) {
  // Without `wait` the batch before still runs, and it is the one to be shown.
  if (wait && activity_ != nullptr) ShowReading();
  silent_.assign(inputs_.size(), 0);
  for (size_t table = 0; table < inputs_.size(); ++table) {
    if (is_aligned(inputs_[table]) || is_paused(table)) continue;
    while (true) {
      const Result<Step> step = TakeOne(table, wait);
      if (!step) return tl::unexpected(step.error());
      if (*step == Step::kNotYet) return std::nullopt;
      if (*step != Step::kTook) break;
    }
  }
  std::vector<uint8_t> exhausted(inputs_.size(), 0);
  while (true) {
    std::optional<size_t> behind;
    for (size_t table = 0; table < inputs_.size(); ++table) {
      if (!is_aligned(inputs_[table]) || exhausted[table] != 0 || is_paused(table)) continue;
      // Nothing seen yet (nullopt) orders before every time.
      if (!behind || inputs_[table].reached < inputs_[*behind].reached) behind = table;
    }
    if (!behind) break;
    const Result<Step> step = TakeOne(*behind, wait);
    if (!step) return tl::unexpected(step.error());
    if (*step == Step::kNotYet) return std::nullopt;
    if (*step == Step::kEnd || *step == Step::kNothing) exhausted[*behind] = 1;
    if (*step == Step::kFull) break;
  }
  const bool any = std::any_of(collected_.begin(), collected_.end(),
                               [](const BatchSlices& taken) { return !taken.slices.empty(); });
  if (!any) return std::nullopt;
  return std::exchange(collected_, std::vector<BatchSlices>(inputs_.size()));
}

Result<bool> BatchReader::Ended(size_t table) {
  if (!collected_[table].slices.empty()) return false;
  const Result<SliceReader::Found> found = inputs_[table].reader->Peek(true);
  if (!found) return tl::unexpected(found.error());
  return *found == SliceReader::Found::kEnd;
}

Result<bool> BatchReader::AllEnded() {
  for (size_t table = 0; table < inputs_.size(); ++table) {
    Result<bool> ended = Ended(table);
    if (!ended || !*ended) return ended;
  }
  return true;
}

}  // namespace braid
