// The fingerprint of a plan: everything that state in a checkpoint depends on, so that a restart
// with another query goes on where that is right (fingerprint_change.h), and is otherwise refused
// with the part that changed instead of reading old rows wrongly.
//
// What counts: the mode; of each join in a tree its operator, window, keys, type and condition; the
// tables and their columns, by name; the time and the eviction of each side, what of a row is
// stored. What the output makes of stored columns does not count.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/stream_plan.h"

namespace braid {

// What state depends on beside the plan.
struct FingerprintSettings {
  std::string time_zone = "UTC";
  int64_t allowed_lateness_ms = 0;  // Per-record mode.
  bool has_state_ttl = false;       // Likewise.
  // Where the path of an output leads, whatever folder the job is started in. As it is written if
  // this is empty.
  std::function<std::string(const std::string& path)> output_place = {};
};

// Readable lines "part: value -- label". The label names for a person what the value says with
// column names in braces, "{left.v}". Stored with a checkpoint, so how a value is written may
// change only together with its version, the first line.
std::string StateFingerprint(const StreamPlan& plan, const FingerprintSettings& settings = {});

struct FingerprintLine {
  std::string part;
  std::string value;
  std::string label;
};
std::vector<FingerprintLine> ParseFingerprint(const std::string& text);

// The first line of what this Braid writes.
inline constexpr std::string_view kFingerprintVersion = "state fingerprint: 2";

// A column of a table as values have it. `title`: which input of which join.
std::string FingerprintColumn(std::string_view title, std::string_view name);

}  // namespace braid
