// Whether all that was ever committed to a checkpoint is there: a database that is gone, or a log
// that lost its end, reads as if it had never been. What lies beside the database tells.
//
// Thread rule: free functions.
#pragma once

#include <optional>
#include <string>

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
// read before the store, and no rollback came in between. `missing_log`: what is said of a log that
// is not there, or empty.
// REQUIRES: WasUsed before the store was opened.
Status CheckPresence(const StoreContent& content, const std::string& directory,
                     const std::optional<Committed>& committed, const std::string& missing_log);

// The same before the store is opened, which would change it; gives what the mark said. Unless
// `read_only`, kConflict if somebody has it open.
Result<std::optional<Committed>> CheckPresenceBeforeOpening(const std::string& directory,
                                                            bool read_only);

// Whether a rollback has come since the mark was read, which lowers the mark before the store: what
// was read of the store since then need not be what the mark said.
bool IsLowered(const std::string& directory, const Result<std::optional<Committed>>& before);

}  // namespace braid
