// braid state: lists the versions of a checkpoint and prints the state rows at one, also while the
// query runs.
#pragma once

#include "engine/cli/command.h"

namespace braid {

Command MakeStateCommand();

}  // namespace braid
