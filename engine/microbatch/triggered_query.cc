#include "engine/microbatch/triggered_query.h"

#include <fmt/format.h>

#include <vector>

#include "state/versioned_store.h"

namespace braid {

tl::unexpected<Error> RefuseInputAfterFlush(const std::string& table, const std::string& checkpoint,
                                            VersionedStore* store) {
  const Result<std::vector<VersionInfo>> versions = store->Versions();
  if (!versions) return tl::unexpected<Error>(versions.error());
  std::optional<int64_t> before;
  for (const VersionInfo& version : *versions) {
    if (!version.commit.finished) before = version.version;
  }
  const std::string way_back =
      before ? fmt::format("Go back to the version before it (`braid state {} --rollback {}`), or",
                           checkpoint, *before)
             : "No version before it is kept to go back to:";
  return Fail(ErrorCode::kConflict,
              fmt::format("table {} has new input, but the checkpoint '{}' was finished with "
                          "flush: it takes no more. {} begin again with another checkpoint and "
                          "another output folder. From there on use hold to continue later (SET "
                          "'execution.end-of-input' = 'hold')",
                          table, checkpoint, way_back));
}

}  // namespace braid
