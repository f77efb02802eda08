// A comparison for a reader: tables of at most 80 columns, but for the rows themselves.
//
// Thread rule: any.
#pragma once

#include <string>

#include "engine/compare/comparison.h"

namespace braid {

std::string FormatComparison(const Comparison& comparison);

}  // namespace braid
