// The versions of a store, for a message.
//
// Thread rule: free function.
#pragma once

#include <span>
#include <string>

#include "state/versioned_store.h"

namespace braid {

// "3, 5 to 9" of rising versions; "none".
std::string VersionRanges(std::span<const VersionInfo> versions);

}  // namespace braid
