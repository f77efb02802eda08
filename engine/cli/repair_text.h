// What `braid state --verify` and `--rollback` print.
//
// Thread rule: free functions.
#pragma once

#include <cstdint>
#include <string>

#include "engine/session/checkpoint_check.h"
#include "state/checkpoint_repair.h"

namespace braid {

std::string DescribeVerdict(const std::string& directory, const CheckpointVerdict& verdict);
std::string DescribeRollBack(const std::string& directory, int64_t version,
                             const RollBackReport& report);

}  // namespace braid
