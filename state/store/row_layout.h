// Rows that are stored in an earlier layout, as rows of the current one: by the lists of columns
// that each change of the layout has kept.
//
// Thread rule: free functions.
#pragma once

#include <vector>

#include "braid/error.h"
#include "state/state_delta.h"
#include "state/versioned_store.h"

namespace braid {

// Whether rows of the earlier layout can be made rows of `next`: the same sides with the same keys
// and times, every column kept as one that is as wide.
bool LeadsTo(const EarlierLayout& earlier, const std::vector<SideLayout>& next);

// Whether the rows are the same in both layouts: only what columns are called differs. REQUIRES:
// LeadsTo.
bool IsStoredAlike(const EarlierLayout& earlier, const std::vector<SideLayout>& next);

// Null if the identity has no such layout.
const SideLayout* FindLayout(const StoreIdentity& identity, size_t side, uint32_t layout);

// REQUIRES: the rows have the layout's columns, and FindLayout finds it.
StateRows ToCurrentLayout(StateRows rows, const StoreIdentity& identity, size_t side,
                          uint32_t layout);

}  // namespace braid
