// LevelDB's files with fail points (state/faults/fail_point.h) at all that is written:
// "state.log.", "state.table.", "state.manifest." and "state.current." with "create", "write",
// "sync" and, of CURRENT, "rename"; "state.remove". Only in builds with BRAID_FAIL_POINTS.
//
// Ownership: `target` is borrowed and outlives the result.
// Thread rule: any number of threads.
#pragma once

namespace leveldb {
class Env;
}

namespace braid {

// Lives as long as the process.
leveldb::Env* NewFailingEnvironment(leveldb::Env* target);

}  // namespace braid
