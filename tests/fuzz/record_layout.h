// Of the rows in chunks that are fuzzed, and the frame around a record.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>

#include "state/versioned_store.h"

namespace braid {

// A time, and a column of each kind that is stored in its own way.
const SideLayout& FuzzedLayout();

// A record as it is stored: the message behind the checksum of key and message.
std::string FramedRecord(std::string_view key, std::string_view message);

}  // namespace braid
