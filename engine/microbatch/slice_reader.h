// Takes slices from one source, already through ArrivalStage::Read. A finite source is read ahead
// on a thread of its own, so that bytes are read and parsed while the batch before is joined; a
// live one is asked at the trigger, so that a trigger sees all that came before it.
//
// Ownership: owns the source; `stage` is borrowed.
// Thread rule: one thread at a time; Interrupt from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "braid/clock.h"
#include "braid/error.h"
#include "braid/source.h"
#include "engine/microbatch/arrival_stage.h"

namespace braid {

struct ReadSlice {
  ReadRows rows;
  std::string end;
  std::string replay;
  int64_t num_bytes = 0;
  int64_t num_files = 0;
  int64_t num_bad_records = 0;
};

class SliceReader {
 public:
  enum class Found : uint8_t {
    kSlice,
    kNothing,  // The source has nothing now.
    kNotYet,   // The thread that reads ahead has not got there; only without `wait`.
    kEnd,
  };

  // Which row times move the watermark (WatermarkOptions::max_ahead): by default all.
  struct Belief {
    const Clock* clock = nullptr;  // Borrowed.
    std::optional<Interval> max_ahead;
  };

  SliceReader(std::unique_ptr<Source> source, const ArrivalStage* stage,
              const EvaluationContext& context, const Belief& belief);
  SliceReader(std::unique_ptr<Source> source, const ArrivalStage* stage,
              const EvaluationContext& context)
      : SliceReader(std::move(source), stage, context, Belief()) {}
  ~SliceReader();
  SliceReader(const SliceReader&) = delete;
  SliceReader& operator=(const SliceReader&) = delete;

  // Begins after `start`. With `until_latest` it ends at what exists now, also for a live source.
  Status Start(const std::string& start, bool until_latest);

  // What comes next.
  Result<Found> Peek(bool wait);

  // REQUIRES: Peek said kSlice.
  const ReadSlice& front() const { return *front_; }
  ReadSlice Pop();

  // The rows of a planned range again, which came in at about `arrived` (absent: now).
  Status Replay(const std::string& start, const std::string& end, const std::string& replay,
                std::optional<EventTime> arrived, std::vector<ReadSlice>* slices);

  bool ended() const { return ended_; }
  Source& source() { return *source_; }
  // Bytes that are known to wait and were not popped yet; absent if the source does not know.
  std::optional<int64_t> backlog_bytes();
  void Interrupt() { source_->Interrupt(); }

 private:
  // Bytes of input that wait, read and parsed, at most (one slice always may).
  static constexpr int64_t kQueueBytesMax = 16 << 20;
  static constexpr int64_t kSliceBytesMax = 1 << 20;

  ReadSlice ReadThrough(SourceSlice slice, std::optional<EventTime> arrived) const;
  Result<Found> AskSource();
  void ReadAhead();

  std::unique_ptr<Source> source_;
  const ArrivalStage* stage_;
  EvaluationContext context_;
  Belief belief_;
  SliceLimits limits_;
  int64_t queue_bytes_max_ = kQueueBytesMax;
  bool reads_ahead_ = false;
  bool ended_ = false;
  std::optional<ReadSlice> front_;

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<ReadSlice>> queue_;  // Guarded by mutex_, as all below.
  int64_t queued_bytes_ = 0;
  bool source_ended_ = false;     // Nothing will be added to the queue: end, or an error in it.
  bool has_nothing_now_ = false;  // Nothing will be added to the queue: ask the source.
  bool stopping_ = false;
};

}  // namespace braid
