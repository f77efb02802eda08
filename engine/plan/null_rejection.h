// Can a condition be TRUE when some of its columns are NULL? Decides which paddings a WHERE takes
// away, and which NULLs keep a row from ever matching.
//
// Thread rule: free function over an immutable expression.
#pragma once

#include <functional>

#include "engine/expression/expression.h"

namespace braid {

// True only if `condition` is FALSE or NULL for every row whose columns with is_null(column) are
// NULL, whatever the others hold. Exact for NULL logic, comparisons and arithmetic; a call whose
// value cannot be told without running it (LIKE of two constants, a function) may have any value.
bool RejectsNull(const Expression& condition, const std::function<bool(int)>& is_null);

}  // namespace braid
