// Which names are those of options of a table, whatever its connector and format: a name that
// stands in a wrong place can then be refused by what it is.
//
// Thread rule: free function.
#pragma once

#include <string_view>

namespace braid {

// True for an option or an alias of one that some connector or format takes. Left out are
// print.format, which is a setting, too, and Spark's `mode`.
bool IsTableOption(std::string_view name);

}  // namespace braid
