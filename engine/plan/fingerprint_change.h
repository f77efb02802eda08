// Whether state of one query can be gone on with by another: the rules of docs/operations.md,
// "Changing a job that has a checkpoint". What may differ never makes a row wrong; anything else is
// refused with the table, the column, the old and the new value.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"

namespace braid {

// An output that is written to another place now, or no more.
struct MovedOutput {
  std::string path;    // Where it was.
  std::string now;     // Where it is; empty if nowhere.
  std::string table;   // "table o"
  std::string change;  // "the path of table o was 'a' when …, and is 'b' now"
};

struct FingerprintMatch {
  // Which stored column a column was; absent if it was stored as the key word.
  using Origin = std::optional<uint16_t>;
  // For each side of the joins, left before right and the joins as they are executed, and each
  // column that is stored of it now.
  using Origins = std::vector<std::vector<Origin>>;
  Origins kept;
  // A batch that was published and not committed, or is given up, would stay in the old place.
  std::vector<MovedOutput> moved_outputs;
};

// Fails with kConflict and what changed, in words, if what was stored under the first fingerprint
// cannot be used under the second one.
Result<FingerprintMatch> MatchFingerprints(const std::string& before, const std::string& now);

// Nothing when it can; otherwise what changed: "column v of table l was BIGINT when the checkpoint
// was made, and is INT now: …".
std::optional<std::string> ExplainFingerprintChange(const std::string& before,
                                                    const std::string& now);

}  // namespace braid
