// Reads single records of a storage: errors name the record and where it is.
//
// A record that must be there and is not is kCorruption.
// Thread rule: free functions, from any thread.
#pragma once

#include <string_view>

#include "braid/error.h"
#include "state/state_delta.h"
#include "state/store/change_list.h"
#include "state/store/record_codec.h"
#include "state/store/record_storage.h"
#include "state/versioned_store.h"

namespace braid {

// `error`, which does not say what it is about, with the record's name and place.
tl::unexpected<Error> DamagedRecord(const RecordStorage& storage, std::string_view key,
                                    const Error& error);

// All rows of a chunk, dead ones included, in the current layout.
Result<StateRows> LoadChunk(RecordStorage* storage, const RecordStorage::Snapshot* snapshot,
                            const StoreIdentity& identity, const ChunkHead& head);

Result<ChangeList> LoadList(RecordStorage* storage, const RecordStorage::Snapshot* snapshot,
                            const ChangeListKey& key);

}  // namespace braid
