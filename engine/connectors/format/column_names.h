// How the names in a file's header or in a JSON object find the columns of a table: exactly, else
// without regard to (ASCII) case if only one name fits so.
//
// Thread rule: free functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

struct NameMatch {
  size_t count = 0;  // How many names fit; `index` is set if one does.
  size_t index = 0;
};

// Looks for `name` among `names`.
NameMatch FindName(std::string_view name, const std::vector<std::string>& names);

bool EqualsWithoutCase(std::string_view left, std::string_view right);

}  // namespace braid
