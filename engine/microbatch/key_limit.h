// The limit of a join key (docs/limits.md).
//
// Thread rule: a free function over immutable arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/expression/evaluator.h"

namespace braid {

// Notes an error for each row whose texts and BYTES in `columns` are together longer than a key may
// be. `keys`: the expressions that made the columns. Looks at no row where all keys together are
// within the limit, so that it costs nothing a row.
void NoteLongKeys(std::span<const Evaluator> keys, std::span<const Column> columns,
                  int64_t num_rows, std::vector<RowError>* errors);

}  // namespace braid
