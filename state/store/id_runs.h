// A rising list of persistent ids as runs of consecutive ones: the ids of a chunk's rows, and the
// rows that a version marks as matched or removed. Most chunks are one run.
//
// Bytes (docs/format/checkpoint.md): for each run two variable-length numbers, the distance of its
// first id from the end of the run before (from 0 for the first run) and its length.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "state/state_delta.h"

namespace braid {

class IdRuns {
 public:
  struct Run {
    PersistentId first = 0;
    uint64_t count = 0;
    uint64_t position = 0;  // Of `first` in the list.

    PersistentId end() const { return first + count; }
  };

  IdRuns() = default;
  static IdRuns Consecutive(PersistentId first, uint64_t count);

  void Reserve(size_t runs) { runs_.reserve(runs); }

  // REQUIRES: `first` is above all ids so far; count > 0; first + count does not overflow.
  void Append(PersistentId first, uint64_t count = 1);

  bool empty() const { return runs_.empty(); }
  uint64_t size() const { return empty() ? 0 : runs_.back().position + runs_.back().count; }
  PersistentId first() const { return runs_.front().first; }    // REQUIRES: !empty()
  PersistentId last() const { return runs_.back().end() - 1; }  // REQUIRES: !empty()
  const std::vector<Run>& runs() const { return runs_; }

  bool Contains(PersistentId id) const;

  std::string Encode() const;
  // Absent if the bytes are not what Encode gives. Allocates in proportion to `bytes`, whatever
  // they say.
  static std::optional<IdRuns> Decode(std::span<const uint8_t> bytes);

  // The ids of all lists in one.
  static IdRuns Union(std::span<const IdRuns> lists);

 private:
  std::vector<Run> runs_;
};

}  // namespace braid
