// The files that a page of a comparison is made of, embedded when Braid is built: those of page/
// and of third_party/dygraphs.
//
// Thread rule: any.
#pragma once

#include <string_view>

namespace braid {

std::string_view PageTemplate();
std::string_view PageScript();
std::string_view PlotLibrary();
std::string_view PlotStyle();
std::string_view PlotLicense();

}  // namespace braid
