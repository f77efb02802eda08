#include "engine/microbatch/former_output.h"

#include <optional>

#include "engine/connectors/file_operations.h"
#include "engine/connectors/file_sink.h"

namespace braid {

Status TakeBackFormerOutput(VersionedStore* store, const SinkContext& context) {
  const Result<std::optional<VersionInfo>> latest = store->LatestVersion();
  if (!latest) return tl::unexpected(latest.error());
  const std::optional<StoreIdentity> identity = store->identity();
  if (!*latest || !(*latest)->commit.rolled_back || !identity) return {};
  for (const FormerOutput& output : identity->former_outputs) {
    if (output.last_batch < context.first_batch) continue;
    Status taken = FileSink::TakeBackFormer(output.path, context, NewPosixFileOperations("sink"));
    if (!taken) return taken;
  }
  return {};
}

}  // namespace braid
