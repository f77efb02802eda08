// The advice as JSON, for machines. Lengths are in microseconds, times are text; docs/operations.md
// lists the fields.
#pragma once

#include <string>

#include "engine/advise/advice.h"

namespace braid {

// One object with its line end.
std::string FormatAdviceJson(const Advice& advice);

}  // namespace braid
