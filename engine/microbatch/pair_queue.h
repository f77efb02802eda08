// Joined pairs on their way from the probe to the output. While it is open, another thread may
// emit them (Drain): it gathers columns and evaluates the SELECT list of the pairs that were found
// while this one looks for further ones. They are emitted one block at a time and in the order in
// which they were found, whoever does it: where none helps, or it is slower, the one who finds
// does.
//
// Bounds: kBlocksMax blocks wait. Thread rule: Open, Put, Flush and Close on the probing thread,
// Drain on one other, between Open and the return of Close or after it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "braid/error.h"
#include "engine/microbatch/arrival_stage.h"
#include "engine/plan/stream_plan.h"
#include "state/side_state.h"

namespace braid {

// Pairs of one probe: rows of `arrivals` (borrowed), which arrive on `side`, and stored ones.
struct PairBlock {
  Side side = Side::kLeft;
  const Arrivals* arrivals = nullptr;
  Matches matches;
};

class PairQueue {
 public:
  // `emit` is called by one thread at a time.
  explicit PairQueue(std::function<Status(const PairBlock&)> emit) : emit_(std::move(emit)) {}

  // Until Close, who drains may take part.
  void Open();
  // Emits the pairs, now or, while it is open, later. Takes the matches; leaves other, empty ones.
  // Fails with the error of a block before.
  Status Put(Side side, const Arrivals& arrivals, Matches* matches);
  // Returns when all that was put is emitted.
  Status Flush();
  // Flush, and no more follows.
  Status Close();

  // Emits what is put until Close. Errors are for who puts.
  void Drain();

 private:
  // About 100,000 pairs: who helps does not wait for the next block, and they stay in the cache.
  static constexpr size_t kBlocksMax = 4;

  // Emits the first block that waits; false if there is none.
  bool EmitOne();

  const std::function<Status(const PairBlock&)> emit_;
  std::mutex emitting_;  // Taken before mutex_.
  std::mutex mutex_;
  std::condition_variable has_blocks_;
  std::deque<PairBlock> blocks_;  // Guarded by mutex_, as all below.
  std::vector<Matches> spare_;    // Their memory is used again.
  Status status_;                 // The first error.
  bool open_ = false;
};

}  // namespace braid
