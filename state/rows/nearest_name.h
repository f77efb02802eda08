// The known name that a mistyped one most likely meant.
//
// Thread rule: a free function.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace braid {

// The candidate with the fewest edits to `name` (case does not count), the first of equals; empty
// if none is near enough to be meant (more than a third of the letters differ).
std::string NearestName(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace braid
