// Which query a checkpoint belongs to.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"
#include "engine/plan/fingerprint.h"
#include "engine/plan/stream_plan.h"
#include "state/versioned_store.h"

namespace braid {

// A random identifier in the form of a UUID.
std::string NewIdentifier();

// The names that logs use for the tables of a plan, in the order of TableInputs: the table's, and
// where a table occurs several times "(left)" and "(right)" behind it, or its number among more
// than two tables.
std::vector<std::string> TableNames(const StreamPlan& plan);

// A new identity for `plan`: two sides a join, in the order of Joins.
StoreIdentity MakeIdentity(const StreamPlan& plan, const FingerprintSettings& settings = {});

// Makes a new store the plan's, or adapts one of a query that it can go on with; what is stored
// then comes as the plan stores it. Gives the id of the query. Fails with kConflict and what
// differs.
//
// A batch that is planned and not committed is run again by the plan, not as it was: nothing of its
// first attempt stands. Where that may have been published to another place, the change is refused.
Result<std::string> ClaimStore(VersionedStore* store, const StreamPlan& plan,
                               const FingerprintSettings& settings = {});

// Fails with kConflict and what differs if `stored` cannot be gone on with by `plan`.
Status CheckIdentity(const StoreIdentity& stored, const StreamPlan& plan);

}  // namespace braid
