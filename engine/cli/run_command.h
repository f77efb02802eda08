// braid run: runs a job to its end or until it is told to stop.
#pragma once

#include "engine/cli/command.h"

namespace braid {

Command MakeRunCommand();

}  // namespace braid
