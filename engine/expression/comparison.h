// Comparison kernels: = <> < <= > >= and IS [NOT] DISTINCT FROM, over two operands of one kind.
//
// NaN equals NaN and is larger than every other number, 0.0 equals -0.0, strings compare bytewise:
// the same equality that join keys have (state/rows/key_word.h).
//
// Thread rule: free functions over immutable arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/expression/evaluation_node.h"

namespace braid {

// The operation that gives the same with its arguments exchanged: < for >.
Operation FlippedComparison(Operation operation);

// The operation that is TRUE where `operation` is FALSE: >= for <.
Operation NegatedComparison(Operation operation);

bool IsOrderedComparison(Operation operation);  // = <> < <= > >=

// Compares two operands. REQUIRES: an ordered comparison or a DISTINCT one; equal kinds.
Column Compare(Operation operation, const KernelCall& call);

// Keeps of `rows` those with `left[row] operation right[row]` (right_constant: right[0]).
// REQUIRES: an ordered comparison; equal kinds.
void FilterByComparison(Operation operation, const Column& left, const Column& right,
                        bool right_constant, std::vector<int32_t>* rows);

// Keeps of `rows` those whose value is not NULL (or, with `keep_nulls`, those whose value is).
void FilterByValidity(const Column& column, bool keep_nulls, std::vector<int32_t>* rows);

}  // namespace braid
