// The advice for a reader at a terminal: 80 columns.
#pragma once

#include <string>

#include "engine/advise/advice.h"

namespace braid {

// With `utf8` the bars of the histogram are blocks, else '#'.
std::string FormatAdvice(const Advice& advice, bool utf8);

}  // namespace braid
