// Looks through everything that a checkpoint holds: the store (state/checkpoint_repair.h), and the
// lists of input files beside it.
//
// Thread rule: free functions.
#pragma once

#include <string>

#include "braid/error.h"
#include "state/checkpoint_repair.h"

namespace braid {

// What a checkpoint directory holds (docs/format/checkpoint.md).
constexpr const char* kStateFolder = "/state";
constexpr const char* kSourcesFolder = "/sources";

// Where a table's source keeps what it must know again.
std::string SourceFolder(const std::string& directory, const std::string& table);

struct CheckpointVerdict {
  StoreVerdict store;     // With what is damaged of the lists, too.
  int64_t num_parts = 0;  // Of the lists of input files.
};

// As VerifyStore; nothing is written or locked.
Result<CheckpointVerdict> VerifyCheckpoint(const std::string& directory);

}  // namespace braid
