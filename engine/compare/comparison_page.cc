#include "engine/compare/comparison_page.h"

#include <array>
#include <utility>

#include "engine/compare/page_parts.h"

namespace braid {

namespace {

// In JSON '<' stands in texts alone; escaped it cannot end the element that holds it.
std::string InScriptElement(std::string_view json) {
  std::string escaped;
  for (const char letter : json) {
    if (letter == '<') {
      escaped += "\\u003c";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

}  // namespace

std::string MakeComparisonPage(std::string_view json) {
  const std::string data = InScriptElement(json);
  const std::array<std::pair<std::string_view, std::string_view>, 5> parts{{
      {"@LIBRARY_STYLE@", PlotStyle()},
      {"@COMPARISON@", data},
      {"@LIBRARY_LICENSE@", PlotLicense()},
      {"@LIBRARY@", PlotLibrary()},
      {"@SCRIPT@", PageScript()},
  }};
  // In the order of the template, so that no part is looked into.
  std::string page;
  std::string_view rest = PageTemplate();
  for (const auto& [mark, part] : parts) {
    const size_t at = rest.find(mark);
    page += rest.substr(0, at);
    page += part;
    rest.remove_prefix(at + mark.size());
  }
  page += rest;
  return page;
}

}  // namespace braid
