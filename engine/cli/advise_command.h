// braid advise: reads past data and proposes time bounds and watermark delays.
#pragma once

#include "engine/cli/command.h"

namespace braid {

Command MakeAdviseCommand();

}  // namespace braid
