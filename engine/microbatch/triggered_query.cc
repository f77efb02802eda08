#include "engine/microbatch/triggered_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "state/versioned_store.h"

namespace braid {

namespace {

// Whether the watermark of the version waits for each table: the end of a table, behind which flush
// does not wait for it, has not moved it.
bool WaitsForAll(const BatchCommit& commit) {
  return !commit.next_watermark ||
         std::all_of(commit.tables.begin(), commit.tables.end(), [&](const TableWatermark& table) {
           return table.watermark && *commit.next_watermark <= *table.watermark;
         });
}

// Whether more of each table was read behind the version, so that none had ended.
bool ReadsOnBehind(const BatchCommit& commit, const BatchCommit& last) {
  return std::none_of(last.source_ends_table.begin(), last.source_ends_table.end(),
                      [&](const std::string& table) {
                        const std::string* const end = commit.source_end(table);
                        return end != nullptr && *end == *last.source_end(table);
                      });
}

}  // namespace

tl::unexpected<Error> RefuseInputAfterFlush(const std::string& table, const std::string& checkpoint,
                                            VersionedStore* store) {
  const Result<std::vector<VersionInfo>> versions = store->Versions();
  if (!versions) return tl::unexpected<Error>(versions.error());
  std::optional<int64_t> before;
  for (const VersionInfo& version : *versions) {
    const BatchCommit& commit = version.commit;
    if (commit.finished) continue;
    // Where a table had ended, its further rows would be late.
    if (WaitsForAll(commit) || ReadsOnBehind(commit, versions->back().commit)) {
      before = version.version;
    }
  }
  const std::string way_back =
      before ? fmt::format(
                   "Go back to before any table had ended (`braid state {} --rollback {}`), or",
                   checkpoint, *before)
             : "No version from before any table had ended is kept to go back to:";
  return Fail(ErrorCode::kConflict,
              fmt::format("table {} has new input, but the checkpoint '{}' was finished with "
                          "flush: it takes no more. {} begin again with another checkpoint and "
                          "another output folder. From there on use hold to continue later (SET "
                          "'execution.end-of-input' = 'hold')",
                          table, checkpoint, way_back));
}

}  // namespace braid
