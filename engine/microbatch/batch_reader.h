// Chooses the slices of the next batch. Of several finite sources the one behind in event time is
// read first, so that a dense file does not run ahead of a sparse one and pile up state: a batch
// ends where the one that is behind has used up what a trigger may take from it. A live source
// gives all that it has now, up to its own limit.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "engine/microbatch/abandon_flag.h"
#include "engine/microbatch/activity_recorder.h"
#include "engine/microbatch/slice_reader.h"

namespace braid {

// The slices of one table in a batch, in order.
struct BatchSlices {
  std::vector<ReadSlice> slices;
  int64_t num_bytes = 0;
  int64_t num_files = 0;
};

// Input rows of a table's slices, and of all tables'.
int64_t CountRows(const BatchSlices& slices);
int64_t CountRows(const std::vector<BatchSlices>& slices);

class BatchReader {
 public:
  struct Input {
    SliceReader* reader = nullptr;  // Borrowed.
    bool has_watermark = false;
    // Where the last slice is in event time. Not the largest row time so far: one row with a wrong
    // clock would make the others run ahead of it, to where this table's next rows are late.
    std::optional<EventTime> reached;
  };

  // `activity` is told how much is read. Once `abandoned` is raised, Collect ends early: what it
  // gives is of no use. Borrowed; both may be null.
  explicit BatchReader(std::vector<Input> inputs, ActivityRecorder* activity = nullptr,
                       const AbandonFlag* abandoned = nullptr);

  // Tables that Collect takes nothing from, until it is said anew: one byte a table, or empty for
  // none. What it has taken already goes into the next batch.
  void SetPaused(std::vector<uint8_t> paused) { paused_ = std::move(paused); }

  // The slices of the next batch, one entry a table. Absent: nothing new now, or, without `wait`,
  // a finite source has not read far enough yet (what was taken is kept for the next call).
  Result<std::optional<std::vector<BatchSlices>>> Collect(bool wait);

  // True if the last Collect asked this table's source to the end of what it had: nothing waits
  // there, and more may come. False too where it was not asked, or has ended.
  bool silent(size_t table) const { return silent_[table] != 0; }

  // True when every source has ended and gives nothing more.
  Result<bool> AllEnded();
  // True when this source has; waits for a finite one to know.
  Result<bool> Ended(size_t table);

 private:
  enum class Step : uint8_t { kTook, kFull, kNothing, kEnd, kNotYet };

  bool is_aligned(const Input& input) const {
    return input.has_watermark && input.reader->source().is_finite();
  }
  bool is_paused(size_t table) const { return !paused_.empty() && paused_[table] != 0; }
  Result<Step> TakeOne(size_t table, bool wait);
  void ShowReading();

  std::vector<Input> inputs_;
  ActivityRecorder* activity_;
  const AbandonFlag* abandoned_;
  std::vector<BatchSlices> collected_;
  std::vector<uint8_t> silent_;  // One a table; of the last Collect.
  std::vector<uint8_t> paused_;
};

}  // namespace braid
