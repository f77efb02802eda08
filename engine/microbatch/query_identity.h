// Which query a checkpoint belongs to.
//
// Thread rule: free functions.
#pragma once

#include <string>
#include <vector>

#include "braid/error.h"
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
StoreIdentity MakeIdentity(const StreamPlan& plan);

// Makes a new store the plan's, or checks that it is. Gives the id of the query.
Result<std::string> ClaimStore(VersionedStore* store, const StreamPlan& plan);

// Fails with kConflict and what differs if `stored` cannot be gone on with by `plan`.
Status CheckIdentity(const StoreIdentity& stored, const StreamPlan& plan);

}  // namespace braid
