// Whether all that was ever committed to a checkpoint is there: a database that is gone, or a log
// that lost its end, reads as if it had never been. What lies beside the database tells.
//
// Thread rule: free functions.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "braid/error.h"
#include "state/store/commit_mark.h"
#include "state/store/record_storage.h"

namespace braid {

struct StoreContent {
  bool is_created = false;
  Committed committed;  // The newest version and the pending plan that are there.
};

// Kept small: looks at three kinds of records.
Result<StoreContent> LookIntoStore(RecordStorage* storage);

// Whether a query has run on it: there is a mark, if a damaged one, or a list of input files, which
// no query writes before it has created its store.
bool WasUsed(const std::string& directory, const Result<std::optional<Committed>>& mark);

// kCorruption unless the store is as new as `committed` (absent: not known) says. `committed` was
// read before the store. Where somebody may roll back in between, which lowers both, only a fault
// that is seen twice is one. `missing_log`: what is said of a log that is not there, or empty.
// REQUIRES: WasUsed before the store was opened.
Status CheckPresence(const StoreContent& content, const std::string& directory,
                     const std::optional<Committed>& committed, const std::string& missing_log);

// A rollback beside makes the mark and the store, which are read one after the other, look like a
// loss once. What is lost looks alike at the next look.
class FaultSeenTwice {
 public:
  // False at the first look that finds the fault: look again.
  bool Is(const Error& fault) { return std::exchange(last_, fault.message) == fault.message; }

 private:
  std::optional<std::string> last_;
};

// The same before the store is opened, which would change it; gives what the mark said. Unless
// `read_only`, kConflict if somebody has it open.
Result<std::optional<Committed>> CheckPresenceBeforeOpening(const std::string& directory,
                                                            bool read_only);

}  // namespace braid
