// Batches that a rollback gave up may lie where the job wrote before it was changed.
//
// Thread rule: free functions.
#pragma once

#include "braid/error.h"
#include "braid/sink.h"
#include "state/versioned_store.h"

namespace braid {

// As long as nothing was committed behind a rollback: removes, from the folders that the query
// wrote to before (StoreIdentity::former_outputs), batches from context.first_batch on. Before the
// query's sinks are opened. An error names the folder.
Status TakeBackFormerOutput(VersionedStore* store, const SinkContext& context);

}  // namespace braid
