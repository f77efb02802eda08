// How much a query may keep in state before it stops (state.on-limit = fail) or stops reading
// (pause), and the errors that say so. Looked at between batches, in per-record mode between blocks
// of records; a batch that goes over a limit is committed first.
// Errors are kInvalidInput: there is more of it than the query may keep.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"

namespace braid {

enum class OnStateLimit : uint8_t { kFail, kPause };

struct StateLimits {
  std::optional<int64_t> rows_max;   // state.max-rows
  std::optional<int64_t> bytes_max;  // state.max-bytes
  OnStateLimit on_limit = OnStateLimit::kFail;

  bool any() const { return rows_max.has_value() || bytes_max.has_value(); }
  bool pauses() const { return any() && on_limit == OnStateLimit::kPause; }
};

// What is in state, over all sides and partitions.
struct StateSize {
  struct Side {
    std::string name;  // Of the table, or which side of which join.
    int64_t rows = 0;
  };
  std::vector<Side> sides;
  int64_t bytes = 0;  // In memory and, beyond a budget, on disk. 0 where no limit asks for it.

  int64_t rows() const;
};

bool IsExceeded(const StateLimits& limits, const StateSize& size);

// The run ends, by state.on-limit = fail. `held_back_by`: the table that the watermark waits for;
// may be empty.
tl::unexpected<Error> RefuseState(const StateLimits& limits, const StateSize& size,
                                  const std::string& held_back_by);

// The run ends although state.on-limit = pause: nothing that is still read can shrink the state.
// `paused`: the tables that are not read; `reason`: why reading others does not help.
tl::unexpected<Error> RefuseToWait(const StateLimits& limits, const StateSize& size,
                                   const std::vector<std::string>& paused,
                                   const std::string& reason);

}  // namespace braid
