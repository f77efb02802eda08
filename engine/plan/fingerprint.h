// The fingerprint of a plan: everything that state in a checkpoint depends on, so that a restart
// with another query is refused with the part that changed instead of reading old rows wrongly.
//
// What counts: the mode; of each join in a tree its operator, window and keys; the tables, the
// positions and types of the columns that are used, the join type, the whole condition, the time
// and the eviction of each side, what is stored. Names of columns and aliases are labels only; the
// output that can be made from what is stored may change.
//
// Thread rule: free functions.
#pragma once

#include <optional>
#include <string>

#include "engine/plan/stream_plan.h"

namespace braid {

// Readable lines "part: value -- label". The value alone counts when two are compared; the label
// names for a person what the value refers to by position. Stored with a checkpoint, so how a value
// is written may change only together with its version, the first line.
std::string StateFingerprint(const StreamPlan& plan);

// Nothing when state of the first can be used by the second; otherwise what changed, in words:
// "column v of table l was INT when the checkpoint was made, and is BIGINT now".
std::optional<std::string> ExplainFingerprintChange(const std::string& before,
                                                    const std::string& now);

}  // namespace braid
