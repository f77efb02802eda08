// Who holds the lock of a database, for messages and for waiting.
//
// Thread rule: a free function. Not for a process that may hold the lock itself: to look into the
// lock file gives its own lock up.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace braid {

// The process that holds the lock file of the database in `location`; absent if nobody does.
std::optional<pid_t> LockHolder(const std::string& location);

}  // namespace braid
