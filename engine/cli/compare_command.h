// braid compare: one job in both modes, and where they differ.
#pragma once

#include "engine/cli/command.h"

namespace braid {

Command MakeCompareCommand();

}  // namespace braid
