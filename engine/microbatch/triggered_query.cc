#include "engine/microbatch/triggered_query.h"

#include <fmt/format.h>

namespace braid {

tl::unexpected<Error> RefuseInputAfterFlush(const std::string& table) {
  return Fail(
      ErrorCode::kConflict,
      fmt::format("table {} has new input, but the checkpoint's run was finished with flush: "
                  "it takes no more. Go back to a version before the flush (`braid state DIR "
                  "--rollback N`), or begin again with another checkpoint and another output "
                  "folder; use hold to continue later (SET 'execution.end-of-input' = "
                  "'hold')",
                  table));
}

}  // namespace braid
