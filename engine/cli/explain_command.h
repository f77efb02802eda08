// braid explain: prints the plan of a job.
#pragma once

#include "engine/cli/command.h"

namespace braid {

Command MakeExplainCommand();

}  // namespace braid
