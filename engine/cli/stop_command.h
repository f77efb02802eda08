// `braid stop`: ends the query that runs on a checkpoint.
//
// Thread rule: one thread.
#pragma once

#include "engine/cli/command.h"

namespace braid {

Command MakeStopCommand();

}  // namespace braid
