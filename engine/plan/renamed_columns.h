// Columns of tables that have other names than when a checkpoint was made. The rule: a table with
// as many columns, of which each is called as before, or in the same place by a name that the table
// did not have, has renamed those.
//
// Thread rule: free functions.
#pragma once

#include <optional>
#include <string>

#include "engine/plan/fingerprint_lines.h"

namespace braid {

// Gives the columns of `now` that were only renamed their old names.
void RenameBack(const FingerprintLines& before, FingerprintLines* now);

// After RenameBack: why a table cannot go on that has lost a column and has a new one in use, so
// that a person may well mean one by both; nothing if there is no such table.
std::optional<std::string> ExplainLostColumns(const FingerprintLines& before,
                                              const FingerprintLines& now);

}  // namespace braid
