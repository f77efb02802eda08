// A comparison as one HTML file with plots that opens without a network: all it needs stands in it.
//
// Thread rule: any.
#pragma once

#include <string>
#include <string_view>

namespace braid {

// `json`: the comparison as `braid compare --json` prints it.
std::string MakeComparisonPage(std::string_view json);

}  // namespace braid
