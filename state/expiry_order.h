// The rows of a closed chunk by time, coarsely: so that small steps of the threshold do not scan
// the chunk again each time. Rows are sorted into up to 4096 buckets of time by one counting pass;
// a step takes whole buckets and looks closer only at the one that the threshold falls into, and at
// the next one with rows.
//
// Thread rule: one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "state/row_id.h"
#include "state/time_offset.h"

namespace braid {

class ExpiryOrder {
 public:
  bool empty() const { return slots_.empty(); }

  // Sorts `slots`, rows of `entries` whose times are not NULL. O(rows).
  void Build(const Entry* entries, const std::vector<uint16_t>& slots);

  // Calls expire(slot) for the rows with an offset below `bound`, perhaps again for rows that it
  // was called for by an earlier step. Returns the earliest offset of the others; kNullTimeOffset
  // if there are none. O(rows below the bound + two buckets).
  template <typename Expire>
  uint32_t Step(const Entry* entries, uint32_t bound, const Expire& expire) {
    const uint32_t boundary = BucketOf(bound);
    uint32_t last_bucket = boundary;
    uint32_t earliest = kNullTimeOffset;
    for (size_t next = next_; next < slots_.size(); ++next) {
      const uint16_t slot = slots_[next];
      const uint32_t offset = entries[slot].time;
      const uint32_t bucket = BucketOf(offset);
      if (bucket > last_bucket) {
        if (earliest != kNullTimeOffset) break;
        last_bucket = bucket;
      }
      if (offset < bound) {
        expire(slot);
      } else {
        earliest = std::min(earliest, offset);
      }
      if (bucket < boundary) next_ = next + 1;
    }
    return earliest;
  }

  int64_t memory_bytes() const {
    return static_cast<int64_t>(slots_.capacity() * sizeof(uint16_t));
  }

 private:
  uint32_t BucketOf(uint32_t offset) const {
    return offset <= earliest_ ? 0 : (offset - earliest_) >> shift_;
  }

  uint32_t earliest_ = 0;
  int shift_ = 0;
  size_t next_ = 0;  // Rows before it are below every bound to come.
  std::vector<uint16_t> slots_;
};

}  // namespace braid
