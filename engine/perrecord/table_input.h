// One table of a per-record query: its slices one after the other, each through ArrivalStage as a
// whole, and a position in them between any two records.
//
// A position is an offset of the source and how many rows after it were taken: slices may be cut
// otherwise when they are read again.
//
// Ownership: owns the source (by its SliceReader); the stage and the plan are borrowed.
// Thread rule: one thread at a time; Interrupt from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "braid/source.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/microbatch/slice_reader.h"
#include "engine/perrecord/record_order.h"
#include "engine/plan/stream_plan.h"

namespace braid {

struct InputPosition {
  std::string offset;  // Empty: at the beginning.
  int64_t rows = 0;

  friend bool operator==(const InputPosition&, const InputPosition&) = default;
};

// A slice that is being worked on.
struct ArrivedSlice {
  ReadRows read;
  Arrivals arrivals;
};

// What a table gave since its counts were taken last.
struct InputCounts {
  int64_t rows = 0;
  int64_t bad_records = 0;
  int64_t future_rows = 0;  // Of row times that are not believed.
  ArrivalCounts arrivals;
  std::optional<EventTime> min_time;
  std::optional<EventTime> max_time;
  int64_t time_count = 0;
  double time_sum_micros = 0;
};

// The rows [first, end) of a slice that was read, with their times if the table has a watermark.
ReadyRows ReadyOf(const InputPlan& input, const ReadRows& read, int32_t first, int32_t end);

class TableInput {
 public:
  struct Options {
    OnRowError on_error = OnRowError::kFail;
    const TimeZone* zone = nullptr;
    SliceReader::Belief belief;
  };

  TableInput(const InputPlan& input, const ArrivalStage* stage, std::unique_ptr<Source> source,
             const Options& options);

  // Begins after `position`; with `until_latest` it ends at what exists now.
  Status Open(const InputPosition& position, bool until_latest);

  // Before Open: gives the rows of a planned range again, `rows` of them after the position, and
  // then says kEnd until EndReplay.
  // `arrived`: when they came, as far as that decides which row times are believed.
  Status BeginReplay(const InputPosition& position, const std::string& end,
                     const std::string& replay, int64_t rows, EventTime arrived);
  void EndReplay();

  // Whether a record is ready; asks the source for its next slice if none is. `now`: what
  // PROCTIME() gives in it.
  Result<SliceReader::Found> Peek(bool wait, EventTime now);

  // The rest of the slice; has_row is false if there is none.
  ReadyRows ready() const;

  // Takes the next `count` rows of the slice. REQUIRES: they are there.
  void Take(int32_t count);
  // Row times past it move no watermark; the largest number if all are believed.
  int64_t latest_believed() const;
  // The slice that rows are taken from, and the next row of it.
  const std::shared_ptr<const ArrivedSlice>& slice() const { return slice_; }
  int32_t next_row() const { return next_row_; }

  // Where the next record is.
  InputPosition position() const;
  // The offset of the slice that the last record was taken from: what a replay must read up to.
  std::string read_end() const;
  // Raw input of the slices since the last call that cannot be read again.
  std::string TakeReplay();
  // Whether part of a slice that cannot be read again is left.
  bool must_finish_slice() const { return !slice_replay_.empty() && ready().has_row; }

  InputCounts TakeCounts();

  const InputPlan& plan() const { return input_; }
  bool is_finite() { return reader_.source().is_finite(); }
  bool ended() const { return ended_; }
  Source& source() { return reader_.source(); }
  std::optional<int64_t> backlog_bytes() { return reader_.backlog_bytes(); }
  void Interrupt() { reader_.Interrupt(); }

 private:
  Status BeginSlice(ReadSlice slice, EventTime now);
  void CountTimes(int32_t count);

  const InputPlan& input_;
  const ArrivalStage* stage_;
  const Options options_;
  SliceReader reader_;

  std::shared_ptr<const ArrivedSlice> slice_;
  std::string slice_end_;
  std::string slice_replay_;
  int32_t next_row_ = 0;
  int32_t end_row_ = 0;    // Before the end of the slice while a range is replayed.
  std::string offset_;     // After the last slice that was used up.
  int64_t skip_rows_ = 0;  // Rows after the offset that were taken before.
  std::string replay_;     // Of slices begun since TakeReplay.
  bool ended_ = false;

  bool replays_ = false;
  std::deque<ReadSlice> replayed_;
  int64_t replay_rows_left_ = 0;

  InputCounts counts_;
};

}  // namespace braid
