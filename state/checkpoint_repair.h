// Checks what a checkpoint's store holds, and takes it back to an earlier version.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/error.h"
#include "state/versioned_store.h"

namespace braid {

struct StoreDamage {
  enum class Place : uint8_t {
    kStore,
    kList,  // Of input files; the store knows nothing of them.
    kMark,  // The file that says what was committed last.
  };
  std::string what;  // With the file, the record and the version where they are known.
  Place place = Place::kStore;
};

struct StoreVerdict {
  std::vector<StoreDamage> damage;      // One a fault; empty: all reads as it was written.
  std::vector<VersionInfo> versions;    // Those that are retained and can be told.
  std::vector<int64_t> whole_versions;  // Those of which every record reads, rising.
  int64_t num_records = 0;              // That were read.
  std::optional<BatchPlan> pending_plan;
  std::vector<FormerOutput> former_outputs;
};

// Reads everything: the LevelDB's files byte by byte, every record's checksum and content, and
// whether the records fit together. Writes and locks nothing; a query may run meanwhile.
// kNotFound: there is no checkpoint; kIo: it cannot be looked at.
Result<StoreVerdict> VerifyStore(const std::string& directory);

struct RollBackReport {
  int64_t from = 0;          // The newest version before; what is known of it, if it is damaged.
  bool was_newest = false;   // The version is the newest already: nothing was done.
  bool left_damage = false;  // The store was damaged, and was written anew without that.
  BatchCommit commit;        // Of the version that is the newest now.
  std::vector<OffsetRange> given_up;         // One a source: what batches after it had read.
  std::vector<FormerOutput> former_outputs;  // That hold batches after it.
};

// Makes `version` the newest one: later versions, what belongs to them and the plan of the next
// batch go, in one synced transaction. A store that is damaged, but not in what the retained
// versions up to `version` need, is written anew without the rest and put in the place of the old
// one at once.
// kConflict: a query runs on it. kNotFound: no such version is retained; the message lists those
// that are. kCorruption: what the version needs is damaged.
Result<RollBackReport> RollBackStore(const std::string& directory, int64_t version);

}  // namespace braid
