// What a row in state costs in memory beside its columns.
#pragma once

#include <cstdint>

namespace braid {

// About: an entry of 16 bytes, and two heads of the index of 4 bytes each.
constexpr int64_t kEntryBytes = 24;

}  // namespace braid
