// Looks at a checkpoint: its versions, and the state rows at one. The answers are lines, so that a
// running query can give them over its control socket and `braid state` can print both alike.
//
// Thread rule: free functions; the store allows reads from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "braid/error.h"
#include "engine/session/state_row_lines.h"
#include "state/versioned_store.h"

namespace braid {

struct StateRequest {
  enum class What : uint8_t { kVersions, kRows };
  What what = What::kVersions;
  std::optional<int64_t> version;              // kRows; absent: the latest.
  std::optional<uint8_t> side;                 // kRows; absent: both.
  int64_t limit = 0;                           // kRows; 0 = all.
  StateRowStyle style = StateRowStyle::kJson;  // kRows.
};

// Gives one line a version, rising:
//   {"version":3,"noData":false,"watermark":"…","nextWatermark":"…","leftRows":5,"rightRows":2}
// or one line a row (state_row_lines.h).
// kNotFound for a version that is not retained; the message lists those that are.
Status AnswerStateRequest(VersionedStore* store, const StateRequest& request,
                          const LineConsumer& consumer);

// The request as one line of JSON, and back.
std::string FormatStateRequest(const StateRequest& request);
Result<StateRequest> ParseStateRequest(const std::string& line);

}  // namespace braid
