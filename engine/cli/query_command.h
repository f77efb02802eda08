// braid query: runs a statement that stands on the command line.
#pragma once

#include "engine/cli/command.h"

namespace braid {

Command MakeQueryCommand();

}  // namespace braid
