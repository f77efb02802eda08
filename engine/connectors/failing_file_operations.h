// File operations that pass the fail points of their use (state/faults/fail_point.h): "list" or
// "sink" with ".create-folder", ".create", ".open", ".write", ".sync", ".close", ".rename",
// ".remove", ".sync-folder". What concerns the owner file or the index of batches of an output
// folder passes "owner" or "index" instead. Only in builds with BRAID_FAIL_POINTS.
//
// Thread rule: as FileOperations.
#pragma once

#include <memory>
#include <string_view>

#include "engine/connectors/file_operations.h"

namespace braid {

std::shared_ptr<FileOperations> NewFailingFileOperations(std::shared_ptr<FileOperations> operations,
                                                         std::string_view use);

}  // namespace braid
