// A comparison as one JSON object. docs/operations.md lists its members.
//
// Thread rule: any.
#pragma once

#include <string>

#include "engine/compare/comparison.h"

namespace braid {

std::string FormatComparisonJson(const Comparison& comparison);

}  // namespace braid
