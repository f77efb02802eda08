// The join of the ad-click workload as a bare loop: what the structure costs without expressions,
// types, partitions or changes to be stored. The join of the product is measured against it.
//
// Each side is a ring of entries in arrival order, of one capacity, and an array of bucket heads;
// nothing is unlinked, and `low` passes rows that the watermark has evicted.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/workload_rows.h"
#include "state/arena.h"

namespace braid {

class BareJoin {
 public:
  // Capacities: rows of a side that are in state at one time, powers of two.
  BareJoin(bool outer, int64_t window_micros, size_t left_capacity, size_t right_capacity);

  // Left rows, right rows, eviction with the watermark of the batch before.
  void Run(const WorkloadBatch& batch, int64_t delay_micros);
  // What the end of the input pads.
  void Flush();

  // Pairs and padded rows.
  int64_t num_results() const { return num_results_; }

 private:
  struct Entry {
    uint64_t word = 0;
    uint32_t millis = 0;  // From the start of the workload.
    uint32_t next = 0;    // 0: none.
  };
  struct State {
    State(size_t rows, bool has_price);

    size_t SlotOf(uint32_t row) const { return row & (capacity - 1); }
    size_t BucketOf(uint64_t word) const;

    const size_t capacity;
    ZeroedMemory memory;  // All arrays, from huge pages.
    Entry* entries;
    uint32_t* heads;  // Two a row.
    int64_t* numbers;
    double* prices = nullptr;
    uint8_t* matched = nullptr;
    uint32_t low = 1;
    uint32_t end = 1;
  };

  uint32_t MillisOf(int64_t micros) const {
    return static_cast<uint32_t>((micros - start_micros_) / 1'000);
  }
  void Append(const WorkloadSide& rows, State* state);
  // Pairs whose stored time less the arriving one is in [lower, upper].
  void Probe(const WorkloadSide& rows, int64_t lower, int64_t upper, State* state);
  void GatherPairs(const WorkloadSide& rows, const State& state);
  void EvictLeft(int64_t threshold);
  void EvictRight(int64_t threshold);
  void GatherPadded();

  const bool is_outer_;
  const int64_t window_millis_;
  int64_t start_micros_ = 0;
  int64_t watermark_ = -1;      // In milliseconds; none yet.
  int64_t left_threshold_ = 0;  // Of the last eviction.
  State left_;
  State right_;
  int64_t num_results_ = 0;

  // Pairs on their way out, and the columns that they are gathered to.
  std::vector<int32_t> arriving_;
  std::vector<uint8_t> arriving_matched_;
  std::vector<uint32_t> stored_;
  std::vector<int64_t> ids_;
  std::vector<int64_t> left_times_;
  std::vector<int64_t> right_times_;
  std::vector<int64_t> campaigns_;
  std::vector<double> prices_;
  std::vector<int64_t> users_;
};

}  // namespace braid
